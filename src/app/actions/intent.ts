/** Turns a key's wish into an intent: a policy, a remedy or a journal entry, with a choice if there are several. */

import { type Entry, type Intent, type Prepared, Undo, type UndoIntent } from '../../actions/index.ts';
import {
  bySafety,
  type Diagnosis,
  isApplicable,
  type OfferedRemedy,
  offeredRemedies,
  remediesForMany,
  remedyEffects,
} from '../../diagnosis/index.ts';
import {
  type ApplicableRemedy,
  Cascade,
  type Forecast,
  Forecaster,
  type Risk,
} from '../../forecast/index.ts';
import type { ClusterView } from '../../graph/index.ts';
import { counted, type KubeObject, Sliced, showHidden } from '../../model/index.ts';
import { journalWords, planWords, policyWords, type Style, TextLine, timeText } from '../../text/index.ts';
import { paintingOf } from '../painting/make.ts';
import type { Painting } from '../painting/painting.ts';
import { type ActionChoice, type ActionWish, choiceNumbers } from '../state/action-dialog.ts';
import { lossNotes } from './action-text.ts';
import { type ActionCluster, type ActionSession, NothingToDo } from './context.ts';
import { graceOf, nextGrace } from './grace.ts';
import { Looker } from './look.ts';

export type IntentWish = Exclude<ActionWish, { readonly what: 'plan' }>;

export interface PlannedAction {
  readonly intent: Intent;
  /** Notes on what an undo reverses, and what it can't. */
  readonly notes?: () => readonly TextLine[];
  readonly afterwards?: readonly TextLine[];
}

/** Resolves to undefined if the dialog was closed; rejects with `NothingToDo`. */
export async function plannedAction(
  wish: IntentWish,
  context: ActionSession,
): Promise<PlannedAction | undefined> {
  const { cluster } = context;
  switch (wish.what) {
    case 'delete':
      return deletion(cluster.objects(wish.uids), context);
    case 'orphan':
      return { intent: { verb: 'delete', targets: cluster.objects(wish.uids), cascade: 'orphan' } };
    case 'unblock':
    case 'remedies': {
      const targets = cluster.objects(wish.uids);
      if (wish.what === 'remedies') return chosenRemedy(targets, context, wish);
      if (targets.length > 1) return chosenRemedy(targets, context, { asksOnce: true });
      return (await proposed(targets[0], context)) ?? chosenRemedy(targets, context);
    }
    case 'undo':
      return undoing(context);
  }
}

/** Offers the three policies; if all have the same outcome, only kubectl's default. */
async function deletion(
  targets: readonly KubeObject[],
  { cluster, dialog }: ActionSession,
): Promise<PlannedAction | undefined> {
  let grace: number | undefined;
  for (;;) {
    const prepared = await cluster.preparePolicies(targets, grace);
    if (dialog.closed) return undefined;
    const shown = await cluster.inTurns(() =>
      policiesShown(prepared, { view: cluster.view, width: dialog.width, whole: false }),
    );
    if (dialog.closed) return undefined;
    if (shown.endAlike) return { intent: prepared.background.intent };
    const choosable = graceOf(targets, grace);
    const { choices, paintings, table } = shown;
    const id = await dialog.choice({
      question: 'Which policy?',
      as: 'row',
      choices,
      preselected: 0,
      lines: [],
      paintings,
      ...(table && { table }),
      ...(choosable && { grace: choosable }),
    });
    const cascade = Cascade.all.find(each => each === id);
    if (cascade !== undefined) return { intent: prepared[cascade].intent };
    if (id === undefined) return undefined;
    grace = nextGrace(grace, id);
  }
}

/** Length from which forecasts omit steps and shorten lists; the command line prints everything. */
const READABLE = 300;

/** Avoids making the steps of a long forecast: each deleted or changed object takes at least one. */
export function isShort(forecast: Forecast): boolean {
  const { deleted, changed } = forecast;
  return deleted.length + changed.length <= READABLE && forecast.steps().length <= READABLE;
}

export interface PoliciesShown {
  /** All policies have the same outcome, so there is one choice and no table. */
  readonly endAlike: boolean;
  readonly choices: readonly ActionChoice[];
  readonly paintings: ReadonlyMap<string, Painting>;
  readonly table: readonly TextLine[] | undefined;
}

