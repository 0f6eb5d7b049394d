/**
 * The node as the graph keeps it: the writable side of `GraphNode`. A cluster has hundreds of thousands, so
 * the set of dependents and the identity are only allocated for nodes that need them.
 */
import type { KubeObject, OwnerReference, Uid } from '../model/object.ts';
import type { GraphNode, Identity } from './node.ts';

const noDependents: ReadonlySet<OwnershipNode> = new Set();
const noOwners: readonly OwnerReference[] = Object.freeze([]);

export class OwnershipNode implements GraphNode {
  object: KubeObject | undefined;
  owners: readonly OwnerReference[];
  beingDeleted = false;
  deletingDependents = false;
  #known: Identity | undefined;
  #own: Set<OwnershipNode> | undefined = undefined;

  /** Of an observed object or, for a virtual node, of the identity that somebody claims for it. */
  constructor(object: KubeObject | undefined, identity: Identity | undefined) {
    this.object = object;
    this.#known = identity;
    this.owners = object?.owners ?? noOwners;
  }

  get virtual(): boolean {
    return this.object === undefined;
  }

  get uid(): Uid {
    return this.object !== undefined ? this.object.uid : this.identity.uid;
  }

  /** Cheaper than `identity.namespace`, which may have to build the identity first. */
  get namespace(): string {
    return this.object !== undefined ? this.object.namespace : this.identity.namespace;
  }

  get kind(): string {
    return this.#known !== undefined ? this.#known.kind : this.identity.kind;
  }

  get name(): string {
    return this.object !== undefined ? this.object.name : this.identity.name;
  }

  get identity(): Identity {
    // A node has an object or was given an identity, so the object is there when the identity isn't.
    this.#known ??= identityOfObject(this.object as KubeObject);
    return this.#known;
  }

  get dependents(): ReadonlySet<OwnershipNode> {
    return this.#own ?? noDependents;
  }

  /** Returns whether it was new. */
  addDependent(dependent: OwnershipNode): boolean {
    if (this.#own === undefined) this.#own = new Set();
    else if (this.#own.has(dependent)) return false;
    this.#own.add(dependent);
    return true;
  }

  deleteDependent(dependent: OwnershipNode): boolean {
    const deleted = this.#own?.delete(dependent) ?? false;
    if (deleted && this.#own?.size === 0) this.#own = undefined;
    return deleted;
  }

  /**
   * Takes a newer state of the object. With `keepIdentity` the node goes on by the identity under which it
   * was first observed, as in the collector; else by the object's.
   */
  setObject(object: KubeObject, keepIdentity: boolean): void {
    const previous = this.object;
    if (previous !== undefined && previous.type !== object.type) {
      if (!keepIdentity) this.#known = undefined;
      else if (this.#known === undefined && !sameKind(previous, object)) {
        this.#known = identityOfObject(previous);
      }
    }
    this.object = object;
  }

  /** A copy under another identity; the dependents go with it, and both are distinct keys in a queue. */
  cloneAs(identity: Identity, object: KubeObject | undefined): OwnershipNode {
    const clone = new OwnershipNode(object, identity);
    clone.owners = this.owners;
    clone.beingDeleted = this.beingDeleted;
    clone.deletingDependents = this.deletingDependents;
    clone.#own = this.#own === undefined ? undefined : new Set(this.#own);
    return clone;
  }
}

/** An object's identity as its watch reports it: apiVersion and kind of the watched type (docs/kubernetes.md §1.2). */
export function identityOfObject(object: KubeObject): Identity {
  const { type, namespace, name, uid } = object;
  return { apiVersion: type.apiVersion, kind: type.kind, namespace, name, uid };
}

function sameKind(a: KubeObject, b: KubeObject): boolean {
  return a.type.apiVersion === b.type.apiVersion && a.type.kind === b.type.kind;
}
