/** The writable side of `GraphNode`. There are hundreds of thousands, so dependents and identity are built lazily. */
import type { KubeObject, OwnerReference, Uid } from '../model/index.ts';
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

  /** Takes an observed object or, for a virtual node, a claimed identity. */
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
    // A node has an object or an identity from the start.
    this.#known ??= identityOfObject(this.object as KubeObject);
    return this.#known;
  }

  get dependents(): ReadonlySet<OwnershipNode> {
    return this.#own ?? noDependents;
  }

  /** Returns true if it was new. */
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

  /** Takes a newer state. `keepIdentity` keeps the first observed identity, as in the collector. */
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

  /** Copies the node under another identity, dependents included; both are distinct keys in a queue. */
  cloneAs(identity: Identity, object: KubeObject | undefined): OwnershipNode {
    const clone = new OwnershipNode(object, identity);
    clone.owners = this.owners;
    clone.beingDeleted = this.beingDeleted;
    clone.deletingDependents = this.deletingDependents;
    clone.#own = this.#own === undefined ? undefined : new Set(this.#own);
    return clone;
  }
}

/** Returns the identity that a watch reports: apiVersion and kind of the watched type (docs/kubernetes.md §1.2). */
export function identityOfObject(object: KubeObject): Identity {
  const { type, namespace, name, uid } = object;
  return { apiVersion: type.apiVersion, kind: type.kind, namespace, name, uid };
}

function sameKind(a: KubeObject, b: KubeObject): boolean {
  return a.type.apiVersion === b.type.apiVersion && a.type.kind === b.type.kind;
}
