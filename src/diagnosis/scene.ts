/**
 * What rules look things up in: the view of the cluster at one moment, and a record of what was looked at, so
 * that a finding is judged again when just that changes. Nothing here scans the whole cluster more than once.
 */

import type { OwnerStatus } from '../collector/status.ts';
import { type Judgement, ownerStatus, verdict } from '../collector/verdict.ts';
import type { ClusterView } from '../graph/cluster-view.ts';
import type { GraphNode } from '../graph/node.ts';
import type { KubeObject, OwnerReference, Uid } from '../model/object.ts';
import { groupResource, type ResourceType } from '../model/resource-type.ts';
import { NamespaceIndex } from './namespace-index.ts';

/** Told of everything that a rule looks at; `at` is the time at which it wants to be asked again. */
export interface Witness {
  saw(key: string): void;
  again(at: number): void;
}

/** Where nobody wants to know: remedies and explanations are made when asked for, and look things up anew. */
export const nobody: Witness = { saw: () => {}, again: () => {} };

interface Remembered {
  readonly value: unknown;
  readonly keys: ReadonlySet<string>;
}

export class Scene {
  readonly view: ClusterView;
  witness: Witness = nobody;
  private readonly index: NamespaceIndex;
  private readonly remembered = new Map<string, Remembered>();
  private time: number;

  constructor(view: ClusterView, now: number, index = new NamespaceIndex(view.graph)) {
    this.view = view;
    this.time = now;
    this.index = index;
  }

  /** Milliseconds since the epoch. Set with every change of the view: what was remembered is forgotten. */
  get now(): number {
    return this.time;
  }

  set now(now: number) {
    this.time = now;
    this.remembered.clear();
  }

  /**
   * What `find` looks up, found once for everybody who asks until the view changes: for answers that cost a look
   * at all objects of a type. Whoever asks is taken to have looked at the same things. Not for ages.
   */
  once<T>(question: string, find: () => T): T {
    let known = this.remembered.get(question);
    if (known === undefined) {
      const keys = new Set<string>();
      const asker = this.witness;
      this.witness = { saw: key => keys.add(key), again: at => asker.again(at) };
      try {
        known = { value: find(), keys };
      } finally {
        this.witness = asker;
      }
      this.remembered.set(question, known);
    }
    for (const key of known.keys) this.witness.saw(key);
    // The question decides the type.
    return known.value as T;
  }

  /** The node of this uid, observed or virtual. */
  node(uid: Uid): GraphNode | undefined {
    this.witness.saw(keyOfUid(uid));
    return this.view.graph.get(uid);
  }

  /** Observed dependents of an owner, in no order. */
  dependents(owner: GraphNode): KubeObject[] {
    this.witness.saw(keyOfDependents(owner.identity.uid));
    const found: KubeObject[] = [];
    for (const { object } of owner.dependents) if (object !== undefined) found.push(object);
    return found;
  }

  /** The object of these coordinates; `namespace` is `''` for cluster-scoped types. */
  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined {
    this.witness.saw(keyOfName(type, namespace, name));
    return this.view.graph.find(type, namespace, name)?.object;
  }

  /** The objects of a type in a namespace, in no order; `''` lists a cluster-scoped type. */
  list(type: ResourceType, namespace: string): Iterable<KubeObject> {
    this.witness.saw(keyOfType(type, namespace));
    return this.index.list(type, namespace);
  }

  /** All objects of a type, in every namespace. Costs as many as there are. */
  *all(type: ResourceType): IterableIterator<KubeObject> {
    this.witness.saw(keyOfType(type, ANYWHERE));
    for (const { object } of this.view.graph.ofType(type)) if (object !== undefined) yield object;
  }

  /** Everything in a namespace, whatever its type. Indexed at the first call for a namespace. */
  contents(namespace: string): Iterable<KubeObject> {
    this.witness.saw(keyOfContents(namespace));
    return this.index.contents(namespace);
  }

  /** The served type of an apiVersion and kind. */
  type(apiVersion: string, kind: string): ResourceType | undefined {
    return this.view.catalog.resolveKind(apiVersion, kind);
  }

  /** Whether all objects of a type in a namespace are known. */
  sees(type: ResourceType | undefined, namespace: string): boolean {
    return type !== undefined && this.view.sees(type, namespace);
  }

  /** The collector's next move on a node. */
  verdict(node: GraphNode): Judgement {
    for (const { uid } of node.owners) this.witness.saw(keyOfUid(uid));
    this.witness.saw(keyOfDependents(node.identity.uid));
    return verdict(this.view, node);
  }

  ownerStatus(node: GraphNode, reference: OwnerReference): OwnerStatus {
    this.witness.saw(keyOfUid(reference.uid));
    return ownerStatus(this.view, node, reference);
  }

  /**
   * Whether something has lasted for so many milliseconds. Where it hasn't yet, the rule is asked again when it
   * has.
   */
  lasted(since: number | undefined, milliseconds: number): boolean {
    if (since === undefined) return false;
    const at = since + milliseconds;
    if (this.now >= at) return true;
    this.witness.again(at);
    return false;
  }
}

/** A namespace's name can't hold this. */
const ANYWHERE = '*';

function keyOfUid(uid: Uid): string {
  return `u:${uid}`;
}

function keyOfDependents(owner: Uid): string {
  return `d:${owner}`;
}

function keyOfName(type: ResourceType, namespace: string, name: string): string {
  return `n:${groupResource(type)}/${namespace}/${name}`;
}

function keyOfType(type: ResourceType, namespace: string): string {
  return `t:${groupResource(type)}/${namespace}`;
}

function keyOfContents(namespace: string): string {
  return `c:${namespace}`;
}

/** Under which keys a change of this node is of interest to somebody. */
export function* keysOf(node: GraphNode): IterableIterator<string> {
  yield keyOfUid(node.identity.uid);
  for (const { uid } of node.owners) yield keyOfDependents(uid);
  const { object } = node;
  if (object === undefined) return;
  const { type, namespace, name } = object;
  yield keyOfName(type, namespace, name);
  yield keyOfType(type, namespace);
  yield keyOfType(type, ANYWHERE);
  yield keyOfContents(namespace);
}
