/** Implements `why helm/NAME`: counts a Helm release's objects, and explains those that are being deleted. */
import { isDeleting } from '../../../graph/index.ts';
import { managerWords } from '../../../text/index.ts';
import { printsOf, type TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE } from '../../runtime/errors.ts';
import { formatOf, isDocument, isText } from '../../runtime/output-formats.ts';
import { readingFor } from '../../session/reading.ts';
import { Releases } from '../../session/releases.ts';
import { withSession } from '../../session/session.ts';
import { absentManifests, unseenManifests } from '../../targets/manifests.ts';
import { findTargets } from '../../targets/targets.ts';
import { completeAnswers, explainTargets } from './answers.ts';
import { printAnswersIn } from './print-why.ts';
import { dryRunOf } from './probe.ts';

/** Returns the name in `helm/web`, if that is the only target. */
export function releaseIn([target = '', ...more]: readonly string[]): string | undefined {
  return more.length > 0 ? undefined : /^helm\/([^/]+)$/u.exec(target)?.[1];
}

/** Texts explain only objects that are being deleted, documents all. */
export async function whyRelease(command: TargetCommand, name: string): Promise<number> {
  const { flags } = command;
  const inCluster = await Releases.storedInCluster(command, name);
  return withSession(command, async session => {
    if (flags.probe === true) dryRunOf(session.source);
    if (inCluster === undefined) await session.load(true);
    const { release } = inCluster ?? (await Releases.readStored(session, name, flags));
    const query = Releases.queryOf(release.objects);
    if (inCluster !== undefined) await session.load(true, readingFor(session, { query, flags }));
    const held = () => [...findTargets(session.view, query, release.namespace, 'skip')];
    const isAll = printsOf(command).some(each => !isText(formatOf('why', each.flags.output)));
    const answered = await session.answer(() =>
      explainTargets(session, () =>
        held().filter(({ object }) => isAll || (object !== undefined && isDeleting(object))),
      ),
    );
    session.holdStill(false);
    const answers = await completeAnswers(session, answered, flags.probe === true);
    const stuck = answers.filter(({ object }) => {
      const known = session.view.graph.get(object.uid)?.object;
      return known !== undefined && isDeleting(known);
    });
    const lead = managerWords.release(release, {
      held: held().map(({ identity }) => identity),
      deleting: stuck.length,
      absent: absentManifests(session.view, query.words, release.namespace),
      unseen: unseenManifests(session.view, query.words, release.namespace),
    });
    const { diagnosis, outlook } = answered;
    for (const each of printsOf(command)) {
      const format = formatOf('why', each.flags.output);
      if (!isDocument(format) && format !== 'name') await each.output.write(lead.map(line => `${line}\n`));
      await printAnswersIn(
        { command: each, session, diagnosis, outlook, format },
        isText(format) ? stuck : answers,
      );
    }
    return EXIT_DONE;
  });
}
