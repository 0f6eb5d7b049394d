/**
 * The first collector's two workers (docs/collector.md; pkg/controller/garbagecollector/ garbagecollector.go processItem,
 * orhpanDependents and removeOrphanFinalizer, v1.5.8), which report items that today's would decide differently.
 */

import {
  type Branch,
  Classified,
  type CollectorOnlooker,
  type StepLookUp,
} from '../../../collector/index.ts';
import { type GraphNode, Identity, objectDeletion } from '../../../graph/index.ts';
import {
  type KubeObject,
  namespacedName,
  ORPHAN_FINALIZER,
  type OwnerReference,
  type ResourceType,
  shownName,
} from '../../../model/index.ts';
import type { ApiAnswer, ApiClient } from '../../api/api-client.ts';
import type { ObjectKey } from '../../api/object-store.ts';
import { revised } from '../../api/revise.ts';
import type { CollectorChangeCode, ReportDeparture } from './departures.ts';
import type { AbsentUids } from './propagator-graph.ts';

/** `retry`: at once, until it succeeds. `virtualDelete`: the item is proven absent. */
export type FirstOutcome = 'done' | 'virtualDelete' | 'retry';

export interface FirstWorkersOptions {
  readonly api: ApiClient;
  readonly absent: AbsentUids;
  /** Resolves the kinds that were built in when the process started. */
  readonly resolve: (apiVersion: string, kind: string) => ResourceType | undefined;
  readonly resolveNow: (apiVersion: string, kind: string) => ResourceType | undefined;
  readonly departed: ReportDeparture | undefined;
  readonly onlooker: CollectorOnlooker | undefined;
}

const FINALIZER_TRIES = 5;

export class FirstWorkers {
  readonly #options: FirstWorkersOptions;

  constructor(options: FirstWorkersOptions) {
    this.#options = options;
  }

  /** Decides about an item of the dirty queue; the caller sends the request. */
  processItem({ identity }: GraphNode): FirstOutcome | (() => FirstOutcome) {
    const key = this.#keyOf(identity, identity.namespace);
    if (key === undefined) {
      const { apiVersion, kind, uid } = identity;
      if (this.#options.resolveNow(apiVersion, kind) !== undefined) this.#depart('CustomResources', uid);
      this.#tellOfKind(identity, 'item');
      return this.#taken('KindUnresolvable', 'retry');
    }
    const answer = this.#get(key, identity, 'item');
    if (!answer.ok)
      return answer.status === 404
        ? this.#taken('ObjectAbsent', 'virtualDelete')
        : this.#taken('LookUpFailed', 'retry');
    const live = answer.object;
    if (live.uid !== identity.uid) return this.#taken('OtherUid', 'virtualDelete');
    if (live.owners.length === 0) return this.#taken('NoOwners', 'done');
    const judged = this.#judge(live.owners, identity.namespace);
    this.#compare(live, judged);
    if (judged.found === 'failed') return this.#taken('RetryForever', 'retry');
    if (judged.found === 'owner') return this.#taken('None', 'done');
    this.#options.onlooker?.takes('DeleteByDefault');
    return () => this.#delete(key, live);
  }

  #delete(key: ObjectKey, { owners, uid }: KubeObject): FirstOutcome {
    const because = owners.map(each => `owner ${shownName(each.kind)} ${shownName(each.name)} is absent`);
    const deleted = this.#options.api.because(because.join(', ')).delete(key, { preconditions: { uid } });
    return deleted.ok ? this.#taken('RequestsDone', 'done') : this.#taken('RequestsFailed', 'retry');
  }

  /** Removes the reference from known dependents, and ignores failures. */
  orphan(owner: GraphNode): FirstOutcome {
    const { identity } = owner;
    const because = `${identity.kind} ${namespacedName(identity)} leaves its dependents behind`;
    const patch = [{ $patch: 'delete', uid: identity.uid }];
    this.#options.onlooker?.takes('OrphanDependents');
    for (const dependent of owner.dependents) {
      const { namespace, uid } = dependent.identity;
      this.#options.onlooker?.sends({ metadata: { ownerReferences: patch, uid } });
      const key = this.#keyOf(dependent.identity, namespace);
      const answer =
        key &&
        this.#options.api
          .because(because)
          .patch(key, ({ owners }) => ({ owners: owners.filter(each => each.uid !== identity.uid) }), {
            uid,
            strategic: true,
          });
      if (answer?.ok !== true && answer?.status !== 404) this.#depart('FailedOrphaning', uid);
    }
    const outcome = this.#removeOrphanFinalizer(identity);
    return this.#taken(outcome === 'done' ? 'RequestsDone' : 'RequestsFailed', outcome);
  }

