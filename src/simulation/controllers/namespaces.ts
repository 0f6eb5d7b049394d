/** Empties and then releases deleted namespaces (docs/kubernetes.md §8; pkg/controller/namespace, v1.36). */
import {
  type Condition,
  Facts,
  type KubeObject,
  type NamespaceFacts,
  type ResourceType,
} from '../../model/index.ts';
import type { ApiRefusal } from '../api/api-client.ts';
import { wholeSeconds } from '../api/delete-rules.ts';
import { specialStores } from '../api/special-stores.ts';
import type { Controller, ControllerContext } from '../runtime/controller.ts';
import type { SimulatedQueue, SyncResult } from '../runtime/work-queue.ts';

const PATIENCE = 5_000;
/** Seconds that finalizers get before the next pass. */
const FINALIZER_ESTIMATE = 15;
const MAX_BACK_OFF = 60_000;

type Steps<T> = Generator<void, T, void>;

class Pass {
  readonly remaining = new Map<ResourceType, number>();
  readonly finalizers = new Map<string, number>();
  readonly errors: string[] = [];
  /** Seconds until the next useful pass; 0 if nothing is left or nothing will change by itself. */
  estimate = 0;
}

export class NamespaceController implements Controller {
  readonly name = 'namespace-controller';
  readonly kinds = ['Namespace'] as const;
  #context!: ControllerContext;
  #queue!: SimulatedQueue<string>;

  start(context: ControllerContext): void {
    this.#context = context;
    const queue = context.queue<string>('namespaces', name => this.#sync(name), { maxDelay: MAX_BACK_OFF });
    this.#queue = queue;
    const notice = (object: KubeObject): void => {
      if (object.deletionTimestamp !== undefined) queue.addAfter(object.name, PATIENCE);
    };
    context.informer('Namespace', {
      added: notice,
      updated: notice,
    });
  }

  #sync(name: string): SyncResult {
    const { api } = this.#context;
    const type = this.#context.type('Namespace');
    if (type === undefined || this.#context.find('Namespace', '', name) === undefined) return 'done';
    const found = api.get({ type, namespace: '', name });
    if (!found.ok) return found.status === 404 ? 'done' : 'retry';
    let namespace = found.object;
    if (namespace.deletionTimestamp === undefined) return 'done';
    const facts = factsOf(namespace);
    if (facts.phase !== 'Terminating') {
      const terminating: NamespaceFacts = { ...facts, phase: 'Terminating' };
      const answer = api.patch(namespace, { facts: terminating }, { subresource: 'status' });
      if (!answer.ok) return answer.status === 404 ? 'done' : 'retry';
      namespace = answer.object;
    }
    if (facts.specFinalizers.length === 0) return 'done';
    const steps = this.#empty(namespace);
    if (!this.#context.anyOrder) return atOnce(steps);
    this.#goOn(name, steps, this.#queue);
    return 'pending';
  }

  *#empty(namespace: KubeObject): Steps<SyncResult> {
    const outcome = yield* this.#deleteContent(namespace);
    return outcome === 'done' ? this.#finalize(namespace) : outcome;
  }

  /** Runs one step at a time, when the clock's chooser picks it. */
  #goOn(name: string, steps: Steps<SyncResult>, queue: SimulatedQueue<string>): void {
    const next = (): void => {
      if (queue !== this.#queue) return;
      const { done, value } = steps.next();
      if (done === true) queue.conclude(name, value);
      else this.#goOn(name, steps, queue);
    };
    this.#context.clock.schedule(`${this.name} empties ${name}`, next, { continues: true });
  }

  #finalize(namespace: KubeObject): SyncResult {
    const api = this.#context.api.because('everything in it is gone');
    const answer = api.patch(
      namespace,
      current => {
        const facts = factsOf(current);
        const specFinalizers = facts.specFinalizers.filter(each => each !== specialStores.namespaceFinalizer);
        return { facts: { ...facts, specFinalizers } };
      },
      { subresource: 'finalize' },
    );
    return answer.ok || answer.status === 404 ? 'done' : 'retry';
  }

