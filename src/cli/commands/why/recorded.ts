/** `why --replay` for an object that is gone: its recorded deletion and what followed. */
import { type ActivityEntry, type SeenDeletion, seenDeletion } from '../../../activity/index.ts';
import { shownName } from '../../../model/index.ts';
import { livesIn, type RecordedLife, RecordingFile } from '../../../source/index.ts';
import { recordedWords, timeText } from '../../../text/index.ts';
import { recordedDeletionDocument } from '../../documents/findings/deletion-history.ts';
import { printDocument } from '../../documents/print/document.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { lineLook } from '../../runtime/format.ts';
import { formatOf, isDocument } from '../../runtime/output-formats.ts';
import { say } from '../../runtime/say.ts';
import { RecordedActivity } from '../../session/recorded-activity.ts';
import type { ClusterSession } from '../../session/session.ts';
import { knownTypes, type TargetWord } from '../../targets/targets.ts';

/** Time for causes before the deletion, such as an owner's. */
const BEFORE_MILLISECONDS = 60_000;
/** Time for consequences, most of which take seconds. */
const AFTER_MILLISECONDS = 600_000;

export interface GoneTarget {
  readonly file: string;
  readonly word: TargetWord;
  readonly namespace: string | undefined;
}

export async function whyFromRecording(
  command: TargetCommand,
  session: ClusterSession,
  target: GoneTarget,
): Promise<number | undefined> {
  const format = formatOf('why', command.flags.output);
  const file = new RecordingFile(target.file);
  const until = session.now();
  const seen = deletionsIn(file, session, target);
  const asked = seen.length === 0 ? [] : requestsIn(file, seen, until);
  file.close();
  if (seen.length === 0) return undefined;
  if (format === 'name' || format === 'markdown')
    throw new UsageError('for a deleted object, why prints only text, json or yaml.');
  if (isDocument(format)) {
    const { from, cutOff, name } = file;
    const told = { file: name, from: timeText.timestamp(from), to: timeText.timestamp(until), cutOff };
    await command.output.write(printDocument(recordedDeletionDocument(seen, told), format));
    return EXIT_DONE;
  }
  const look = lineLook(command);
  await command.output.write(
    seen.flatMap((each, index) => [
      ...(index === 0 ? [] : ['\n']),
      ...recordedWords.lines(each).map(line => printLine(line, look)),
    ]),
  );
  if (asked.length > 0) say(command.io, `Requests that came before it: ${asked.join(', ')}.\n`);
  else
    say(
      command.io,
      "Who made a request isn't in a recording: it was concluded from what the objects went through. An API server's audit log tells it: why TYPE/NAME --audit-log FILE.\n",
    );
  return EXIT_DONE;
}

/** Returns reviewed requests for the objects, which only `serve --history` records. */
function requestsIn(file: RecordingFile, seen: readonly SeenDeletion[], until: number): readonly string[] {
  const uids = new Set(seen.map(({ object }) => object.uid));
  const found: string[] = [];
  file.proceed(
    file.stateAt(file.from),
    file.from,
    until,
    () => {},
    ({ uid, user, verb, at }) => {
      if (uids.has(uid)) found.push(`${verb} by ${shownName(user)} at ${timeText.instant(at)}`);
    },
  );
  return found;
}

function deletionsIn(
  file: RecordingFile,
  session: ClusterSession,
  { word, namespace }: GoneTarget,
): readonly SeenDeletion[] {
  const types = knownTypes(session.view.catalog, word.type) ?? [];
  const lives = livesIn(
    file,
    session.now(),
    ({ type, namespace: place, name }) =>
      name === word.name &&
      (!type.namespaced || namespace === undefined || place === namespace) &&
      types.some(({ group, kind }) => group === type.group && kind === type.kind),
  );
  return lives.flatMap(life =>
    life.goneAt === undefined ? [] : [seenDeletionOf(file, life, life.goneAt, session.now())],
  );
}

function seenDeletionOf(
  file: RecordingFile,
  life: RecordedLife,
  goneAt: number,
  until: number,
): SeenDeletion {
  // Objects in the first list weren't created then.
  const listed = Math.max(file.listedAt(), (life.markedAt ?? goneAt) - BEFORE_MILLISECONDS);
  const from = Math.min(listed, (life.markedAt ?? goneAt) - 1);
  const to = Math.min(until, goneAt + AFTER_MILLISECONDS);
  return seenDeletion(life.object, goneAt, entriesBetween(file, from, to));
}

function entriesBetween(file: RecordingFile, from: number, to: number): readonly ActivityEntry[] {
  const recorded = new RecordedActivity(file, from);
  return [...new Set([...recorded.begin(), ...recorded.proceed(to)])];
}