/** Lists the policies with their effects; `whole`: with every object and step while readable. */
export function* policiesShown(
  prepared: Readonly<Record<Cascade, Prepared>>,
  { view, width, whole }: { readonly view: ClusterView; readonly width: number; readonly whole: boolean },
): Sliced<PoliciesShown> {
  const { background, foreground, orphan } = prepared;
  const forecasts = {
    background: background.forecast,
    foreground: foreground.forecast,
    orphan: orphan.forecast,
  };
  const alike = policyWords.areAlike(forecasts);
  // A dialog scrolls, so it shows everything that is still readable.
  const isWhole = whole && Cascade.all.every(each => prepared[each].concerned.length <= READABLE);
  yield;
  const choices: ActionChoice[] = [];
  const paintings = new Map<string, Painting>();
  for (const each of alike ? (['background'] as const) : Cascade.all) {
    choices.push(yield* policyChoice(prepared[each], each, view, isWhole));
    paintings.set(each, paintingOf(forecasts[each]));
    yield;
  }
  const table = alike ? undefined : yield* Sliced.list(policyWords.lines(forecasts, { all: isWhole, width }));
  return { endAlike: alike, choices, paintings, table };
}

function* policyChoice(
  prepared: Prepared,
  id: Cascade,
  view: ClusterView,
  whole: boolean,
): Sliced<ActionChoice> {
  const { forecast } = prepared;
  const refused = forecast.outcome === 'Refused';
  const lines = yield* Sliced.list(
    whole
      ? planWords.lines(forecast, { wide: true, steps: isShort(forecast) })
      : planWords.lines({ ...forecast, kubectl: [] }, { wide: false, steps: false, anywayInShort: true }),
  );
  return {
    id,
    label: id,
    hint: planWords.countSigns(forecast),
    style: refused ? 'muted' : planWords.headStyle(forecast, 'plain'),
    lines: [...lines, ...lossNotes(prepared, view), ...(whole ? [] : planWords.anyway(forecast, false))],
    refused,
  };
}

/** Resolves to undefined if the user has to choose a remedy. */
async function proposed({ uid }: KubeObject, { cluster }: ActionSession): Promise<PlannedAction | undefined> {
  const { view } = cluster;
  return cluster.inTurns(function* (): Sliced<PlannedAction | undefined> {
    const [target] = cluster.objects([uid]);
    const diagnosis = cluster.diagnosis();
    const remedy = yield* proposedRemedy(diagnosis, target, { view, now: cluster.now() });
    if (remedy === undefined) return undefined;
    const others = offeredRemedies.of(diagnosis, target).filter(({ id }) => id !== remedy.id);
    return { intent: { verb: 'unblock', target, remedy }, notes: () => noteOthers(remedy, others) };
  });
}

function noteOthers({ risk }: ApplicableRemedy, others: readonly OfferedRemedy[]): readonly TextLine[] {
  const advice = risk === 'safe' ? [] : others.filter(each => !isApplicable(each));
  return [
    ...advice.map(({ title }) => TextLine.of(`Try first: ${title}.`, 'warning', 2)),
    ...(others.length === 0 ? [] : [TextLine.of('Other remedies: Esc, then U.', 'muted')]),
  ];
}

interface RemedyChoice {
  /** Takes the remedy for everything that the objects wait for, or the only one, without a choice. */
  readonly asksOnce?: boolean;
  /** The choice to begin with. */
  readonly number?: number;
}