  /** Clears the kinds in random order, because Go's maps have none. */
  *#deleteContent(namespace: KubeObject): Steps<SyncResult> {
    const { behaviour, discovery } = this.#context;
    const failed = discovery.failedGroupVersions;
    const types = discovery.catalog.types.filter(
      type => type.preferred && type.namespaced && type.verbs.includes('delete'),
    );
    const pass = new Pass();
    const pods = types.find(type => type.group === '' && type.resource === 'pods');
    const podsFirst = behaviour.has('orderedNamespaceDeletion') ? pods : undefined;
    if (podsFirst !== undefined) yield* this.#clear(podsFirst, namespace, pass);
    // A pod's grace period runs out by itself; a finalizer's time does not.
    const grace = pods === undefined ? 0 : this.#graceEstimate(pods, namespace);
    const timed = typeof grace === 'number' && grace > 0;
    const podsRemain = pass.remaining.size > 0;
    if (!podsRemain) {
      const others = types.filter(type => type !== podsFirst);
      for (const type of this.#context.shuffled(others)) yield* this.#clear(type, namespace, pass);
    }
    const undiscovered =
      failed.length === 0
        ? undefined
        : `Discovery failed for some groups, ${failed.length} failing: unable to retrieve the complete list of server APIs: ${failed.join(', ')}`;
    const totals = podsRemain ? undefined : pass;
    this.#report(namespace, { failures: { discovery: undiscovered, content: pass.errors }, totals });
    if (pass.errors.length > 0 || failed.length > 0) return 'retry';
    // Remaining pods without grace period and finalizers count as an error, so nothing remains here.
    if (pass.estimate === 0) return 'done';
    return { after: (Math.floor(pass.estimate / 2) + 1) * 1000, kind: timed ? 'work' : 'retry' };
  }

  #report(namespace: KubeObject, found: PassReport): void {
    const facts = factsOf(namespace);
    const conditions = updatedConditions(facts.conditions, found, wholeSeconds(this.#context.clock.now));
    if (conditions === facts.conditions) return;
    const options = { subresource: 'status', resourceVersion: namespace.resourceVersion } as const;
    this.#context.api.patch(namespace, { facts: { ...facts, conditions } }, options);
  }

  *#clear(type: ResourceType, namespace: KubeObject, pass: Pass): Steps<void> {
    const { name } = namespace;
    const api = this.#context.api.because(`namespace ${name} is being deleted`);
    const estimate = this.#graceEstimate(type, namespace);
    if (typeof estimate !== 'number') {
      pass.errors.push(estimate.message);
      return;
    }
    const refused = yield* this.#deleteAll(api, type, name);
    const left = refused === undefined && type.verbs.includes('list') ? api.list(type, name) : undefined;
    if (left?.ok && left.items.length === 0) return;
    pass.estimate = Math.max(pass.estimate, estimate);
    const failure = refused ?? (left?.ok === false && !isUnsupported(left) ? left : undefined);
    if (failure !== undefined) pass.errors.push(failure.message);
    if (left?.ok !== true) return;
    pass.remaining.set(type, left.items.length);
    const finalizers = left.items.flatMap(item => item.finalizers);
    for (const each of finalizers) pass.finalizers.set(each, (pass.finalizers.get(each) ?? 0) + 1);
    if (estimate > 0) return;
    if (finalizers.length > 0) pass.estimate = Math.max(pass.estimate, FINALIZER_ESTIMATE);
    else {
      pass.errors.push(
        `unexpected items still remain in namespace: ${name} for gvr: ${type.group}/${type.version}, Resource=${type.resource}`,
      );
    }
  }

