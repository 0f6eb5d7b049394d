/**
 * Scales the current ReplicaSet up and the others down (pkg/controller/deployment, v1.36; docs/kubernetes.md §9). The
 * current one is inferred, RollingUpdate with 25 % surge and 25 % unavailable is assumed, and old ReplicaSets stay,
 * because the history limit is unknown.
 */
import {
  type KubeObject,
  type Labels,
  labelRules,
  type Uid,
  type WorkloadFacts,
  workloadFacts,
} from '../../../model/index.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import type { SyncResult } from '../../runtime/work-queue.ts';
import { controllerReference } from '../claiming.ts';
import { Workloads } from './claimed-children.ts';
import { isPodReady, replicaSets } from './replicaset.ts';

const TEMPLATE_HASH = 'pod-template-hash';

interface CurrentSet {
  readonly name: string;
  readonly hash: string;
}

interface Rollout {
  readonly deployment: KubeObject;
  readonly desired: number;
  readonly current: KubeObject | undefined;
  readonly active: readonly KubeObject[];
}

export class DeploymentController implements Controller {
  readonly name = 'deployment-controller';
  readonly kinds = ['Deployment', 'ReplicaSet'] as const;
  /** The current ReplicaSet of each Deployment, kept because it may be deleted. */
  readonly #currentSets = new Map<Uid, CurrentSet>();
  #context!: ControllerContext;
  #deployments!: Workloads;

  start(context: ControllerContext): void {
    this.#context = context;
    const deployments = new Workloads({
      context,
      owner: 'Deployment',
      child: 'ReplicaSet',
      matches: (deployment, set) => labelRules.selects(workloadFacts(deployment)?.selector, set.labels),
      sync: deployment => this.#sync(deployment),
      ownerGone: deployment => this.#currentSets.delete(deployment.uid),
      childSeen: (deployment, set) =>
        this.#remember(deployment, [...deployments.controlled(deployment), set]),
    });
    this.#deployments = deployments;
  }