async function chosenRemedy(
  targets: readonly [KubeObject, ...KubeObject[]],
  { cluster, dialog }: ActionSession,
  { asksOnce = false, number }: RemedyChoice = {},
): Promise<PlannedAction | undefined> {
  const [target] = targets;
  const several = targets.length > 1 ? targets : undefined;
  const options = { all: true, among: several };
  const { choices, offered, remedies, recommended: first } = await remediesOn(cluster, targets, options);
  if (choices.length === 0)
    throw new NothingToDo(
      several === undefined
        ? 'Nothing is known to block it.'
        : `Nothing can be done to the ${counted(several.length, 'object')} as one: look at them one by one.`,
    );
  const whole = remedies.length === 1 ? remedies[0] : remedies.find(({ id }) => id === remediesForMany.ALL);
  if (asksOnce && whole !== undefined) {
    const others = offered.filter(({ id }) => id !== whole.id);
    return {
      intent: remediesForMany.action(target, whole, several),
      notes: () => noteOthers(whole, others),
    };
  }
  const preselected =
    number === undefined
      ? choices.findIndex(each => each.id === first?.id)
      : choiceNumbers({ as: 'list', choices }).indexOf(number);
  const question = preselected < 0 ? 'Which remedy? None is recommended.' : 'Which remedy?';
  const intentOf = (id: string | undefined): Intent | undefined => {
    const remedy = remedies.find(each => each.id === id);
    return remedy && remediesForMany.action(target, remedy, several);
  };
  const chosen = dialog.choice({ question, as: 'list', choices, preselected, lines: [] });
  const look = new Looker(cluster, dialog, id => Promise.resolve(intentOf(id)));
  const intent = intentOf(await look.during(chosen, choices[preselected]?.id));
  return intent && { intent };
}

async function undoing(session: ActionSession): Promise<PlannedAction | undefined> {
  const { cluster, dialog } = session;
  const offered = await entryChoices(session);
  const { choices } = offered;
  if (choices.length === 0)
    throw new NothingToDo(
      'The journal has no action on this cluster: nothing was done to it with delete, unblock or undo.',
    );
  const refusals = choices.map(({ refused }) => refused === true);
  const preselected = Math.max(0, refusals.indexOf(false));
  const chosen = dialog.choice({
    question: 'Which action is undone?',
    as: 'list',
    choices,
    preselected,
    lines: [],
  });
  const look = new Looker(cluster, dialog, async each => (await offered.take(each))?.intent);
  const id = await look.during(chosen, choices[preselected]?.id);
  if (id === undefined) return undefined;
  // The cluster may have changed during the choice.
  const undone = await offered.take(id);
  if (undone === undefined) throw new NothingToDo('Nothing of it can be undone now.');
  return { ...undone, notes: () => undone.notes(cluster.now()) };
}

interface RemedyOptions {
  readonly all: boolean;
  /** Several objects including the target, limited to remedies for many. */
  readonly among?: readonly KubeObject[] | undefined;
  readonly view: ClusterView;
  readonly now: number;
}

const riskStyles: Readonly<Record<Risk, Style>> = { safe: 'good', caution: 'warning', dangerous: 'danger' };

interface Remedies {
  /** Findings' remedies as numbered in the details pane, then the others, safest first. Advice can't be chosen. */
  readonly choices: readonly ActionChoice[];
  readonly offered: readonly OfferedRemedy[];
  /** Those of the offered that can be chosen. */
  readonly remedies: readonly ApplicableRemedy[];
  /** The proposal; undefined if the user has to choose. */
  readonly recommended: ApplicableRemedy | undefined;
}

/** Handles the first target only, unless remedies are for all. */
export function remediesOn(
  cluster: ActionCluster,
  [target]: readonly [KubeObject, ...KubeObject[]],
  options: Pick<RemedyOptions, 'all' | 'among'>,
): Promise<Remedies> {
  const { view, now } = cluster;
  return cluster.inTurns(() => remedyChoices(cluster.diagnosis(), target, { ...options, view, now: now() }));
}

