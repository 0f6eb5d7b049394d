/**
 * `why` of an object that is gone, without a recording or an audit log: what this tool's journal says, what Events still
 * tell, and what would tell more.
 */
import { printLine } from '../../../documents/print/lines.ts';
import { showHidden, shownName } from '../../../model/text/shown.ts';
import { counted, objectTitle } from '../../../model/text/titles.ts';
import { SourceError, type ToldEvent } from '../../../source/source.ts';
import { formatTimestamp } from '../../../text/terminal/age.ts';
import { type TextLine, textLine } from '../../../text/terminal/text-line.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE } from '../../runtime/errors.ts';
import { formatOf, isText, lineLook } from '../../runtime/format.ts';
import type { ClusterSession } from '../../session/session.ts';
import { knownTypes, type TargetWord } from '../../targets/targets.ts';

/** So many are printed, the newest. */
const MOST = 20;

/**
 * Undefined where nothing tells of it, or where a document is asked for: nothing is known of the object that one could
 * hold. `namespace` undefined: in all of them, where neither is asked.
 */
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
  // What others ask is no business of this user's journal.
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

/** Who may not read Events is told what is told without them. */
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
