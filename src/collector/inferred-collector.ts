/**
 * The state of a garbage collector that has seen exactly a view's objects, updated change by change. It depends only on
 * the present objects, so stepping back and forth in a recording gives the same result.
 */
import {
  type ClusterView,
  type GraphNode,
  Identity,
  isDeleting,
  objectDeletion,
  type ViewChanges,
} from '../graph/index.ts';
import {
  type KubeObject,
  type OwnerReference,
  ResourceType,
  ServerBehaviour,
  type Uid,
} from '../model/index.ts';
import {
  type CollectorMonitor,
  CollectorQueue,
  type CollectorState,
  type QueuedItem,
  type VirtualNode,
} from './collector-state.ts';
import type { StepQueued } from './observed-step.ts';
import { Judgement, LiveLookup, type Verdict } from './verdict.ts';

/** Size of the collector's cache (garbagecollector.go, v1.36). */
const ABSENT_OWNERS = 500;

interface Due {
  readonly identity: Identity;
  readonly virtual: boolean;
  readonly queue: string;
  readonly verdict: Verdict;
  /** Retried until it can be decided. */
  readonly backsOff: boolean;
  readonly absent: readonly Identity[];
}

class Seen {
  readonly due = new Map<Uid, Due>();
  readonly virtual = new Set<Uid>();
  readonly waiting = new Map<Uid, Identity>();

  forget(uid: Uid): void {
    this.due.delete(uid);
    this.virtual.delete(uid);
    this.waiting.delete(uid);
  }
}

export interface InferredCollectorOptions {
  /** `lookMore` looks at all objects, at first and after each change of served types. */
  readonly inParts?: boolean;
}

export class InferredCollector {
  readonly #view: ClusterView;
  readonly #inParts: boolean;
  #seen = new Seen();
  #isComplete = false;
  /** Replaces `#seen` once everything was looked at. */
  #next: { readonly seen: Seen; readonly left: Iterator<GraphNode> } | undefined;

  constructor(view: ClusterView, { inParts = false }: InferredCollectorOptions = {}) {
    this.#view = view;
    this.#inParts = inParts;
    this.#lookAtAll();
  }

  get complete(): boolean {
    return this.#isComplete;
  }

  get behind(): boolean {
    return this.#next !== undefined;
  }

  /** Looks at up to `count` remaining objects; false after the last, when the result takes effect. */
  lookMore(count: number): boolean {
    const next = this.#next;
    if (next === undefined) return false;
    for (let looked = 0; looked < count; looked++) {
      const { value, done } = next.left.next();
      if (done !== true) {
        this.#lookAtNode(value, next.seen);
        continue;
      }
      this.#seen = next.seen;
      this.#next = undefined;
      this.#isComplete = true;
      return false;
    }
    return true;
  }