export function* remedyChoices(
  diagnosis: Diagnosis,
  target: KubeObject,
  { all, view, now, among }: RemedyOptions,
): Sliced<Remedies> {
  const offered =
    among === undefined ? offeredRemedies.of(diagnosis, target) : remediesForMany.forChosen(diagnosis, among);
  const ids = new Set(offered.map(({ id }) => id));
  const listed = among === undefined && all ? offeredRemedies.every(diagnosis, target) : offered;
  const forecaster = yield* Forecaster.createInSlices(view, { now, scope: 'action' });
  const foretold = yield* remedyEffects.addedInPlace(forecaster, target, listed, among);
  const remedies = among === undefined ? foretold : bySafety(foretold);
  const ofFindings = foretold.filter(({ id }) => ids.has(id));
  return {
    offered: remedies,
    remedies: remedies.filter(isApplicable),
    recommended: among === undefined ? offeredRemedies.recommendable(view, target, ofFindings)[0] : undefined,
    choices: remedies.map(remedy => ({
      id: remedy.id,
      label: showHidden(remedy.title),
      hint: isApplicable(remedy) ? remedy.risk : 'advice',
      style: riskStyles[remedy.risk],
      lines: isApplicable(remedy)
        ? [
            TextLine.of(`    ${remedy.title}`, 'plain', 4),
            ...planWords.remedySteps(remedy, 4),
            TextLine.of(`    Then: ${remedy.effect}`, 'plain', 4),
            TextLine.of(`    ${remedy.id}`, 'muted', 4),
          ]
        : [
            TextLine.of(`    ${remedy.title}`, 'plain', 4),
            TextLine.of('    Advice: there is nothing to send.', 'muted', 4),
          ],
      refused: !isApplicable(remedy),
    })),
  };
}

/** Returns the first safe remedy that the target's forecast supports, else the clear one; undefined if the user has to choose. */
export function* proposedRemedy(
  diagnosis: Diagnosis,
  target: KubeObject,
  { view, now }: Pick<RemedyOptions, 'view' | 'now'>,
): Sliced<ApplicableRemedy | undefined> {
  const candidates = offeredRemedies.recommendable(view, target, offeredRemedies.of(diagnosis, target));
  const forecaster = yield* Forecaster.createInSlices(view, { now, scope: 'action' });
  const [safe] = offeredRemedies.recommendable(
    view,
    target,
    yield* remedyEffects.addedInSlices(forecaster, target, candidates),
  );
  return safe ?? (yield* offeredRemedies.clear(diagnosis, target, forecaster));
}

interface Entries {
  readonly choices: readonly ActionChoice[];
  /** Plans an undo on the current cluster; undefined if there is nothing to do. */
  take(id: string): Promise<
    | {
        readonly intent: UndoIntent;
        notes(now: number): readonly TextLine[];
        readonly afterwards: readonly TextLine[];
      }
    | undefined
  >;
}

const MOST_ENTRIES = 50;

/** Lists this cluster's entries, the latest first; rejects with the file system's error. */
async function entryChoices({ journal, cluster, source, since }: ActionSession): Promise<Entries> {
  const { view } = cluster;
  const { info } = source;
  // Each simulated cluster is a new one.
  const isHere = ({ intended }: Entry): boolean =>
    Undo.isSameCluster(intended, { view, info }) && (info.source !== 'demo' || intended.at >= since);
  const all = await journal.list();
  const here = all.filter(isHere).slice(0, MOST_ENTRIES);
  const choices: ActionChoice[] = [];
  for (const entry of here) {
    const kept = await journal.backupOf(entry, all);
    const undo = Undo.plan(entry, kept, view);
    const { does, lost } = undo;
    const extent = Undo.intent(entry, undo, kept, view) === undefined ? 'nothing' : undo.extent;
    const { id, title, at } = entry.intended;
    choices.push({
      id,
      label: showHidden(title),
      hint: `${timeText.age(at, cluster.now())} ago, ${{ whole: 'can be undone', part: 'in part', nothing: 'nothing to undo' }[extent]}`,
      style: extent === 'nothing' ? 'muted' : 'info',
      lines: [
        ...does.map(each => TextLine.of(`    + ${each}`, 'good', 6)),
        ...lost.map(each => TextLine.of(`    ! cannot be restored: ${each}`, 'warning', 6)),
        TextLine.of(`    ${id}`, 'muted', 4),
      ],
      refused: extent === 'nothing',
    });
  }
  return {
    choices,
    take: async id => {
      const entry = here.find(({ intended }) => intended.id === id);
      if (entry === undefined) return undefined;
      const kept = await journal.backupOf(entry);
      const undo = Undo.plan(entry, kept, view);
      const intent = Undo.intent(entry, undo, kept, view);
      return (
        intent && {
          intent,
          notes: at => [...journalWords.undoNotes(entry, undo, at)],
          afterwards: [...journalWords.lost(undo)],
        }
      );
    },
  };
}
