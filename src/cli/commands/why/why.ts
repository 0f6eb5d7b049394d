/** `why`: explains why an object exists, survived, or will be deleted. */
import type { ClusterView, GraphNode } from '../../../graph/index.ts';
import { parseApiVersion } from '../../../model/index.ts';
import type { GoneTraces } from '../../../text/index.ts';
import { printsOf, type TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { formatOf, isDocument, isText } from '../../runtime/output-formats.ts';
import { nothingSelected } from '../../session/known-scope.ts';
import { readingFor } from '../../session/reading.ts';
import { type ClusterSession, scopeOf, withSession } from '../../session/session.ts';
import {
  findTargets,
  notFoundError,
  parseTargets,
  type TargetQuery,
  type TargetWord,
} from '../../targets/targets.ts';
import { completeAnswers, explainTargets } from './answers.ts';
import type { GoneWord } from './explain-gone.ts';
import { printAnswersIn } from './print-why.ts';
import { dryRunOf } from './probe.ts';
import { releaseIn, whyRelease } from './release.ts';
import { survivorLead, survivorNodes } from './survivors.ts';

export function why(command: TargetCommand): Promise<number> {
  const { flags, targets } = command;
  const format = formatOf('why', flags.output);
  if (flags.watch === true)
    throw new UsageError('why answers once: leave --watch out, or use check --watch.');
  if (flags.auditLog !== undefined) return fromAuditLog(command, flags.auditLog);
  const release = releaseIn(targets);
  if (release !== undefined) return whyRelease(command, release);
  const query = parseTargets(targets, flags);
  if (query.words.length === 0)
    throw new UsageError('name what to explain: why TYPE/NAME, TYPE -l LABELS or TYPE --all.');
  return withSession(command, async session => {
    if (flags.probe === true) dryRunOf(session.source);
    await session.load(true, readingFor(session, { query, flags, unserved: true }));
    const namespace = scopeOf(flags, session.source, query);
    const answerUnlessGone = async <T>(make: () => Promise<T>): Promise<T | number> => {
      try {
        return await session.answer(make);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        const [told] = await goneIn(command, session, query);
        if (told === undefined) throw error;
        return told;
      }
    };
    const targeted = (): GraphNode[] => [...whyTargets(session.view, query, namespace)];
    const answered = await answerUnlessGone(() => explainTargets(session, targeted));
    if (typeof answered === 'number') return answered;
    const { diagnosis, outlook, nodes } = answered;
    // The view is frozen, so that the whole answer is of one moment.
    session.holdStill(false);
    const exitCode = nodes.length === 0 ? nothingSelected(command, namespace) : EXIT_DONE;
    if (nodes.length === 0 && !isDocument(format)) return exitCode;
    const answers = await completeAnswers(session, answered, flags.probe === true);
    const lead = leadOf(session.view, query, nodes);
    // It is known from references or survivors alone, and a recording may have more.
    const isGone = lead !== undefined || nodes.every(({ virtual }) => virtual);
    for (const each of printsOf(command)) {
      const as = formatOf('why', each.flags.output);
      const traces = isDocument(as) && isGone ? await tracesIn(each, session, query) : undefined;
      const run = { command: each, session, diagnosis, outlook, format: as, traces };
      if (lead !== undefined && isText(as)) await each.output.write(lead);
      await printAnswersIn(run, lead !== undefined && isText(as) ? answers.slice(0, 1) : answers);
      if (!isDocument(as) && as !== 'name' && isGone) await gone(each, session, query);
    }
    return exitCode;
  });
}

async function fromAuditLog(command: TargetCommand, files: readonly string[]): Promise<number> {
  const { whyFromAuditLog } = await import('./audit.ts');
  return whyFromAuditLog(command, files);
}

async function goneIn(
  command: TargetCommand,
  session: ClusterSession,
  query: TargetQuery,
): Promise<readonly (number | undefined)[]> {
  const told: (number | undefined)[] = [];
  for (const each of printsOf(command)) told.push(await gone(each, session, query));
  return told;
}

async function gone(
  command: TargetCommand,
  session: ClusterSession,
  query: TargetQuery,
): Promise<number | undefined> {
  const target = goneWord(command, session, query);
  if (target === undefined) return undefined;
  const { replay: file } = command.flags;
  if (file === undefined) {
    const { whyWithoutRecording } = await import('./explain-gone.ts');
    return whyWithoutRecording(command, session, target);
  }
  const { whyFromRecording } = await import('./recorded.ts');
  return whyFromRecording(command, session, { file, ...target });
}

/** Finds the traces of targets that are known from references alone, for documents. */
async function tracesIn(
  command: TargetCommand,
  session: ClusterSession,
  query: TargetQuery,
): Promise<GoneTraces | undefined> {
  const target = goneWord(command, session, query);
  if (target === undefined || command.flags.replay !== undefined) return undefined;
  const { tracesOfGone } = await import('./explain-gone.ts');
  return (await tracesOfGone(command, session, target))?.traces;
}

/** Undefined unless exactly one object is named. */
function goneWord(
  { flags }: TargetCommand,
  { source }: ClusterSession,
  query: TargetQuery,
): GoneWord | undefined {
  const [word, ...more] = query.words;
  if (word?.name === undefined || more.length > 0) return undefined;
  return { word, namespace: scopeOf(flags, source, query) };
}

/** Includes absent owners that objects still refer to. Throws a `UsageError` for a name without either. */
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
      const known = referred.length > 0 ? referred : survivorNodes(view, word, namespace);
      for (const node of known) found.add(node);
      if (known.length === 0) failures.push(error.message);
    }
  }
  if (failures.length > 0) throw notFoundError(failures);
  return [...found];
}

/** Returns what to print before the answers if those are survivors of the one object that is named. */
function leadOf(view: ClusterView, { words }: TargetQuery, nodes: readonly GraphNode[]): string | undefined {
  const [word, ...more] = words;
  if (word?.name === undefined || more.length > 0) return undefined;
  if (nodes.some(({ virtual, identity }) => virtual || identity.name === word.name)) return undefined;
  return survivorLead(view, word, nodes);
}

function ghosts(
  view: ClusterView,
  { type: word, name }: TargetWord,
  namespace: string | undefined,
): GraphNode[] {
  if (name === undefined) return [];
  const resolved = view.catalog.resolveWord(word);
  // An unserved kind is matched by its own name, with or without its group.
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
