/** `why`: why an object is still there, survived, or will be deleted. */
import type { Diagnosis } from '../../../diagnosis/engine/diagnosis.ts';
import { explain } from '../../../diagnosis/explain/explain.ts';
import { prospectOf } from '../../../diagnosis/explain/prospect.ts';
import { speakersOf } from '../../../diagnosis/explain/statements.ts';
import { diagnosisDocument, printAnswers } from '../../../documents/findings/diagnosis.ts';
import { printDocument } from '../../../documents/print/document.ts';
import { byNamespaceAndKind } from '../../../documents/tree/selection.ts';
import type { ClusterView } from '../../../graph/cluster-view.ts';
import type { GraphNode } from '../../../graph/node.ts';
import { parseApiVersion } from '../../../model/types/resource-type.ts';
import { remedyCommand } from '../../../text/actions/remedy-command.ts';
import type { WhyAnswer, WhyTextOptions } from '../../../text/diagnosis/why.ts';
import { scopedName } from '../../../text/terminal/names.ts';
import { type DocumentFormat, formatOf, glyphsFor, isDocument, lineLook } from '../../output/format.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { say } from '../../runtime/say.ts';
import { diagnoseConfirmed, surroundingsOf } from '../../session/confirm.ts';
import { Outlook } from '../../session/diagnose.ts';
import { readingFor } from '../../session/reading.ts';
import { onSameCluster, sameSource } from '../../session/same-source.ts';
import { type ClusterSession, scopeOf, withSession } from '../../session/session.ts';
import { reservationLines } from '../../session/watch.ts';
import { nothingSelected } from '../../targets/known-scope.ts';
import {
  findTargets,
  notFoundError,
  parseTargets,
  type TargetQuery,
  type TargetWord,
} from '../../targets/targets.ts';
import { labelled } from './labels.ts';
import { ManagerReports } from './manager.ts';
import { dryRunOf, probe, probed } from './probe.ts';
import { Provenances } from './provenance.ts';
import { ObjectReads } from './reads.ts';
import { stated } from './statements.ts';

// Managed fields are asked for object by object: for a whole type that would be a request for each.
const MOST_ASKED = 20;

export function why(command: TargetCommand): Promise<number> {
  const { flags, targets } = command;
  const format = formatOf('why', flags.output);
  if (flags.watch === true)
    throw new UsageError('why answers once: leave --watch out, or use check --watch.');
  if (flags.auditLog !== undefined) return fromAuditLog(command, flags.auditLog);
  const query = parseTargets(targets, flags);
  if (query.words.length === 0)
    throw new UsageError('name what to explain: why TYPE/NAME, TYPE -l LABELS or TYPE --all.');
  return withSession(command, async session => {
    if (flags.probe === true) dryRunOf(session.source);
    await session.load(true, readingFor(session, { query, flags, unserved: true }));
    const namespace = scopeOf(flags, session.source, query);
    /** The exit code where it was told why the target is gone. */
    const answerUnlessGone = async <T>(make: () => Promise<T>): Promise<T | number> => {
      try {
        return await session.answer(make);
      } catch (error) {
        const told = error instanceof UsageError ? await gone(command, session, query) : undefined;
        if (told === undefined) throw error;
        return told;
      }
    };
    const targeted = (): GraphNode[] => [...whyTargets(session.view, query, namespace)];
    const answered = await answerUnlessGone(async () => {
      const diagnosis = await diagnoseConfirmed(session, {
        scope: surroundingsOf(session, targeted()),
        also: made => targeted().flatMap(node => explain(made, node).assumed),
        asked: true,
      });
      const nodes = targeted().sort(byNamespaceAndKind);
      const outlook = new Outlook(diagnosis, nodes.length <= MOST_ASKED ? 'few' : 'list');
      const plain = nodes.map(node => answer(diagnosis, outlook, node));
      // Who may say more is read with everything else.
      const speakers = plain.map(each => speakersOf(diagnosis.tracked, each));
      return { diagnosis, outlook, nodes, plain, speakers };
    });
    if (typeof answered === 'number') return answered;
    const { diagnosis, outlook, nodes } = answered;
    // From here on the view stands still: the whole answer is of one moment.
    session.holdStill(false);
    const exitCode = nodes.length === 0 ? nothingSelected(command, namespace) : EXIT_DONE;
    if (nodes.length === 0 && !isDocument(format)) return exitCode;
    const reads = new ObjectReads(session);
    const provenances = new Provenances(reads);
    const managers = new ManagerReports(session);
    const asked = nodes.length <= MOST_ASKED;
    const answers: WhyAnswer[] = [];
    for (const [index, plain] of answered.plain.entries()) {
      const node = nodes[index];
      if (node === undefined) continue;
      // First the whole objects: who set their finalizers is read from the same.
      const speakers = asked ? answered.speakers[index] : undefined;
      const told = speakers ? await stated(session, diagnosis, { reads, speakers }, plain) : plain;
      const reported = await managers.in(told);
      const known = asked
        ? await labelled(reads, { ...reported, chain: await provenances.of(reported.chain) })
        : reported;
      answers.push(
        flags.probe === true ? probed(known, await probe(session, diagnosis.tracked, node)) : known,
      );
    }
    await print({ command, session, diagnosis, outlook, format }, answers);
    // It is known from references alone, and a recording may have more.
    if (!isDocument(format) && format !== 'name' && nodes.every(({ virtual }) => virtual))
      await gone(command, session, query);
    return exitCode;
  });
}

