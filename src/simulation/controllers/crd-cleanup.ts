/**
 * Deletes the instances of a deleted definition; part of the API server (apiextensions-apiserver
 * pkg/controller/finalizer/crd_finalizer.go, v0.36).
 */
import { type Condition, type CrdFacts, Facts, type KubeObject } from '../../model/index.ts';
import { wholeSeconds } from '../api/delete-rules.ts';
import { specialStores } from '../api/special-stores.ts';
import type { Controller, ControllerContext } from '../runtime/controller.ts';
import type { SyncResult } from '../runtime/work-queue.ts';

const POLL = 5_000;
/** The number of checks before the attempt fails and starts over. */
const POLLS = 12;

type Progress = Omit<Condition, 'since'>;

export class CrdCleanupController implements Controller {
  readonly name = 'crd-cleanup';
  readonly kinds = ['CustomResourceDefinition'] as const;
  readonly #polls = new Map<string, number>();

  start(context: ControllerContext): void {
    const queue = context.queue<string>('definitions', name => this.#sync(context, name));
    const notice = (object: KubeObject): void => {
      const deleting = object.deletionTimestamp !== undefined;
      if (deleting && object.finalizers.includes(specialStores.crdFinalizer)) queue.add(object.name);
    };
    context.informer('CustomResourceDefinition', {
      added: notice,
      // Only the start of a deletion counts: the controller's own status updates don't trigger it.
      updated: (object, old) => {
        if (old.deletionTimestamp === undefined || !old.finalizers.includes(specialStores.crdFinalizer))
          notice(object);
      },
      deleted: object => this.#polls.delete(object.name),
    });
  }

  #sync(context: ControllerContext, name: string): SyncResult {
    const type = context.type('CustomResourceDefinition');
    const found = type && context.api.get({ type, namespace: '', name });
    if (found?.ok !== true) return 'done';
    const crd = found.object;
    const { facts } = crd;
    if (facts?.kind !== 'CustomResourceDefinition' || crd.deletionTimestamp === undefined) return 'done';
    if (!crd.finalizers.includes(specialStores.crdFinalizer)) return 'done';
    if (!facts.conditions.some(({ type, status }) => type === 'Established' && status === 'True'))
      return this.#finish(context, crd, neverEstablished);
    const poll = this.#polls.get(name) ?? 0;
    if (poll === 0) {
      // Upstream resets the condition to "in progress" with each attempt; that would never come to rest here.
      if (!facts.conditions.some(({ type, reason }) => type === 'Terminating' && reason === heldUp.reason))
        this.#report(context, crd, inProgress);
      const failure = this.#deleteInstances(context, facts);
      if (failure !== undefined) {
        this.#report(context, crd, progress('True', 'InstanceDeletionFailed', failure));
        return 'retry';
      }
    }
    if (this.#instances(context, facts).length === 0) {
      this.#polls.delete(name);
      return this.#finish(context, crd, completed);
    }
    if (poll < POLLS) {
      this.#polls.set(name, poll + 1);
      return { after: POLL, kind: 'retry' };
    }
    this.#polls.set(name, 0);
    this.#report(context, crd, heldUp);
    return 'retry';
  }

  /** Sets no propagation policy: an instance's own finalizers decide. Returns the failure, if any. */
  #deleteInstances(context: ControllerContext, facts: CrdFacts): string | undefined {
    const api = context.api.because(`definition ${facts.plural}.${facts.group} is being deleted`);
    const namespaces = new Set(this.#instances(context, facts).map(({ namespace }) => namespace));
    const [type] = context.discovery.typesOf(facts);
    if (type === undefined) return undefined;
    const failures: string[] = [];
    for (const namespace of namespaces) {
      // Bypasses admission, as upstream (apiextensions-apiserver pkg/controller/finalizer, v0.36).
      const answer = api.deleteCollection(type, namespace, { unadmitted: true });
      if (!answer.ok) failures.push(answer.message);
    }
    return failures.length === 0 ? undefined : `could not issue all deletes: ${failures.join(', ')}`;
  }

  #instances(context: ControllerContext, facts: CrdFacts): readonly KubeObject[] {
    const [type] = context.discovery.typesOf(facts);
    if (type === undefined) return [];
    const listed = context.api.list(type);
    return listed.ok ? listed.items : context.cache.list(type);
  }

  #finish(context: ControllerContext, crd: KubeObject, end: Progress): SyncResult {
    const api = context.api.because('no instance is left');
    const answer = api.patch(
      crd,
      current => ({
        finalizers: current.finalizers.filter(each => each !== specialStores.crdFinalizer),
        facts: withProgress(current, end, context.clock.now),
      }),
      { subresource: 'status' },
    );
    return answer.ok || answer.objection === undefined ? 'done' : 'retry';
  }

  #report(context: ControllerContext, crd: KubeObject, state: Progress): void {
    context.api.patch(crd, current => ({ facts: withProgress(current, state, context.clock.now) }), {
      subresource: 'status',
    });
  }
}

const inProgress = progress('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
const heldUp = progress(
  'True',
  'InstanceDeletionCheck',
  'could not confirm zero CustomResources remaining: context deadline exceeded',
);
const completed = progress('False', 'InstanceDeletionCompleted', 'removed all instances');
const neverEstablished = progress('False', 'NeverEstablished', 'resource was never established');

function progress(status: 'True' | 'False', reason: string, message: string): Progress {
  return { type: 'Terminating', status, reason, message };
}

function withProgress({ facts }: KubeObject, condition: Progress, now: number): KubeObject['facts'] {
  if (facts?.kind !== 'CustomResourceDefinition') return facts;
  return {
    ...facts,
    conditions: Facts.withCondition(facts.conditions, { ...condition, since: wholeSeconds(now) }),
  };
}
