import { setTimeout as sleep } from 'node:timers/promises';
import { requestWords } from '../../../forecast/index.ts';
import { shownName } from '../../../model/index.ts';
import { byName, KubeletState, type PodGcSurvey, PodOutlook } from '../../../podgc/index.ts';
import { Source } from '../../../source/index.ts';
import { nameWords, type PodGcTextOptions, podGcTable, podGcWords, TextLine } from '../../../text/index.ts';
import { type PodGcAnswer, podGcDocument } from '../../documents/podgc-document.ts';
import { printDocument } from '../../documents/print/document.ts';
import { type LineLook, printLine } from '../../documents/print/print-lines.ts';
import { markdownBlock, markdownParagraph, markdownTitle } from '../../documents/reports/markdown.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { textLook } from '../../runtime/format.ts';
import { say } from '../../runtime/say.ts';
import { sameSource } from '../../session/same-source.ts';
import { type ClusterSession, scopeOf } from '../../session/session.ts';
import { reservationLines } from '../../session/watch.ts';
import { SHORT_TAINT } from '../plan/request.ts';
import type { PodGcQuery, PodGcScope } from './podgc-scope.ts';

export interface PodGcRun {
  readonly command: TargetCommand;
  readonly request: PodGcQuery;
  readonly session: ClusterSession;
  readonly survey: PodGcSurvey;
  readonly scope: PodGcScope;
}

/** Events and the lease only refine the answer, so the wait is short. */
const PATIENCE_MILLISECONDS = 5_000;

export function inTime<T>(asked: Promise<T>): Promise<T | undefined> {
  return Promise.race([asked, sleep(PATIENCE_MILLISECONDS, undefined, { ref: false })]);
}

export async function askManager({ session, survey }: PodGcRun): Promise<void> {
  const lease = await inTime(Source.managerLease(session.source, session.view.catalog));
  survey.learnManager(lease, session.now());
}

/** Returns now, or the time when following ended. */
function answeredAt(session: ClusterSession): number {
  return session.view.followedUntil(session.now());
}

/** Includes every requested pod, candidate or not. */
export function answerOf({ session, survey, scope }: PodGcRun): PodGcAnswer {
  const now = answeredAt(session);
  const items = survey.items(now).filter(({ pod }) => scope.has(pod));
  const told = new Set(items.map(({ pod }) => pod.uid));
  const others = [...(scope.asked ?? [])].flatMap(uid => {
    const pod = told.has(uid) ? undefined : session.view.graph.get(uid)?.object;
    return pod === undefined ? [] : survey.explain(pod, now);
  });
  return {
    survey,
    items: [...items, ...others.sort((a, b) => byName(a.pod, b.pod))],
    nodes: survey.nodes().filter(({ pods }) => pods.some(pod => scope.has(pod))),
  };
}

export function textOptions({ command, session }: PodGcRun): PodGcTextOptions & LineLook {
  return { ...textLook(command), now: answeredAt(session) };
}

export async function printPodGc(run: PodGcRun, answer: PodGcAnswer): Promise<void> {
  const { command, request, session } = run;
  const { output, io, flags } = command;
  const { items } = answer;
  switch (request.format) {
    case 'text':
    case 'wide': {
      const options = textOptions(run);
      const columns = podGcTable.widths(items, options);
      await output.write(
        [...podGcTable.lines(items, columns, options)].map(line => printLine(line, options)),
      );
      const footer = footerOf(run, answer).map(line => printLine(line, options));
      // With `--no-headers`, standard output has only rows.
      if (flags.headers) await output.write(footer);
      else io.stderr.write(footer.join(''));
      say(io, reservationLines(session).join(''));
      return;
    }
    case 'markdown': {
      const options = { ...textOptions(run), colour: false, width: undefined, headers: true };
      const columns = podGcTable.widths(items, options);
      const lines = [...podGcTable.lines(items, columns, options), ...footerOf(run, answer)];
      await output.write([
        markdownTitle('kubectl gc-tree podgc'),
        markdownBlock(lines.map(line => printLine(line, options)).join('')),
        ...reservationLines(session).map(markdownParagraph),
      ]);
      return;
    }
    case 'name':
      return output.write(
        items
          .filter(({ due }) => due.when !== 'no')
          .map(({ pod: { namespace, name } }) => {
            const pod = { apiVersion: 'v1', kind: 'Pod', namespace, name };
            return `${nameWords.scoped(pod, scopeOf(flags, session.source))}\n`;
          }),
      );
    case 'json':
    case 'yaml': {
      const document = podGcDocument(session.basis(), answer);
      return output.write(printDocument(document, request.format));
    }
  }
}

function footerOf({ survey, session, command, scope }: PodGcRun, answer: PodGcAnswer): TextLine[] {
  const { settings } = session.view;
  const now = answeredAt(session);
  const away = podGcWords.manager(survey, now);
  const sentences = [
    ...(answer.items.length === 0 ? [podGcWords.none(whereOf(scope), survey.sees)] : []),
    ...(concernsLimit(scope, answer) ? [podGcWords.limit(survey), podGcWords.nextToGo(survey)] : []),
    survey.sees.nodes ? '' : podGcWords.nodesUnseen,
    podGcWords.rules(survey.rules, settings.serverVersion),
    answer.items.some(PodOutlook.isComing)
      ? `Times are estimates, and hold ${away === '' ? 'as long as' : 'only if'} kube-controller-manager runs.`
      : '',
  ].filter(sentence => sentence !== '');
  return [
    ...(away === '' ? [] : [TextLine.of(away, 'warning', 2)]),
    ...sentences.map(sentence => TextLine.of(sentence, 'plain', 2)),
    ...answer.nodes.flatMap((node): TextLine[] => {
      const sentence = podGcWords.node(node);
      if (sentence === '') return [];
      const { state, node: there } = node;
      const isSilent = there !== undefined && KubeletState.of(there) === 'Silent';
      if (state !== 'NotReady' || !isSilent) return [TextLine.of(sentence, 'plain', 2)];
      const target = requestWords.target('node', node.name);
      const source = sameSource(command.flags, 'reads');
      const words = ['kubectl', 'gc-tree', 'plan', 'taint', target, SHORT_TAINT, ...source];
      return [TextLine.of(sentence, 'plain', 2), TextLine.command('  ', [{ words }], 'muted', 4)];
    }),
  ];
}

function whereOf({ asked, namespace }: PodGcScope): string {
  if (asked !== undefined) return ' that was asked about';
  return namespace === undefined ? '' : ` in namespace ${shownName(namespace)}`;
}

/** Returns false if only unfinished pods were requested. */
function concernsLimit({ asked }: PodGcScope, { items }: PodGcAnswer): boolean {
  return asked === undefined || items.some(({ rule }) => rule === 'Terminated');
}
