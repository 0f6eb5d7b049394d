/** Pods that a drain of their node can't evict, and what keeps them (pkg/registry/core/pod/storage/eviction.go, v1.36). */
import { requestWords } from '../../forecast/index.ts';
import {
  budgetRules,
  controllerKindOf,
  enumerated,
  isMirrorPod,
  type KubeObject,
  Labels,
  nodeFacts,
  objectState,
  objectTitle,
  podFacts,
  saidWords,
  type Taint,
  tolerationRules,
} from '../../model/index.ts';
import { evidenceOn, fieldEvidence } from '../engine/evidence.ts';
import {
  advice,
  type ChainLink,
  chainLink,
  type EvidenceLine,
  type OfferedRemedy,
} from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';

export interface KeptPod {
  readonly pod: KubeObject;
  /** Budgets that select it, or the pod itself if an annotation of its own keeps it. */
  readonly keepers: readonly KubeObject[];
  readonly by: 'budget' | 'several budgets' | 'annotation';
}

/** Titles to list. */
const NAMED = 3;

export function isCordoned(node: KubeObject): boolean {
  return nodeFacts(node)?.unschedulable === true;
}

/** Yields the pods that stay. A drain leaves alone those that tolerate one of its `taints`. */
export function* keptPods(
  tracked: TrackedView,
  node: KubeObject,
  taints: readonly Taint[] = [],
): Iterable<KeptPod> {
  const podType = tracked.type('v1', 'Pod');
  const budgetType = tracked.type('policy/v1', 'PodDisruptionBudget');
  if (podType === undefined) return;
  for (const each of tracked.view.podsOn(node.name)) {
    // Recorded one by one: an unschedulable node gets no new pods.
    const pod = tracked.find(podType, each.namespace, each.name);
    if (pod === undefined || !isEvictedByDrains(pod, taints)) continue;
    if (isHeldByAnnotation(pod, taints)) yield { pod, keepers: [pod], by: 'annotation' };
    else if (budgetType !== undefined) {
      const budgets = [...tracked.list(budgetType, pod.namespace)].filter(budget =>
        budgetRules.selects(budget, pod),
      );
      const [budget] = budgets;
      if (budgets.length > 1) yield { pod, keepers: budgets, by: 'several budgets' };
      else if (budget !== undefined && refuses(budget, pod)) yield { pod, keepers: [budget], by: 'budget' };
    }
  }
}

/** Drains leave the pods of DaemonSets and static pods; pods that don't run yet are evicted whatever a budget says. */
function isEvictedByDrains(pod: KubeObject, taints: readonly Taint[]): boolean {
  const facts = podFacts(pod);
  if (facts === undefined || pod.deletionTimestamp !== undefined || objectState.isFinished(pod)) return false;
  if (controllerKindOf(pod) === 'DaemonSet' || isMirrorPod(pod) || facts.phase === 'Pending') return false;
  return !taints.some(taint => tolerationRules.tolerates(facts.tolerations, taint));
}

const KARPENTER = 'karpenter.sh/';

/** Karpenter waits for such pods until its own grace period for the node is over. */
function isHeldByAnnotation({ annotations }: KubeObject, taints: readonly Taint[]): boolean {
  const isKarpenter = taints.some(({ key }) => key.startsWith(KARPENTER));
  return isKarpenter && Labels.value(annotations, `${KARPENTER}do-not-disrupt`) === 'true';
}

function refuses({ facts }: KubeObject, pod: KubeObject): boolean {
  if (facts?.kind !== 'PodDisruptionBudget' || facts.disruptionsAllowed > 0) return false;
  // The disruption controller hasn't counted its pods yet.
  if (facts.expectedPods === 0) return false;
  return isReady(pod) || !budgetRules.sparesUnready(facts);
}

function isReady(pod: KubeObject): boolean {
  const facts = podFacts(pod);
  return facts !== undefined && facts.containers > 0 && facts.readyContainers === facts.containers;
}

/** Builds the last step of a chain that ends at a kept pod. */
export function keeperLink(tracked: TrackedView, { pod, keepers, by }: KeptPod): ChainLink {
  const [keeper = pod] = keepers;
  return chainLink(keeper, 'kept by', reasons[by](tracked, pod, keepers));
}

type Reason = (tracked: TrackedView, pod: KubeObject, keepers: readonly KubeObject[]) => string;

const reasons: Readonly<Record<KeptPod['by'], Reason>> = {
  budget: (tracked, pod, [budget = pod]) =>
    `allows no eviction of ${objectTitle(pod)}: ${balance(budget)}${missingOnes(tracked, budget, pod)}`,
  'several budgets': (_, pod, [, ...others]) =>
    `selects ${objectTitle(pod)} together with ${titles(others)}: the API server evicts no pod of several budgets`,
  annotation: () => `has the annotation ${KARPENTER}do-not-disrupt, so Karpenter doesn't evict it`,
};

