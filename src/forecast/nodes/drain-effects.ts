/** Decides the fate of each pod on drained nodes by the answers to the evictions (docs/forecast.md). */
import { type Identity, identityOfObject } from '../../graph/index.ts';
import {
  budgetRules,
  controllerOf,
  type Facts,
  type KubeObject,
  objectState,
  podFacts,
  prose,
  shownName,
  type Uid,
} from '../../model/index.ts';
import type { LoggedRequest } from '../../simulation/index.ts';
import type { Action, DrainAction } from '../action.ts';
import { drainVerdicts, isRefused } from '../drain-requests.ts';
import type { DrainEffects, DrainedPod, RecreatedObjects, Warning } from '../plan/forecast-result.ts';
import { type Run, type Stage, USER } from '../simulated-run.ts';

export interface DrainRun {
  readonly stage: Stage;
  readonly performed: Action;
  readonly run: Run;
  readonly recreated: readonly RecreatedObjects[];
}

export function drainEffects({ stage, performed, run, recreated }: DrainRun): DrainEffects | undefined {
  if (performed.verb !== 'drain') return undefined;
  const answers = new Map<Uid, LoggedRequest>();
  for (const each of run.log)
    if (each.actor === USER && each.verb === 'delete' && each.uid !== undefined) answers.set(each.uid, each);
  const budgets = new Budgets(stage, answers.values(), recreated);
  const refusedNodes: string[] = [];
  const pods = performed.targets.flatMap(node => {
    const verdicts = drainVerdicts(stage.view, node, performed);
    const refused = isRefused(verdicts);
    if (refused) refusedNodes.push(node.name);
    return verdicts.flatMap(({ pod, does, because }): DrainedPod | [] => {
      const common = { pod: identityOfObject(pod), node: node.name, budget: undefined, isContended: false };
      if (does === 'blocks') return { ...common, fate: 'Blocks', because };
      // Nothing happens to the others then.
      if (refused) return [];
      if (does === 'stays') return { ...common, fate: 'Stays', because };
      return { ...common, ...budgets.fateOf(pod, answers.get(pod.uid), performed) };
    });
  });
  return { pods, refusedNodes };
}

type Fate = Pick<DrainedPod, 'fate' | 'because'> & Partial<Pick<DrainedPod, 'budget' | 'isContended'>>;
type BudgetFacts = Extract<Facts, { readonly kind: 'PodDisruptionBudget' }>;

/** Decides by all evictions of a budget: if one is refused after others, which ones are first isn't certain. */
class Budgets {
  readonly #stage: Stage;
  readonly #recreated: readonly RecreatedObjects[];
  readonly #evictions: ReadonlyMap<Uid | undefined, readonly LoggedRequest[]>;
  readonly #isUnseen: boolean;

  constructor(stage: Stage, answers: Iterable<LoggedRequest>, recreated: readonly RecreatedObjects[]) {
    const { view } = stage;
    const type = view.catalog.preferredOf({ group: 'policy', resource: 'poddisruptionbudgets' });
    this.#stage = stage;
    this.#recreated = recreated;
    // Pods of several budgets are refused whatever these allow.
    const counted = [...answers].filter(({ status }) => status !== 500);
    this.#evictions = Map.groupBy(counted, ({ budget }) => budget?.uid);
    this.#isUnseen = type !== undefined && !view.seesAll(type);
  }

