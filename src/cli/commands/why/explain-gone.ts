/** `why` for a deleted object, from the journal and Events, without a recording or an audit log. */

import { objectTitle, type ResourceType } from '../../../model/index.ts';
import { SourceError, type ToldEvent } from '../../../source/index.ts';
import { type GoneTraces, goneObjectLines } from '../../../text/index.ts';
import { goneHistoryDocument } from '../../documents/findings/deletion-history.ts';
import { printDocument } from '../../documents/print/document.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE } from '../../runtime/errors.ts';
import { lineLook } from '../../runtime/format.ts';
import { formatOf, isDocument, isText } from '../../runtime/output-formats.ts';
import type { ClusterSession } from '../../session/session.ts';
import { knownTypes, type TargetWord } from '../../targets/targets.ts';

/** Without `namespace`, objects in all namespaces are meant, and neither source is asked. */
export interface GoneWord {
  readonly word: TargetWord;
  readonly namespace: string | undefined;
}

interface FoundTraces {
  readonly place: { readonly type: ResourceType; readonly namespace: string; readonly name: string };
  readonly title: string;
  readonly traces: GoneTraces;
}

/** Resolves with undefined if nothing is known. */
export async function tracesOfGone(
  { services, io }: TargetCommand,
  { source, view }: ClusterSession,
  { word, namespace }: GoneWord,
): Promise<FoundTraces | undefined> {
  const [type] = knownTypes(view.catalog, word.type) ?? [];
  const { name } = word;
  if (type === undefined || name === undefined || (type.namespaced && namespace === undefined))
    return undefined;
  const subject = { kind: type.kind, namespace: type.namespaced ? (namespace ?? '') : '', name };
  const place = { type, namespace: subject.namespace, name };
  // Other clients' questions don't get this user's journal.
  const isAlone = services.shared === undefined;
  const asked = isAlone ? services.tracesOfGone?.(io, { view, info: source.info }, place) : undefined;
  const { journal, byContext } = (await asked) ?? { journal: [], byContext: false };
  const events = await eventsOr(source.eventsOfGone?.(subject) ?? Promise.resolve([]));
  if (events.length === 0 && journal.length === 0) return undefined;
  return { place, title: objectTitle(subject), traces: { journal, byContext, events } };
}

/** Resolves with undefined if nothing is known, or the format can't show it. */
export async function whyWithoutRecording(
  command: TargetCommand,
  session: ClusterSession,
  target: GoneWord,
): Promise<number | undefined> {
  const format = formatOf('why', command.flags.output);
  if (!isText(format) && !isDocument(format)) return undefined;
  const found = await tracesOfGone(command, session, target);
  if (found === undefined) return undefined;
  const { title, place, traces } = found;
  const look = lineLook(command);
  await command.output.write(
    isDocument(format)
      ? printDocument(goneHistoryDocument(title, place, traces), format)
      : goneObjectLines(title, traces).map(line => printLine(line, look)),
  );
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