  #removeOrphanFinalizer(identity: Identity): FirstOutcome {
    const key = this.#keyOf(identity, identity.namespace);
    if (key === undefined) return 'retry';
    const api = this.#options.api.because('its dependents were told to leave it');
    for (let tries = 0; tries < FINALIZER_TRIES; tries++) {
      const found = this.#get(key, identity, 'item');
      // An item whose object is gone is retried forever, too.
      if (!found.ok) return 'retry';
      const { finalizers } = found.object;
      const index = finalizers.indexOf(ORPHAN_FINALIZER);
      if (index < 0) return 'done';
      // The loop stops at the matching finalizer and loses those after it.
      if (index < finalizers.length - 1) this.#depart('LostFinalizers', identity.uid);
      const answer = api.update(revised(found.object, { finalizers: finalizers.slice(0, index) }));
      if (answer.ok) return 'done';
      if (answer.status !== 409) return 'retry';
    }
    return 'retry';
  }

  /** Checks the references in order, up to the first owner that exists or can't be read. */
  #judge(owners: readonly OwnerReference[], namespace: string): Judged {
    const remembered: OwnerReference[] = [];
    for (const reference of owners) {
      const owner = Identity.claimed(reference, namespace);
      if (this.#options.absent.has(reference.uid)) {
        this.#options.onlooker?.looksUp({
          object: owner,
          of: 'owner',
          from: 'absentOwners',
          result: 'absent',
        });
        remembered.push(reference);
        continue;
      }
      // Uses the dependent's namespace for every kind, so cluster-scoped owners aren't found.
      const key = this.#keyOf(reference, namespace);
      if (key === undefined) {
        this.#tellOfKind(owner, 'owner');
        return { found: 'failed', remembered };
      }
      const answer = this.#get(key, owner, 'owner');
      if (answer.ok && answer.object.uid === reference.uid) return { found: 'owner', remembered };
      if (!answer.ok && answer.status !== 404) return { found: 'failed', remembered };
      this.#options.absent.add(owner);
    }
    return { found: 'nobody', remembered };
  }

  #keyOf(
    { apiVersion, kind, name }: Pick<Identity, 'apiVersion' | 'kind' | 'name'>,
    namespace: string,
  ): ObjectKey | undefined {
    const type = this.#options.resolve(apiVersion, kind);
    return type === undefined ? undefined : { type, namespace, name };
  }

  #get(key: ObjectKey, object: Identity, of: StepLookUp['of']): ApiAnswer {
    const answer = this.#options.api.get(key);
    const { status } = answer;
    const isOther = answer.ok && answer.object.uid !== object.uid;
    const result = isOther ? 'otherUid' : answer.ok ? 'found' : status === 404 ? 'absent' : 'failed';
    this.#options.onlooker?.looksUp({ object, of, from: 'live', result, status });
    return answer;
  }

  #tellOfKind(object: Identity, of: StepLookUp['of']): void {
    this.#options.onlooker?.looksUp({ object, of, from: 'kinds', result: 'unresolvable' });
  }

  #taken(branch: Branch, outcome: FirstOutcome): FirstOutcome {
    this.#options.onlooker?.takes(branch);
    return outcome;
  }

  #depart(code: CollectorChangeCode, uid: KubeObject['uid']): void {
    this.#options.departed?.({ code, uid });
  }

  #compare(live: KubeObject, judged: Judged): void {
    if (this.#options.departed === undefined) return;
    const code = this.#departure(live, judged);
    if (code !== undefined) this.#depart(code, live.uid);
  }

  #departure(live: KubeObject, { found, remembered }: Judged): CollectorChangeCode | undefined {
    if (live.deletionTimestamp !== undefined) return found === 'nobody' ? 'DeletedAgain' : undefined;
    const today = this.#classifiedToday(live);
    if (today.failed) {
      if (today.because === 'clusterScope') return found === 'nobody' ? 'NamespacedOwner' : undefined;
      return found === 'nobody' && remembered.length > 0 ? 'AbsentByUid' : undefined;
    }
    if (found === 'failed') return 'CustomResources';
    // Today's removes references to absent owners from an object that has another owner.
    if (found === 'owner') return today.dangling.length > 0 ? 'DanglingReferences' : undefined;
    const [solid] = today.solid;
    if (solid === undefined) return undefined;
    const { apiVersion, kind } = solid;
    if (live.namespace !== '' && this.#options.resolveNow(apiVersion, kind)?.namespaced === false)
      return 'ClusterScopedOwner';
    return remembered.some(({ uid }) => uid === solid.uid) ? 'AbsentByUid' : undefined;
  }

  #classifiedToday(live: KubeObject): Classified {
    const { api, resolveNow } = this.#options;
    return Classified.of(live.owners, live.namespace, {
      scopeOf: (apiVersion, kind) => {
        const type = resolveNow(apiVersion, kind);
        if (type === undefined) return 'unresolvable';
        return type.namespaced ? 'namespaced' : 'cluster';
      },
      getOwner: ({ apiVersion, kind, namespace, name }) => {
        const type = resolveNow(apiVersion, kind);
        if (type === undefined) return { state: 'unknown' };
        const answer = api.get({ type, namespace, name });
        if (!answer.ok) return { state: answer.status === 404 ? 'absent' : 'unknown' };
        return {
          state: 'found',
          uid: answer.object.uid,
          foreground: objectDeletion.isForeground(answer.object),
        };
      },
      remembersAbsent: () => false,
      rememberAbsent: () => {},
    });
  }
}

/** `remembered` lists owners that counted as absent without a look-up. */
interface Judged {
  readonly found: 'owner' | 'nobody' | 'failed';
  readonly remembered: readonly OwnerReference[];
}
