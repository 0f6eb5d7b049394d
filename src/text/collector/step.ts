/** A collector's or another actor's step as lines: actor, object, reason, look-ups, requests. */
import type { CollectorStep, StepLookUp, StepRequest } from '../../collector/index.ts';
import { Identity } from '../../graph/index.ts';
import { objectTitle, objectTitleIn, showHidden, shownName, textEscapes } from '../../model/index.ts';
import { timeText } from '../terminal/age.ts';
import { TextLine } from '../terminal/text-line.ts';
import { padEnd } from '../terminal/width.ts';
import { branchWords, listedObjects } from './branches.ts';

const NUMBER_WIDTH = 4;
const GAP = '  ';
const LEAD = ' '.repeat(NUMBER_WIDTH + GAP.length);
const LABEL_WIDTH = 'looks up'.length;
/** Shorter pauses between steps aren't shown. */
const PAUSE = 1000;

/** Returns `12:00:05.013Z`, since steps are milliseconds apart. */
function stepTime(at: number): string {
  return timeText.instant(at).slice(11);
}

/** Returns `attemptToDelete: Secret course/homework`, or `''` if the actor says it all. */
function stepTitle({ work, actor }: Pick<CollectorStep, 'work' | 'actor'>): string {
  switch (work.of) {
    case 'event':
      return `graph event: ${eventWords[work.event]} ${objectTitle(work.object)}`;
    case 'item':
      return work.stage === 'requests'
        ? `${work.queue}, requests: ${objectTitle(work.object)}`
        : `${work.queue}: ${objectTitle(work.object)}`;
    case 'watch':
      return `watch of ${shownName(work.resource)}`;
    case 'outside':
      return showHidden(work.about);
    case 'task':
      return work.name === actor ? '' : shownName(work.name.replace(`${actor} `, '').replace(/^queue$/u, ''));
  }
}

export const eventWords = {
  added: 'added',
  updated: 'updated',
  deleted: 'deleted',
  virtualDelete: 'proven absent',
} as const;

/** `cites`: each sentence has its section of docs/kubernetes.md. */
export function stepLines(
  step: CollectorStep,
  previous: CollectorStep | undefined,
  cites = false,
): readonly TextLine[] {
  const pause = previous === undefined ? 0 : step.at - previous.at;
  const head = `${String(step.n).padStart(NUMBER_WIDTH)}${GAP}`;
  const inferred = step.knowledge === 'inferred' ? ' (inferred)' : '';
  return [
    ...(pause < PAUSE ? [] : [TextLine.of(`${LEAD}${timeText.duration(pause)} later`, 'muted')]),
    {
      spans: [
        { text: head, style: 'muted' },
        { text: `${stepTime(step.at)}${GAP}`, style: 'muted' },
        { text: `${shownName(step.actor)}${GAP}`, style: 'info' },
        { text: `${stepTitle(step)}${inferred}`, style: 'title' },
      ],
      indent: LEAD.length + 2,
    },
    ...branchWords.step(step).map((sentence, index) => {
      const branch = step.branches[index];
      const section = cites && branch !== undefined ? branchWords.section(branch, step) : undefined;
      return TextLine.of(
        `${LEAD}${sentence}${section === undefined ? '' : ` (§${section})`}`,
        'plain',
        LEAD.length,
      );
    }),
    ...step.lookUps.map(each => detail('looks up', lookUpWords(each, step.work))),
    ...step.requests.map(each => detail('sends', requestWords(each), each.result === 'refused')),
    ...queuedLines(step),
    ...step.warnings.map(({ object, reference }) =>
      detail(
        'warns',
        `OwnerRefInvalidNamespace: ${objectTitle(object)} refers to ${objectTitle(Identity.claimed(reference, object.namespace))}, which is not in that namespace`,
      ),
    ),
    TextLine.empty,
  ];
}

function detail(label: string, words: string, isWarning = false): TextLine {
  return {
    spans: [
      { text: `${LEAD}${padEnd(label, LABEL_WIDTH)}${GAP}`, style: 'muted' },
      { text: words, style: isWarning ? 'warning' : 'plain' },
    ],
    indent: LEAD.length + LABEL_WIDTH + GAP.length + 2,
  };
}

const fromWords = {
  graph: 'in the graph',
  absentOwners: 'in the cache of absent owners',
  kinds: 'among the kinds',
  live: 'GET',
} as const satisfies Readonly<Record<StepLookUp['from'], string>>;

const resultWords = {
  found: 'found',
  waiting: 'found, in foreground deletion',
  absent: 'absent',
  otherUid: 'found with another uid, so the one that is meant is absent',
  failed: 'no answer',
  unresolvable: 'no such kind',
  namespaced: 'a namespaced kind, which a cluster-scoped object cannot have as an owner',
  blocking: 'blocks',
  notBlocking: 'does not block',
} as const satisfies Readonly<Record<StepLookUp['result'], string>>;

/** Returns `owner ConfigMap rumour: GET, 404: absent`. */
function lookUpWords({ of, object, from, result, status }: StepLookUp, work: CollectorStep['work']): string {
  const around = 'object' in work ? work.object.namespace : '';
  const what = of === 'item' ? objectTitle(object) : `${of} ${objectTitleIn(object, around)}`;
  const answer = status === undefined ? '' : `, ${status}`;
  return `${what}: ${fromWords[from]}${answer}: ${resultWords[result]}`;
}

const resultOfRequest = {
  created: 'created',
  changed: 'changed',
  deleting: 'its deletion begins',
  removed: 'removed',
  unchanged: 'nothing changes',
  refused: 'refused',
} as const satisfies Readonly<Record<StepRequest['result'], string>>;

/** Returns `DELETE Secret course/hearsay {"propagationPolicy":"Background",…} → 200, removed`. */
function requestWords(request: StepRequest): string {
  const { verb, object, subresource, body, status, result, because } = request;
  const part = subresource === undefined ? '' : ` ${subresource}`;
  const sent = body === undefined ? '' : ` ${textEscapes.json(withoutType(body))}`;
  const why = because === undefined ? '' : `: ${showHidden(because)}`;
  return `${verb.toUpperCase()} ${objectTitle(object)}${part}${sent} → ${status}, ${resultOfRequest[result]}${why}`;
}

function withoutType(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'apiVersion' && key !== 'kind'));
}

function queuedLines({ queued, at }: CollectorStep): readonly TextLine[] {
  const lines: TextLine[] = [];
  for (const [queue, items] of Map.groupBy(queued, each => each.queue)) {
    const now = items.filter(({ until }) => until === undefined);
    if (now.length > 0) {
      const objects = now.map(({ object }) => object);
      lines.push(detail('queues', `${queue}: ${listedObjects(objects, '')}`));
    }
    for (const { object, until } of items) {
      if (until === undefined) continue;
      lines.push(detail('defers', `${queue}: ${objectTitle(object)}, in ${backOff(until - at)}`));
    }
  }
  return lines;
}

export function backOff(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return milliseconds < 10_000 ? `${(milliseconds / 1000).toFixed(1)}s` : timeText.duration(milliseconds);
}
