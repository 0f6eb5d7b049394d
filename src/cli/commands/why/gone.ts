/** `why` for a deleted object, from the journal and Events, without a recording or an audit log. */
import { printLine } from '../../../documents/print/lines.ts';
import { showHidden, shownName } from '../../../model/text/shown.ts';
import { counted, objectTitle } from '../../../model/text/titles.ts';
import { SourceError, type ToldEvent } from '../../../source/source.ts';
import { formatTimestamp } from '../../../text/terminal/age.ts';
import { type TextLine, textLine } from '../../../text/terminal/text-line.ts';
import { formatOf, isText, lineLook } from '../../output/format.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE } from '../../runtime/errors.ts';
import type { ClusterSession } from '../../session/session.ts';
import { knownTypes, type TargetWord } from '../../targets/targets.ts';

/** Maximum to print, newest first. */
const MOST = 20;

/** Resolves with undefined if nothing is known, and for documents. Without `namespace`, neither source is asked. */
export async function whyWithoutRecording(
  command: TargetCommand,
  session: ClusterSession,
  { word, namespace }: { readonly word: TargetWord; readonly namespace: string | undefined },
): Promise<number | undefined> {
  const { source, view } = session;
  const [type] = knownTypes(view.catalog, word.type) ?? [];
  const { name } = word;
  if (!isText(formatOf('why', command.flags.output))) return undefined;
  if (type === undefined || name === undefined || (type.namespaced && namespace === undefined))
    return undefined;
  const subject = { kind: type.kind, namespace: type.namespaced ? (namespace ?? '') : '', name };
  const { services, io } = command;
  // Other clients' questions don't get this user's journal.
  const isAlone = services.shared === undefined;
  const place = { type, namespace: subject.namespace, name };
  const traces = (isAlone && (await services.tracesOfGone?.(io, { view, info: source.info }, place))) || [];
  const events = await eventsOr(source.eventsOfGone?.(subject) ?? Promise.resolve([]));
  if (events.length === 0 && traces.length === 0) return undefined;
  const look = lineLook(command);
  const title = objectTitle(subject);
  const lines = [
    ...traces,
    ...(events.length === 0 ? [] : goneLines(traces.length === 0 ? `${title} isn't there. ` : '', events)),
  ];
  await command.output.write(lines.map(line => printLine(line, look)));
  return EXIT_DONE;
}

/** Continues without Events if they may not be read. */
async function eventsOr(asked: Promise<readonly ToldEvent[]>): Promise<readonly ToldEvent[]> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof SourceError) return [];
    throw error;
  }
}

function goneLines(lead: string, events: readonly ToldEvent[]): TextLine[] {
  const left = events.length - MOST;
  return [
    textLine(`${lead}What Events still tell of it:`, 'title'),
    textLine(''),
    ...(left > 0 ? [textLine(`  ${counted(left, 'older Event')} left out`, 'muted')] : []),
    ...events.slice(-MOST).map(eventLine),
    textLine(''),
    textLine(
      'Events are kept for an hour as a rule, and do not say who asked for a deletion. The audit log of an API server does: why TYPE/NAME --audit-log FILE. From now on a recording tells what becomes of objects: record FILE.',
      'muted',
    ),
  ];
}

function eventLine({ about, said }: ToldEvent): TextLine {
  const when = said.at === undefined ? '' : `${formatTimestamp(said.at)}  `;
  const times = (said.count ?? 1) > 1 ? ` (${said.count} times)` : '';
  const whom = `${shownName(about.kind)} ${shownName(about.name)}`;
  return textLine(
    `  ${when}${showHidden(said.reason)} of ${whom}: ${showHidden(said.message)}${times}`,
    said.failing ? 'warning' : 'plain',
    24,
  );
}