async function fromAuditLog(command: TargetCommand, files: readonly string[]): Promise<number> {
  const { whyFromAuditLog } = await import('./audit.ts');
  return whyFromAuditLog(command, files);
}

/** What can be told of an object that is no longer there; undefined where nothing can. */
async function gone(
  command: TargetCommand,
  session: ClusterSession,
  query: TargetQuery,
): Promise<number | undefined> {
  const [word, ...more] = query.words;
  const { replay: file } = command.flags;
  if (word?.name === undefined || more.length > 0) return undefined;
  const namespace = scopeOf(command.flags, session.source, query);
  if (file === undefined) {
    const { whyFromEvents } = await import('./gone.ts');
    return whyFromEvents(command, session, { word, namespace });
  }
  const { whyFromRecording } = await import('./recorded.ts');
  return whyFromRecording(command, session, { file, word, namespace });
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
      await output.write(printAnswers(answers, optionsFor, lineLook(command)));
      say(io, reservationLines(session).join(''));
      return;
    }
    case 'name':
      return output.write(
        answers.map(({ object }) => `${scopedName(object, scopeOf(flags, session.source))}\n`),
      );
    case 'json':
    case 'yaml': {
      const basis = session.basis();
      const document = diagnosisDocument(basis, answers, {
        remediesOf: each => outlook.withEffects(each),
        fileLineOf: uid => session.source.fileLine?.(uid),
      });
      return output.write(printDocument(document, format));
    }
  }
}

/**
 * Unlike other commands, `why` also answers for an object that doesn't exist, as long as something still refers to it as
 * its owner. Throws a `UsageError` for what is neither there nor referred to.
 */
function whyTargets(
  view: ClusterView,
  query: TargetQuery,
  namespace: string | undefined,
): readonly GraphNode[] {
  if (query.words.every(({ name }) => name === undefined)) return [...findTargets(view, query, namespace)];
  const found = new Set<GraphNode>();
  const failures: string[] = [];
  for (const word of query.words) {
    try {
      const there = findTargets(view, { ...query, words: [word] }, namespace);
      for (const node of there.size > 0 ? there : ghosts(view, word, namespace)) found.add(node);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const referred = ghosts(view, word, namespace);
      for (const node of referred) found.add(node);
      if (referred.length === 0) failures.push(error.message);
    }
  }
  if (failures.length > 0) throw notFoundError(failures);
  return [...found];
}

/** Owners of this name that are known from references alone. */
function ghosts(
  view: ClusterView,
  { type: word, name }: TargetWord,
  namespace: string | undefined,
): GraphNode[] {
  if (name === undefined) return [];
  const resolved = view.catalog.resolveWord(word);
  // A kind that isn't served is called by its own name, with or without its group.
  const [unserved = ''] = word.toLowerCase().split('.');
  const found: GraphNode[] = [];
  for (const node of view.graph.nodes()) {
    const { apiVersion, kind, namespace: place } = node.identity;
    if (!node.virtual || node.identity.name !== name) continue;
    const { group } = parseApiVersion(apiVersion);
    const type = view.catalog.resolveKind(apiVersion, kind);
    const fits = resolved.known
      ? resolved.types.some(each => each.kind === kind && each.group === group)
      : [kind.toLowerCase(), `${kind.toLowerCase()}s`].includes(unserved);
    const here = type?.namespaced === false || namespace === undefined || place === namespace;
    if (fits && here) found.push(node);
  }
  return found;
}