  /** Follows the view's latest changes. Call it, or `queuedBy`, after each of them. */
  take({ graph, types, statuses, failedGroups, lookUps }: ViewChanges): void {
    const isElsewhere = types || statuses || failedGroups || lookUps.length > 0;
    if (isElsewhere) this.#lookAtAll();
    if (!isElsewhere || this.#inParts)
      for (const { uid } of [...graph.removed, ...graph.touched]) this.#lookAt(uid);
  }

  /** Like `take`, but also returns the work that the changes queued. */
  queuedBy(changes: ViewChanges): readonly StepQueued[] {
    const before = new Map(this.#seen.due);
    this.take(changes);
    return this.#dueNow()
      .filter(due => {
        const known = before.get(due.identity.uid);
        return known?.queue !== due.queue || known.verdict !== due.verdict;
      })
      .map(({ queue, identity }) => ({ queue, object: identity }));
  }

  /** Returns the state at `now`. Items are sorted, as their order is unknown. */
  state(now: number): CollectorState {
    const { graph, settings, failedGroups } = this.#view;
    const due = this.#dueNow();
    const absent = new Map(due.flatMap(each => each.absent.map(owner => [owner.uid, owner])));
    return {
      at: now,
      version: new ServerBehaviour(settings.serverVersion).release,
      knowledge: 'inferred',
      running: true,
      workersWait: false,
      queues: [
        { name: CollectorQueue.graphChanges, items: [], backingOff: [] },
        queueOf(CollectorQueue.attemptToDelete, due),
        queueOf(CollectorQueue.attemptToOrphan, due),
      ],
      acting: [],
      nodes: graph.size,
      virtualNodes: this.#virtualNodes(absent),
      absentOwners: { limit: ABSENT_OWNERS, owners: [...absent.values()].sort(Identity.compare) },
      monitors: this.#monitors(),
      undiscovered: failedGroups.map(({ resource }) => resource),
    };
  }

  /** Returns the objects that the collector's decision would change now, with that decision. */
  due(): readonly { readonly object: Identity; readonly verdict: Verdict }[] {
    return this.#dueNow().map(({ identity, verdict: next }) => ({ object: identity, verdict: next }));
  }

  /** Returns objects whose foreground deletion waits for dependents; they aren't queued. */
  waiting(): readonly Identity[] {
    return [...this.#seen.waiting.values()].sort(Identity.compare);
  }

  #lookAtAll(): void {
    this.#next = { seen: new Seen(), left: this.#view.graph.nodes() };
    if (!this.#inParts) this.lookMore(Number.POSITIVE_INFINITY);
  }

  #lookAt(uid: Uid): void {
    const node = this.#view.graph.get(uid);
    for (const seen of [this.#seen, this.#next?.seen]) {
      seen?.forget(uid);
      if (seen !== undefined && node !== undefined) this.#lookAtNode(node, seen);
    }
  }

  #lookAtNode(node: GraphNode, seen: Seen): void {
    const { object, uid } = node;
    if (object === undefined) {
      seen.virtual.add(uid);
      // A virtual node is looked up at once.
      if (!this.#resolves(node.identity)) addTo(seen, node, 'RetryForever', []);
      return;
    }
    if (this.#isSettled(node, object)) return;
    const { verdict: next, absent = [] } = Judgement.of(this.#view, node);
    if (next === 'WaitForDependents') seen.waiting.set(uid, node.identity);
    if (next !== 'RetryForever' || this.#isLookedAt(node, object)) addTo(seen, node, next, absent);
  }

  /**
   * Reports whether the collector processes it: an owner is absent, waiting or unlike the reference (docs/kubernetes.md
   * §1.3). An unresolvable owner is processed instead of its dependent.
   */
  #isLookedAt({ identity: { namespace } }: GraphNode, object: KubeObject): boolean {
    if (isDeleting(object)) return true;
    return object.owners.some(reference => {
      if (this.#view.graph.get(reference.uid)?.object !== undefined)
        return !this.#holds(reference, namespace);
      const type = this.#view.catalog.resolveKind(reference.apiVersion, reference.kind);
      if (type === undefined || (type.namespaced && namespace === '')) return false;
      const claimed = Identity.claimed(reference, type.namespaced ? namespace : '');
      return new LiveLookup(this.#view).getOwner(claimed).state === 'absent';
    });
  }

  #resolves({ apiVersion, kind }: Pick<Identity, 'apiVersion' | 'kind'>): boolean {
    return this.#view.catalog.resolveKind(apiVersion, kind) !== undefined;
  }

  /** Reports quickly that nothing is due: it isn't being deleted, its owners match its references and don't wait. */
  #isSettled(node: GraphNode, object: KubeObject): boolean {
    if (isDeleting(object) || !this.#view.catalog.serves(object.type)) return false;
    return object.owners.every(reference => this.#holds(reference, node.identity.namespace));
  }

  #holds(reference: OwnerReference, namespace: string): boolean {
    const owner = this.#view.graph.get(reference.uid);
    if (owner?.object === undefined || objectDeletion.isForeground(owner.object)) return false;
    const { identity } = owner;
    if (!Identity.matches(reference, identity) || !this.#view.catalog.serves(owner.object.type)) return false;
    return identity.namespace === '' || identity.namespace === namespace;
  }

  #dueNow(): readonly Due[] {
    return [...this.#seen.due.values()].sort((a, b) => Identity.compare(a.identity, b.identity));
  }

  #virtualNodes(absent: ReadonlyMap<Uid, Identity>): readonly VirtualNode[] {
    const found: VirtualNode[] = [];
    for (const uid of this.#seen.virtual) {
      const node = this.#view.graph.get(uid);
      if (node === undefined || absent.has(uid)) continue;
      const dependents = Array.from(node.dependents, ({ identity }) => identity).sort(Identity.compare);
      found.push({ object: node.identity, dependents });
    }
    return found.sort((a, b) => Identity.compare(a.object, b.object));
  }

  #monitors(): readonly CollectorMonitor[] {
    const monitors: CollectorMonitor[] = [];
    for (const [resource, { type, state, reason }] of this.#view.statuses) {
      if (!ResourceType.isMonitored(type) || state === 'gone') continue;
      const how = state === 'unread' ? 'listing' : state;
      monitors.push({ resource, state: how, ...(how === 'blind' && reason !== undefined && { reason }) });
    }
    return monitors.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }
}

function addTo(
  { due }: Seen,
  { uid, identity, virtual }: GraphNode,
  next: Verdict,
  absent: readonly Identity[],
): void {
  const queue = queueFor(next);
  if (queue === undefined) return;
  due.set(uid, { identity, virtual, queue, verdict: next, backsOff: next === 'RetryForever', absent });
}

function queueFor(next: Verdict): string | undefined {
  switch (next) {
    case 'None':
    case 'WaitForDependents':
    case 'NeverCollected':
      return undefined;
    case 'OrphanDependents':
      return CollectorQueue.attemptToOrphan;
    case 'DeleteBackground':
    case 'DeleteForeground':
    case 'DeleteOrphan':
    case 'PruneReferences':
    case 'UnblockAndDelete':
    case 'RemoveForegroundFinalizer':
    case 'RetryForever':
      return CollectorQueue.attemptToDelete;
  }
}

function queueOf(name: string, all: readonly Due[]): CollectorQueue {
  const due = all.filter(({ queue }) => queue === name);
  const item = ({ identity, virtual }: Due): QueuedItem => ({ object: identity, virtual });
  return {
    name,
    items: due.filter(({ backsOff }) => !backsOff).map(item),
    backingOff: due
      .filter(({ backsOff }) => backsOff)
      .map(each => ({ ...item(each), until: undefined, failures: undefined })),
  };
}
