/**
 * One verdict on each object that is being deleted: whoever speaks of it (the headline, each finding, the chain, what happens
 * next, the remedies' effects, the plan, the table of policies) says that it ends by itself, or that it doesn't, and all
 * say the same.
 */
import { explain } from '../../../src/diagnosis/explain/explanation.ts';
import { prospectOf } from '../../../src/diagnosis/explain/prospect.ts';
import { remedyEffects } from '../../../src/diagnosis/offers/remedy-effects.ts';
import { Cascade } from '../../../src/forecast/action.ts';
import type { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import type { GraphNode } from '../../../src/graph/node.ts';
import type { KubeObject, Uid } from '../../../src/model/object.ts';
import { policyWords } from '../../../src/text/actions/policies.ts';
import { arrive, nameIn, type TruthState, type Violation } from './state.ts';

type Says = 'goes' | 'stays';

interface Voice {
  readonly who: string;
  readonly says: Says;
  readonly words: string;
}

/** Milliseconds after the last step: while something may still be going on, and when a minute's patience is over. */
const moments = [0, 20_000, 70_000];

export async function* disagreeingBefore({ scenario }: TruthState): AsyncIterableIterator<Violation> {
  for (const moment of moments)
    for (const { rule, what } of disagreeing(await arrive(scenario, moment)))
      yield { rule, what: `after ${moment / 1000} s: ${what}` };
}

export function* disagreeing(state: TruthState): IterableIterator<Violation> {
  for (const node of state.view.graph.nodes()) {
    const { object } = node;
    if (object?.deletionTimestamp === undefined) continue;
    const voices = [...voicesOn(state, node, object)];
    const [plan] = voices;
    const name = nameIn(state, object.uid);
    if (plan === undefined) {
      if (!isOpen(state.calm, object.uid))
        yield { rule: 'told', what: `the plan says nothing of ${name}, which is being deleted` };
      continue;
    }
    for (const voice of voices)
      if (voice.says !== plan.says)
        yield {
          rule: 'one verdict',
          what: `${name}: ${plan.who} says that it ${plan.says} (${plan.words}), ${voice.who} that it ${voice.says}: ${voice.words}`,
        };
    yield* differentReasons(state, node, plan);
    yield* wrongTables(state, object);
  }
}

function isOpen({ timingDependent }: Forecast, uid: Uid): boolean {
  return timingDependent.some(({ object }) => object.uid === uid);
}

/** The plan's voice first; none where it depends on the order of work. */
function* voicesOn(state: TruthState, node: GraphNode, object: KubeObject): IterableIterator<Voice> {
  const { calm, diagnosis, forecaster, restarted } = state;
  const { uid } = object;
  const fate = fateOf(calm, uid);
  if (fate === undefined) return;
  yield { who: 'the plan', ...fate };
  const explanation = explain(diagnosis, node);
  const sentences: [string, string][] = [
    ['the headline', explanation.summary],
    ...diagnosis.of(uid).map(({ code, message }): [string, string] => [code, message]),
    ...explanation.chain
      .filter(link => link.object.uid === uid)
      .map((link): [string, string] => ['the chain', link.because]),
  ];
  for (const [who, words] of sentences) {
    const says = inWords(words);
    if (says !== undefined) yield { who, says, words };
  }
  for (const { code, message, severity } of diagnosis.of(uid))
    if (severity !== 'info' && holding.has(code)) yield { who: code, says: 'stays', words: message };
  const prospects = { ifNobodyActs: () => calm, afterRestart: () => restarted };
  for (const words of prospectOf(diagnosis.tracked, node, prospects))
    yield {
      who: 'what happens next',
      says: / is deleted(?: by [\w-]+: |\.$)/u.test(words) ? 'goes' : 'stays',
      words,
    };
  for (const { id, effect } of remedyEffects.added(forecaster, object, explanation.remedies()))
    if (effect.includes('as it would be anyway'))
      yield { who: `the effect of ${id}`, says: 'goes', words: effect };
}

function fateOf(forecast: Forecast, uid: Uid): Pick<Voice, 'says' | 'words'> | undefined {
  const gone = forecast.deleted.find(({ object }) => object.uid === uid);
  if (gone !== undefined) return { says: 'goes', words: `${gone.by}: ${gone.reason}` };
  const held = forecast.terminating.find(({ object }) => object.uid === uid);
  return held && { says: 'stays', words: held.waitingFor.join('; ') };
}

/** What a sentence says of the end; undefined where it leaves that open. */
function inWords(words: string): Says | undefined {
  if (/is stuck|stays as it is|should have (?:finished|removed|deleted)|never (?:goes|deleted)/u.test(words))
    return 'stays';
  return /goes by itself|removes it next|is deleted next|can be discovered now/u.test(words)
    ? 'goes'
    : undefined;
}

/** Findings, as warnings or errors, that something which should be gone is not going. */
const holding: ReadonlySet<string> = new Set([
  'ForegroundBlockedByFinalizer',
  'ForegroundBlockedByUnresolvableOwner',
  'ForegroundBlockedByClusterScopedDependent',
  'SelfOwnerDeadlock',
  'ForegroundCycleDeadlock',
  'PodVolumeDeadlock',
  'ForegroundStale',
  'OrphanPending',
  'FinalizerWithoutController',
  'TerminatingHeldByFinalizer',
  'PodHeldByFinalizer',
  'LoadBalancerCleanupPending',
  'NamespaceContentStuck',
  'NamespaceHeldByOwnFinalizer',
  'ForceDeletedPodKeptByForeground',
]);

/** The chain ends at something that the plan names as what it waits for. */
function* differentReasons(state: TruthState, node: GraphNode, plan: Voice): IterableIterator<Violation> {
  if (plan.says !== 'stays') return;
  const { chain } = explain(state.diagnosis, node);
  const leaf = chain.at(-1);
  if (leaf === undefined || leaf.finalizer === undefined) return;
  if (plan.words.includes(leaf.finalizer)) return;
  yield {
    rule: 'one reason',
    what: `${nameIn(state, node.identity.uid)}: the chain ends at ${leaf.finalizer}, and the plan waits for ${plan.words}`,
  };
}

/** What the table of policies says of the object itself is what each policy's own forecast says. */
function* wrongTables(state: TruthState, target: KubeObject): IterableIterator<Violation> {
  const forecasts = Object.fromEntries(
    Cascade.all.map(cascade => [
      cascade,
      state.forecaster.forecast({ verb: 'delete', cascade, targets: [target] }),
    ]),
  ) as Record<Cascade, Forecast>;
  const lines = [...policyWords.lines(forecasts, { all: true, width: undefined })].map(({ spans }) =>
    spans.map(({ text }) => text),
  );
  const row = lines.find(spans => spans.length === Cascade.all.length + 1)?.slice(1) ?? [];
  const wanted = Cascade.all.map(cascade => cellOf(forecasts[cascade], target.uid));
  const found = row.map(cell => cell.trim());
  if (found.join() !== wanted.join())
    yield {
      rule: 'table',
      what: `${nameIn(state, target.uid)}: the table says ${found.join(', ')}; the forecasts ${wanted.join(', ')}`,
    };
}

function cellOf(forecast: Forecast, uid: Uid): string {
  if (isOpen(forecast, uid)) return 'uncertain';
  const fate = fateOf(forecast, uid)?.says;
  return fate === 'goes' ? 'deleted' : fate === 'stays' ? 'held' : 'stays';
}