  fateOf(pod: KubeObject, answer: LoggedRequest | undefined, action: DrainAction): Fate {
    if (answer === undefined) return { fate: 'Refused', because: 'an earlier request was refused' };
    const { budget, status, before, objection } = answer;
    if (budget !== undefined) return this.#byBudget(budget, answer);
    if (objection !== undefined)
      return { fate: 'Refused', because: `refused by admission: ${objection.because}` };
    if (before === undefined && status < 400) return { fate: 'Evicted', because: 'being deleted already' };
    if (status >= 400) {
      const because = status === 403 ? 'its namespace is being deleted' : `the API server answers ${status}`;
      return { fate: 'Waits', because };
    }
    if (this.#isUnseen && !action.disableEviction && isGuarded(pod))
      return {
        fate: 'Waits',
        because: 'not all PodDisruptionBudgets can be seen, and one may refuse the eviction',
      };
    return { fate: 'Evicted', because: this.#losses(pod) };
  }

  #byBudget(budget: KubeObject, answer: LoggedRequest): Fate {
    const alike = this.#evictions.get(budget.uid) ?? [];
    const accepted = alike.filter(({ status }) => status < 400);
    const common = { budget: identityOfObject(budget) };
    const pod = answer.before ?? alike.find(({ uid }) => uid === answer.uid)?.before;
    const title = `PodDisruptionBudget ${shownName(budget.name)}`;
    if (answer.status === 500)
      return {
        ...common,
        fate: 'Refused',
        because: `${title} and another one select this pod, and the API server evicts no such pod`,
      };
    if (accepted.length === alike.length)
      return { ...common, fate: 'Evicted', because: pod === undefined ? '' : this.#losses(pod) };
    if (accepted.length === 0) return { ...common, ...refusal(title, budget) };
    const allowed = `${title} allows ${accepted.length} of these ${alike.length} evictions now`;
    return { ...common, isContended: true, ...this.#afterwards(allowed, accepted) };
  }

  /** Decides if the first evictions are made up for by pods elsewhere, so that the budget allows more. */
  #afterwards(allowed: string, accepted: readonly LoggedRequest[]): Fate {
    const pods = accepted.flatMap(({ before }) => before ?? []);
    const replaced = pods.map(pod => this.#replacement(pod));
    if (replaced.includes('placed'))
      return { fate: 'Waits', because: `${allowed}; each other one has to wait for a ready replacement` };
    if (replaced.includes('unknown'))
      return { fate: 'Waits', because: `${allowed}; if pods are replaced isn't known` };
    return replaced.includes('pending')
      ? { fate: 'Refused', because: `${allowed}, and no node takes the replacements` }
      : { fate: 'Refused', because: `${allowed}, and nothing replaces the evicted ones` };
  }

  #replacement(pod: KubeObject): 'placed' | 'pending' | 'unknown' | 'none' {
    const owner = controllerOf(pod);
    if (owner === undefined || this.#stage.base.byUid(owner.uid) === undefined) return 'none';
    const made = this.#recreated.filter(({ by, kind }) => by?.uid === owner.uid && kind === 'Pod');
    if (made.length === 0) return 'unknown';
    return made.some(({ count, pending }) => count > pending) ? 'placed' : 'pending';
  }

  #losses(pod: KubeObject): string {
    if (objectState.isFinished(pod)) return 'finished';
    const owner = controllerOf(pod);
    const isAlone = owner === undefined || this.#stage.base.byUid(owner.uid) === undefined;
    return [
      podFacts(pod)?.hasEmptyDir === true ? 'emptyDir data is lost' : '',
      isAlone ? 'nothing recreates it' : '',
    ]
      .filter(part => part !== '')
      .join('; ');
  }
}

/** Budgets count only pods that run and aren't being deleted. */
function isGuarded(pod: KubeObject): boolean {
  return (
    podFacts(pod)?.phase !== 'Pending' && !objectState.isFinished(pod) && pod.deletionTimestamp === undefined
  );
}

function refusal(title: string, { facts, generation }: KubeObject): Fate {
  const budget = facts as BudgetFacts;
  const { observedGeneration, desiredHealthy, currentHealthy, expectedPods } = budget;
  const failure = budget.conditions.find(({ reason }) => reason === 'SyncFailed');
  if (failure !== undefined)
    return {
      fate: 'Refused',
      because: `${title} allows no eviction while its pods can't be counted: ${prose(failure.message)}`,
    };
  if (observedGeneration < generation || expectedPods === 0)
    return {
      fate: 'Waits',
      because: `${title} allows no eviction until kube-controller-manager has counted its pods`,
    };
  const balance = budgetRules.balance(budget);
  if (desiredHealthy >= expectedPods)
    return {
      fate: 'Refused',
      because: `${title} wants all of its pods healthy and so never allows an eviction (${balance}): change it, or scale its workload up`,
    };
  const missing = desiredHealthy + 1 - currentHealthy;
  if (missing <= 0)
    return { fate: 'Waits', because: `${title} allows no eviction until earlier ones are over (${balance})` };
  return {
    fate: 'Waits',
    because: `${title} allows no eviction until ${missing} more of its pods ${missing === 1 ? 'is' : 'are'} ready (${balance})`,
  };
}

/** In seconds, of a pod that doesn't set it. */
const USUAL_GRACE = 30;

/** Warns if kubectl may give up before pods are gone: they wait, or may take longer to stop. */
export function drainTimeout(
  { base }: Stage,
  action: Action,
  drain: DrainEffects | undefined,
): Warning<'drainTimeout'>[] {
  if (action.verb !== 'drain' || action.timeout === 0 || drain === undefined) return [];
  const mayTakeLonger = ({ uid }: Identity): boolean => {
    const pod = base.byUid(uid);
    if (pod === undefined || objectState.isFinished(pod)) return false;
    const own = podFacts(pod)?.terminationGracePeriodSeconds ?? USUAL_GRACE;
    return (action.gracePeriodSeconds ?? own) * 1000 >= action.timeout;
  };
  const pods = drain.pods.flatMap(({ pod, fate }) => {
    const isOpen = fate === 'Waits' || fate === 'Refused' || (fate === 'Evicted' && mayTakeLonger(pod));
    return isOpen ? pod : [];
  });
  return pods.length === 0 ? [] : [{ code: 'drainTimeout', timeout: action.timeout, pods }];
}