function balance({ facts }: KubeObject): string {
  return facts?.kind === 'PodDisruptionBudget' ? budgetRules.balance(facts) : '';
}

function missingOnes(tracked: TrackedView, budget: KubeObject, pod: KubeObject): string {
  const others = unready(tracked, budget, pod).slice(0, NAMED);
  return others.map(each => `; ${objectTitle(each)} ${stateOf(each).words}`).join('');
}

/** Lists the budget's other pods that aren't ready. */
function unready(tracked: TrackedView, budget: KubeObject, pod: KubeObject): readonly KubeObject[] {
  const all = [...tracked.list(pod.type, pod.namespace)];
  return all.filter(
    each =>
      each.uid !== pod.uid &&
      !objectState.isFinished(each) &&
      !isReady(each) &&
      budgetRules.selects(budget, each),
  );
}

/** Characters of the scheduler's message. */
const QUOTED = 160;

function stateOf(pod: KubeObject): { readonly words: string; readonly because: string } {
  const { conditions = [], containerReason = '', nodeName = '' } = podFacts(pod) ?? {};
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  if (nodeName !== '' || scheduled?.status !== 'False')
    return { words: "isn't ready", because: containerReason };
  const said = saidWords.shortened(scheduled.message || scheduled.reason, QUOTED);
  return { words: "can't be scheduled", because: said.replace(/\.$/u, '') };
}

/** Advises on what lets the pods be evicted: first what loses nothing. */
export function keptAdvice(tracked: TrackedView, kept: readonly KeptPod[]): OfferedRemedy[] {
  return kept
    .flatMap(each => remedies[each.by](tracked, each))
    .filter(({ title }, index, all) => index === all.findIndex(each => each.title === title));
}

type RemediesOf = (tracked: TrackedView, kept: KeptPod) => OfferedRemedy[];

const remedies: Readonly<Record<KeptPod['by'], RemediesOf>> = {
  budget: (tracked, { pod, keepers: [budget = pod] }) => {
    const missing = unready(tracked, budget, pod).slice(0, NAMED);
    const ready = missing.map(each => {
      const { words, because } = stateOf(each);
      return `${objectTitle(each)}, which ${words}${because === '' ? '' : ` (${because})`}`;
    });
    const title = objectTitle(budget);
    const { facts } = budget;
    const wantsAll = facts?.kind === 'PodDisruptionBudget' && facts.desiredHealthy >= facts.expectedPods;
    return [
      ...(missing.length === 0 || wantsAll
        ? []
        : [advice('wait-for-replicas', `get ${enumerated(ready)}, ready: then ${title} allows an eviction`)]),
      edit(
        tracked,
        budget,
        wantsAll
          ? `change ${title}, which wants all of its pods healthy and so never allows an eviction; if it wants a number of pods, scaling their workload up is enough`
          : `loosen ${title} until ${pod.name} is evicted`,
      ),
    ];
  },
  'several budgets': (tracked, { pod, keepers: [budget = pod, ...others] }) => [
    edit(
      tracked,
      budget,
      `let only one budget select ${objectTitle(pod)}: ${titles([budget, ...others])} do`,
    ),
  ],
  annotation: (tracked, { pod }) => [
    {
      ...advice(
        `allow-disruption/${pod.name}`,
        `remove the annotation ${KARPENTER}do-not-disrupt from ${objectTitle(pod)} once it may be interrupted`,
        'caution',
      ),
      kubectl: [
        {
          words: [
            'kubectl',
            'annotate',
            ...requestWords.onObject(tracked.view.catalog, pod),
            `${KARPENTER}do-not-disrupt-`,
          ],
        },
      ],
    },
  ],
};

function edit(tracked: TrackedView, budget: KubeObject, title: string): OfferedRemedy {
  return {
    ...advice('loosen-budget', title, 'caution'),
    kubectl: [{ words: ['kubectl', 'edit', ...requestWords.onObject(tracked.view.catalog, budget)] }],
  };
}

export function keeperEvidence({ keepers, by }: KeptPod): EvidenceLine[] {
  if (by !== 'budget') return [];
  return keepers.flatMap(budget => {
    const { facts } = budget;
    if (facts?.kind !== 'PodDisruptionBudget') return [];
    return evidenceOn(
      budget,
      fieldEvidence(budget, 'status.disruptionsAllowed', facts.disruptionsAllowed),
      balance(budget),
    );
  });
}

export function titles(objects: readonly KubeObject[]): string {
  return enumerated(objects.map(objectTitle), NAMED);
}