  #sync(deployment: KubeObject): SyncResult {
    const facts = workloadFacts(deployment);
    const { selector } = facts ?? {};
    if (facts === undefined || selector === undefined) return 'done';
    if (selector.matchLabels.length === 0 && selector.matchExpressions.length === 0) return 'done';
    if (deployment.deletionTimestamp !== undefined) return 'done';
    const deployments = this.#deployments;
    const claimed = deployments.claim(deployment, set => labelRules.selects(selector, set.labels));
    if (claimed.failed) return 'retry';
    if (!deployments.expectations.satisfied(deployment.uid)) return 'done';
    this.#forgetOutdated(deployment, facts, claimed.children);
    this.#remember(deployment, claimed.children);
    const known = this.#currentSets.get(deployment.uid);
    const current = claimed.children.find(({ name }) => name === known?.name);
    const active = claimed.children
      .filter(set => set !== current && desiredOf(set) > 0)
      .sort((a, b) => a.creationTimestamp - b.creationTimestamp);
    return this.#rollOut(facts, { deployment, desired: facts.desired, current, active });
  }

  #rollOut(facts: WorkloadFacts, rollout: Rollout): SyncResult {
    const { deployment, desired, current, active } = rollout;
    if (current === undefined) {
      // A paused Deployment makes no ReplicaSet; it only scales.
      if (!facts.suspended) return this.#createSet(facts, rollout);
      const [only] = active;
      return only !== undefined && active.length === 1 ? this.#resize(deployment, only, desired) : 'done';
    }
    const target = sizeOfCurrent(rollout, desiredOf(current));
    if (desiredOf(current) !== target) return this.#resize(deployment, current, target);
    if (active.length === 0 || facts.suspended) return 'done';
    return this.#scaleDownOthers(rollout, current);
  }

  #createSet(facts: WorkloadFacts, rollout: Rollout): SyncResult {
    const type = this.#context.type('ReplicaSet');
    const { selector } = facts;
    if (type === undefined || selector === undefined) return 'done';
    const { deployment } = rollout;
    const hash = this.#currentSets.get(deployment.uid)?.hash ?? this.#context.random.name(10);
    const name = `${deployment.name}-${hash}`;
    const desired = sizeOfCurrent(rollout, 0);
    const labels = labelRules.withLabel(facts.templateLabels, TEMPLATE_HASH, hash);
    const draft = {
      type,
      namespace: deployment.namespace,
      name,
      generation: 1,
      owners: [controllerReference(deployment)],
      labels,
      facts: {
        ...facts,
        desired,
        current: 0,
        ready: 0,
        updated: 0,
        available: 0,
        observedGeneration: 0,
        suspended: false,
        selector: {
          ...selector,
          matchLabels: labelRules.withLabel(selector.matchLabels, TEMPLATE_HASH, hash),
        },
        templateLabels: labels,
        conditions: [],
      },
    };
    this.#currentSets.set(deployment.uid, { name, hash });
    const because = `${deployment.name} has no ReplicaSet of its template`;
    const outcome = this.#deployments.create(deployment, draft, because);
    if (outcome === 'created' || outcome === 'terminating') return 'done';
    // Another owner's object has the name: the next attempt takes another hash.
    if (outcome === 'exists') this.#currentSets.delete(deployment.uid);
    return 'retry';
  }

  /** Scales down while enough pods stay ready (pkg/controller/deployment/rolling.go, v1.36). */
  #scaleDownOthers({ deployment, desired, active }: Rollout, current: KubeObject): SyncResult {
    const minimum = desired - Math.floor(desired / 4);
    const readyOf = (set: KubeObject): number =>
      this.#context.cache.ownedBy(set.uid).filter(pod => replicaSets.isActive(pod) && isPodReady(pod)).length;
    const total = sum(active, desiredOf) + desiredOf(current);
    const unready = desiredOf(current) - readyOf(current);
    let removable = total - minimum - unready;
    if (removable <= 0) return 'done';
    const sizes = new Map(active.map(set => [set, desiredOf(set)]));
    const shrink = (set: KubeObject, by: number): number => {
      const size = sizes.get(set) ?? 0;
      const less = Math.max(0, Math.min(by, size));
      sizes.set(set, size - less);
      return less;
    };
    for (const set of active) {
      removable -= shrink(set, Math.min(removable, Math.max(0, desiredOf(set) - readyOf(set))));
    }
    let surplus = sum(active, readyOf) + readyOf(current) - minimum;
    for (const set of active) surplus -= shrink(set, surplus);
    for (const [set, size] of sizes) {
      if (size !== desiredOf(set) && this.#resize(deployment, set, size) === 'retry') return 'retry';
    }
    return 'done';
  }

  #resize(deployment: KubeObject, set: KubeObject, desired: number): SyncResult {
    const facts = workloadFacts(set);
    if (facts === undefined || facts.desired === desired) return 'done';
    const answer = this.#context.api
      .because(`Deployment ${deployment.name} scales it from ${facts.desired} to ${desired}`)
      .patch(set, current => ({ facts: { ...(workloadFacts(current) ?? facts), desired } }), {
        uid: set.uid,
      });
    return answer.ok || answer.status === 404 ? 'done' : 'retry';
  }

  #forgetOutdated(deployment: KubeObject, facts: WorkloadFacts, sets: readonly KubeObject[]): void {
    const known = this.#currentSets.get(deployment.uid);
    const set = sets.find(({ name }) => name === known?.name);
    if (set !== undefined && !hasTemplate(set, facts.templateLabels))
      this.#currentSets.delete(deployment.uid);
  }

  /**
   * Infers the current ReplicaSet among those with the Deployment's template labels: the only one that wants pods; else
   * the one whose size is the status's number of updated pods; else the youngest.
   */
  #remember(deployment: KubeObject, sets: readonly KubeObject[]): void {
    const facts = workloadFacts(deployment);
    if (facts === undefined || this.#currentSets.has(deployment.uid)) return;
    const candidates = sets
      .filter(set => hasTemplate(set, facts.templateLabels))
      .sort((a, b) => b.creationTimestamp - a.creationTimestamp);
    const wanting = candidates.filter(set => desiredOf(set) > 0);
    const updated = wanting.filter(set => workloadFacts(set)?.current === facts.updated);
    const found = (wanting.length > 1 && updated.length === 1 ? updated : wanting)[0] ?? candidates[0];
    if (found === undefined) return;
    const hash = found.name.slice(deployment.name.length + 1);
    this.#currentSets.set(deployment.uid, { name: found.name, hash });
  }
}

/** Compares template labels without the hash, which either may have (EqualIgnoreHash). */
function hasTemplate(set: KubeObject, templateLabels: Labels): boolean {
  const own = workloadFacts(set)?.templateLabels ?? [];
  return labelRules.areSame(
    labelRules.withoutLabel(own, TEMPLATE_HASH),
    labelRules.withoutLabel(templateLabels, TEMPLATE_HASH),
  );
}

function desiredOf(set: KubeObject): number {
  return workloadFacts(set)?.desired ?? 0;
}

function sizeOfCurrent({ desired, active }: Rollout, size: number): number {
  if (size >= desired || active.length === 0) return desired;
  const allowed = desired + Math.ceil(desired / 4) - sum(active, desiredOf) - size;
  return size + Math.min(Math.max(0, allowed), desired - size);
}

function sum(objects: readonly KubeObject[], value: (object: KubeObject) => number): number {
  return objects.reduce((total, object) => total + value(object), 0);
}