  /** Deletes the collection, or single objects if the type lacks the verb or the request isn't found. */
  *#deleteAll(
    api: ControllerContext['api'],
    type: ResourceType,
    namespace: string,
  ): Steps<ApiRefusal | undefined> {
    const options = { propagationPolicy: 'Background' } as const;
    if (type.verbs.includes('deletecollection')) {
      const answer = yield* api.deletingCollection(type, namespace, options);
      if (answer.ok) return undefined;
      if (!isUnsupported(answer)) return answer;
    }
    if (!type.verbs.includes('list')) return undefined;
    const listed = api.list(type, namespace);
    if (!listed.ok) return isUnsupported(listed) ? undefined : listed;
    for (const item of listed.items) {
      const answer = api.delete(item, options);
      if (!answer.ok && !isUnsupported(answer)) return answer;
      yield;
    }
    return undefined;
  }

  /** Returns the longest grace period of running pods in seconds; 0 for other types and after it passed. */
  #graceEstimate(type: ResourceType, namespace: KubeObject): number | ApiRefusal {
    if (type.group !== '' || type.resource !== 'pods') return 0;
    const pods = this.#context.api.list(type, namespace.name);
    if (!pods.ok) return pods;
    let longest = 0;
    for (const { facts } of pods.items) {
      if (facts?.kind !== 'Pod' || facts.phase === 'Succeeded' || facts.phase === 'Failed') continue;
      longest = Math.max(longest, facts.terminationGracePeriodSeconds ?? 0);
    }
    const passed = this.#context.clock.now - (namespace.deletionTimestamp ?? 0);
    return passed >= longest * 1000 ? 0 : longest;
  }
}

function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

function factsOf(namespace: KubeObject): NamespaceFacts {
  if (namespace.facts?.kind === 'Namespace') return namespace.facts;
  // A namespace read as metadata alone is assumed to be ordinary.
  return { kind: 'Namespace', phase: '', specFinalizers: [specialStores.namespaceFinalizer], conditions: [] };
}

function isUnsupported(answer: ApiRefusal): boolean {
  return answer.status === 404 || answer.status === 405;
}

interface PassFailures {
  readonly discovery?: string | undefined;
  readonly groupVersions?: string | undefined;
  readonly content?: readonly string[];
}

interface PassReport {
  readonly failures: PassFailures;
  readonly totals: Pick<Pass, 'remaining' | 'finalizers'> | undefined;
}

/**
 * Without totals, reports content and finalizers as removed although they may remain (docs/kubernetes.md §8, pitfall).
 */
export function updatedConditions(
  before: readonly Condition[],
  { failures, totals }: PassReport,
  now: number,
): readonly Condition[] {
  let after = before;
  const update = (
    type: string,
    failure: string | undefined,
    failureReason: string,
    usual: [string, string],
  ): void => {
    const [reason, message] = failure === undefined ? usual : [failureReason, failure];
    const status = failure === undefined ? 'False' : 'True';
    after = Facts.withCondition(after, { type, status, reason, message, since: now });
  };
  update('NamespaceDeletionDiscoveryFailure', failures.discovery, 'DiscoveryFailed', [
    'ResourcesDiscovered',
    'All resources successfully discovered',
  ]);
  update('NamespaceDeletionGroupVersionParsingFailure', failures.groupVersions, 'GroupVersionParsingFailed', [
    'ParsedGroupVersions',
    'All legacy kube types successfully parsed',
  ]);
  update('NamespaceDeletionContentFailure', contentFailure(failures.content), 'ContentDeletionFailed', [
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ]);
  update('NamespaceContentRemaining', remainingMessage(totals?.remaining), 'SomeResourcesRemain', [
    'ContentRemoved',
    'All content successfully removed',
  ]);
  update('NamespaceFinalizersRemaining', finalizersMessage(totals?.finalizers), 'SomeFinalizersRemain', [
    'ContentHasNoFinalizers',
    'All content-preserving finalizers finished',
  ]);
  return after;
}

function contentFailure(errors: readonly string[] = []): string | undefined {
  if (errors.length === 0) return undefined;
  const all = [...errors].sort().join(', ');
  return `Failed to delete all resource types, ${errors.length} remaining: ${all}`;
}

function remainingMessage(remaining: ReadonlyMap<ResourceType, number> = new Map()): string | undefined {
  if (remaining.size === 0) return undefined;
  // An empty group leaves its dot: `pods. has 2 resource instances`.
  const each = [...remaining].map(
    ([type, count]) => `${type.resource}.${type.group} has ${count} resource instances`,
  );
  return `Some resources are remaining: ${each.sort().join(', ')}`;
}

function finalizersMessage(finalizers: ReadonlyMap<string, number> = new Map()): string | undefined {
  if (finalizers.size === 0) return undefined;
  const each = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`);
  return `Some content in the namespace has finalizers remaining: ${each.sort().join(', ')}`;
}
