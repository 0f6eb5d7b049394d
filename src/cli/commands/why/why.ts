/** `why`: why an object is still here, survived, or will go. */

import type { Diagnosis } from '../../../diagnosis/engine/diagnosis.ts';
import { explain } from '../../../diagnosis/explain/explain.ts';
import { prospectOf } from '../../../diagnosis/explain/prospect.ts';
import { basisOf } from '../../../documents/basis.ts';
import { diagnosisDocument, printAnswers } from '../../../documents/findings/diagnosis.ts';
import { printDocumentJson, printDocumentYaml } from '../../../documents/plan/print.ts';
import { byName } from '../../../documents/tree/selection.ts';
import type { GraphNode } from '../../../graph/node.ts';
import { remedyCommand } from '../../../text/actions/remedy-command.ts';
import type { WhyAnswer, WhyTextOptions } from '../../../text/diagnosis/why.ts';
import { scopedName } from '../../../text/terminal/names.ts';
import { glyphsFor, useColour } from '../../output/appearance.ts';
import { nothingSelected } from '../../output/empty.ts';
import { type DocumentFormat, whyFormat } from '../../output/format.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { say } from '../../runtime/say.ts';
import { Outlook } from '../../session/diagnose.ts';
import { onSameCluster, sameSource } from '../../session/same-source.ts';
import { type ClusterSession, openSession, scopeOf } from '../../session/session.ts';
import { parseTargets } from '../../targets/targets.ts';
import { diagnoseConfirmed, surroundingsOf } from '../actions/confirm.ts';
import { reservationLines } from '../tree/run.ts';
import { dryRunOf, probe, probed } from './probe.ts';
import { Provenances } from './provenance.ts';
import { whyTargets } from './targets.ts';

// Managed fields are asked for object by object: for a whole type that would be a request for each.
const MOST_ASKED = 20;

export async function why(command: TargetCommand): Promise<number> {
  const { flags, io, services, targets } = command;
  const format = whyFormat(flags.output);
  if (flags.watch === true)
    throw new UsageError('why answers once: leave --watch out, or use check --watch.');
  const query = parseTargets(targets, flags);
  if (query.words.length === 0)
    throw new UsageError('name what to explain: why TYPE/NAME, TYPE -l LABELS or TYPE --all.');
  const session = await openSession(flags, io, services);
  try {
    if (flags.probe === true) dryRunOf(session.source);
    await session.load(true);
    const targeted = (): GraphNode[] => [...whyTargets(session.view, query, scopeOf(flags, session.source))];
    const diagnosis = await diagnoseConfirmed(session, {
      scope: surroundingsOf(session, targeted()),
      also: made => targeted().flatMap(node => explain(made, node).assumed),
    });
    // From here on the view stands still: what is told of it rests on one moment.
    session.holdStill(false);
    const nodes = targeted().sort(byName);
    const isDocument = format === 'json' || format === 'yaml';
    const namespace = scopeOf(flags, session.source);
    const exitCode = nodes.length === 0 ? nothingSelected({ flags, io, namespace, isDocument }) : EXIT_DONE;
    if (nodes.length === 0 && !isDocument) return exitCode;
    const outlook = new Outlook(diagnosis, nodes.length <= MOST_ASKED ? 'few' : 'list');
    const provenances = new Provenances(session);
    const asked = nodes.length <= MOST_ASKED;
    const answers: WhyAnswer[] = [];
    for (const node of nodes) {
      const plain = answer(diagnosis, outlook, node);
      const told = asked ? { ...plain, chain: await provenances.of(plain.chain) } : plain;
      answers.push(flags.probe === true ? probed(told, await probe(session, diagnosis.tracked, node)) : told);
    }
    await print({ command, session, diagnosis, outlook, format }, answers);
    return exitCode;
  } finally {
    await session.close();
  }
}

function answer(diagnosis: Diagnosis, outlook: Outlook, node: GraphNode): WhyAnswer {
  const { remedies, next, ...explained } = explain(diagnosis, node);
  return {
    ...explained,
    object: node.identity,
    next: next === undefined ? prospectOf(diagnosis.tracked, node, outlook) : [next],
    remedies: outlook.effectsOn(node.identity.uid, remedies()),
  };
}

interface WhyRun {
  readonly command: TargetCommand;
  readonly session: ClusterSession;
  readonly diagnosis: Diagnosis;
  readonly outlook: Outlook;
  readonly format: DocumentFormat;
}

async function print(run: WhyRun, answers: readonly WhyAnswer[]): Promise<void> {
  const { command, session, diagnosis, outlook, format } = run;
  const { io, flags, output } = command;
  switch (format) {
    case 'text':
    case 'wide': {
      const optionsFor = ({ object }: WhyAnswer): WhyTextOptions => ({
        wide: format === 'wide',
        width: io.columns(),
        glyphs: glyphsFor(flags),
        now: diagnosis.tracked.now,
        command: ({ id }) => remedyCommand(session.view.catalog, object, id, sameSource(flags, 'acts')),
        kubectl: commands => onSameCluster(commands, flags),
      });
      const look = { colour: useColour(flags, io), ascii: flags.ascii === true, width: io.columns() };
      await output.write(printAnswers(answers, optionsFor, look));
      say(io, reservationLines(session).join(''));
      return;
    }
    case 'name':
      return output.write(
        answers.map(({ object }) => `${scopedName(object, scopeOf(flags, session.source))}\n`),
      );
    case 'json':
    case 'yaml': {
      const basis = basisOf(session.source.info, session.view, session.now());
      const document = diagnosisDocument(basis, answers, {
        remediesOf: each => outlook.withEffects(each),
        fileLineOf: uid => session.source.fileLine?.(uid),
      });
      return output.write(format === 'json' ? printDocumentJson(document) : printDocumentYaml(document));
    }
  }
}
