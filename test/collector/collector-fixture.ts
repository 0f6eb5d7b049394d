/**
 * A collector whose steps a test takes one at a time: the graph, synchronous queues, and delete workers whose
 * look-ups and requests a small API server in memory answers. Rate-limited additions are plain ones.
 */

import { isDeepStrictEqual } from 'node:util';
import type { OwnerLookup } from '../../src/collector/classify.ts';
import { decideItem, skipsItem } from '../../src/collector/decide.ts';
import type { GraphEvent } from '../../src/graph/events.ts';
import { OwnershipGraph } from '../../src/graph/graph.ts';
import { claimedIdentity, describeIdentity } from '../../src/graph/identity.ts';
import type { GraphNode, Identity } from '../../src/graph/node.ts';
import { WorkQueue } from '../../src/graph/work-queue.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { TypeCatalog } from '../../src/model/type-catalog.ts';
import { served } from '../graph/fixtures.ts';
import { label } from '../graph/invariant.ts';

type Outcome = 'done' | 'virtualDelete' | 'giveUp' | 'retry';

export class CollectorFixture implements OwnerLookup {
  readonly attemptToDelete = new WorkQueue<GraphNode>();
  readonly attemptToOrphan = new WorkQueue<GraphNode>();
  readonly graphChanges: GraphEvent[] = [];
  readonly warnings: string[] = [];
  readonly graph: OwnershipGraph;
  /** Called before a DELETE with its resourceVersion precondition; the status of the refusal, if any. */
  refuseDelete: (resourceVersion: string | undefined) => 404 | 409 | undefined = () => undefined;
  private readonly stored = new Map<string, KubeObject>();
  private readonly catalog = new TypeCatalog(served);
  private calls: string[] = [];

  constructor(stored: readonly KubeObject[], absentOwners?: number) {
    for (const object of stored) this.store(object);
    this.graph = new OwnershipGraph({
      virtualOwners: 'until-collected',
      ...(absentOwners === undefined ? {} : { absentOwners }),
      effects: {
        attemptToDelete: node => this.attemptToDelete.add(node),
        attemptToOrphan: node => this.attemptToOrphan.add(node),
        invalidNamespace: (dependent, reference) => {
          const { kind, name, namespace } = dependent.identity;
          const identity = describeIdentity(claimedIdentity(reference, namespace));
          this.warnings.push(`${kind} ${name} in "${namespace}": ${identity}`);
        },
      },
    });
  }

  store(object: KubeObject): void {
    this.stored.set(key(object.type.resource, object.namespace, object.name), object);
  }

  /** Deletes from the API server, without telling the graph. */
  unstore(object: KubeObject): void {
    this.stored.delete(key(object.type.resource, object.namespace, object.name));
  }

  /** The watch reports an addition. */
  add(object: KubeObject): void {
    this.graph.process({ op: 'upsert', object, old: undefined });
  }

  update(object: KubeObject, old: KubeObject): void {
    this.graph.process({ op: 'upsert', object, old });
  }

  /** The watch reports a deletion. */
  delete(object: KubeObject): void {
    this.graph.process({ op: 'delete', object });
  }

  /** Takes in the oldest event that a worker emitted. */
  takeEvent(): void {
    const event = this.graphChanges.shift();
    if (event === undefined) throw new Error('no graph event is pending');
    this.graph.process(event);
  }

  /** One delete worker, one item. Returns the API calls that it made. */
  work(): string[] {
    this.calls = [];
    const item = this.attemptToDelete.take();
    if (item === undefined) throw new Error('the delete queue is empty');
    if (item.virtual) {
      const indexed = this.graph.get(item.identity.uid);
      if (indexed === undefined || !indexed.virtual) return this.calls;
    }
    const outcome = this.attempt(item);
    if (outcome === 'retry' || (outcome === 'done' && item.virtual)) this.attemptToDelete.add(item);
    return this.calls;
  }

  get queued(): string[] {
    return this.attemptToDelete.items().map(label);
  }

  get nodes(): string[] {
    return [...this.graph.nodes()].map(label).sort();
  }

  get remembered(): string[] {
    return [...this.graph.absent.values()].map(describeIdentity);
  }

  scopeOf(apiVersion: string, kind: string): 'namespaced' | 'cluster' | 'unresolvable' {
    const resolved = this.catalog.resolveKind(apiVersion, kind);
    if (resolved === undefined) return 'unresolvable';
    return resolved.namespaced ? 'namespaced' : 'cluster';
  }

  getOwner(identity: Identity): ReturnType<OwnerLookup['getOwner']> {
    const object = this.fetch(identity);
    if (object === undefined) return { state: 'absent' };
    const foreground =
      object.deletionTimestamp !== undefined && object.finalizers.includes('foregroundDeletion');
    return { state: 'found', uid: object.uid, foreground };
  }

  remembersAbsent(identity: Identity): boolean {
    return this.graph.absent.has(identity);
  }

  rememberAbsent(identity: Identity): void {
    this.graph.absent.add(identity);
  }

  private attempt(item: GraphNode): Outcome {
    if (skipsItem(item)) return 'done';
    const { identity } = item;
    const scope = this.scopeOf(identity.apiVersion, identity.kind);
    if (scope === 'unresolvable') return 'retry';
    if (scope === 'namespaced' && identity.namespace === '') return 'giveUp';
    const live = this.fetch(identity);
    if (live?.uid !== identity.uid) return this.emitVirtualDelete(item);
    const decision = decideItem(item, live, this);
    if (decision.verdict === 'None') return 'done';
    if (decision.verdict === 'NeverCollected') return 'giveUp';
    return decision.verdict === 'DeleteBackground' ? this.deleteLive(item, live) : 'retry';
  }

  /** Spec §2.5: on a conflict, once more without resourceVersion where the references are the same. */
  private deleteLive(item: GraphNode, live: KubeObject): Outcome {
    this.call('DELETE', item.identity, ` rv=${live.resourceVersion}`);
    const refused = this.refuseDelete(live.resourceVersion);
    if (refused === 404) return this.emitVirtualDelete(item);
    if (refused === undefined) {
      this.unstore(live);
      return 'done';
    }
    const again = this.fetch(item.identity);
    if (again === undefined) return this.emitVirtualDelete(item);
    if (!isDeepStrictEqual(again.owners, live.owners)) return 'retry';
    this.call('DELETE', item.identity, '');
    if (this.refuseDelete(undefined) !== undefined) return 'retry';
    this.unstore(live);
    return 'done';
  }

  private emitVirtualDelete(item: GraphNode): Outcome {
    this.graphChanges.push({ op: 'virtualDelete', identity: item.identity });
    return 'virtualDelete';
  }

  private fetch(identity: Identity): KubeObject | undefined {
    const resolved = this.catalog.resolveKind(identity.apiVersion, identity.kind);
    if (resolved === undefined) return undefined;
    this.call('GET', identity, '');
    const namespace = resolved.namespaced ? identity.namespace : '';
    return this.stored.get(key(resolved.resource, namespace, identity.name));
  }

  private call(verb: string, identity: Identity, suffix: string): void {
    const resolved = this.catalog.resolveKind(identity.apiVersion, identity.kind);
    const place = resolved?.namespaced ? `${identity.namespace}/${identity.name}` : identity.name;
    this.calls.push(`${verb} ${resolved?.resource ?? ''} ${place}${suffix}`);
  }
}

function key(resource: string, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`;
}
