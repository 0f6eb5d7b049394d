/** `activity`: deletions under way and, with `--watch`, changes of ownership and deletion. */
import { Activity } from '../../../activity/index.ts';
import { RecordingFile } from '../../../source/index.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { formatOf } from '../../runtime/output-formats.ts';
import { say } from '../../runtime/say.ts';
import { requireKnownScope } from '../../session/known-scope.ts';
import { readingFor } from '../../session/reading.ts';
import { RecordedActivity } from '../../session/recorded-activity.ts';
import { scopeOf, withSession } from '../../session/session.ts';
import { refuseWatch, reservationLines, Watch } from '../../session/watch.ts';
import { parseTargets } from '../../targets/targets.ts';
import { activityFilter, kindsOf } from './activity-scope.ts';
import { ActivityPrinter } from './printer.ts';

/** Interval for checks of what time alone changes, such as held objects. */
const TICK_MILLISECONDS = 1_000;

export async function activity(command: TargetCommand): Promise<number> {
  const { flags, io, targets } = command;
  if (flags.from !== undefined) return (await import('./served.ts')).servedActivity(command, flags.from);
  if (flags.since !== undefined)
    throw new UsageError('--since is about a history: name its server with --from.');
  const query = parseTargets(targets, flags);
  const format = formatOf('activity', flags.output);
  const kinds = kindsOf(flags.what);
  const file = flags.watch === true ? flags.replay : undefined;
  if (file === undefined) refuseWatch(flags);
  return withSession(command, async session => {
    await session.load(true, readingFor(session, { query, flags }));
    const namespace = scopeOf(flags, session.source, query);
    await session.answer(() => requireKnownScope(session, namespace));
    const filter = { ...activityFilter(session.view, query, namespace), kinds };
    const printer = new ActivityPrinter({ command, session, format, filter, namespace });
    if (file !== undefined) {
      say(io, reservationLines(session).join(''));
      return printRecorded(printer, file, flags.at === undefined ? undefined : session.now());
    }
    const pending = session.holdStill(flags.watch === true);
    const follows = new Activity(session.view);
    await printer.begin(follows.begin(session.view.followedUntil(session.now())));
    say(io, reservationLines(session).join(''));
    if (flags.watch !== true) return EXIT_DONE;
    const watched = new Watch(session, io, pending, format === 'text');
    for (;;) {
      const batches = await watched.next(TICK_MILLISECONDS);
      for (const batch of batches) {
        follows.offer(batch.changes, watched.arrivedAt(batch));
        session.view.apply(batch, session.now());
      }
      const told = follows.take(session.now());
      watched.report();
      await printer.add(told, entry => follows.isSettled(entry));
    }
  });
}

const STRETCH_MILLISECONDS = 60_000;

async function printRecorded(
  printer: ActivityPrinter,
  name: string,
  after: number | undefined,
): Promise<number> {
  const file = new RecordingFile(name);
  try {
    // Objects in the first list weren't created then.
    const from = Math.max(file.listedAt(), after ?? file.from);
    const recorded = new RecordedActivity(file, from);
    await printer.begin(recorded.begin());
    for (let at = from; at < file.to; ) {
      at = Math.min(file.to, at + STRETCH_MILLISECONDS);
      await printer.add(recorded.proceed(at), entry => at === file.to || recorded.isSettled(entry));
    }
    return EXIT_DONE;
  } finally {
    file.close();
  }
}
