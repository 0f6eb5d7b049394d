/** What taking an action back works on: objects of the backup, and who will be there to be referred to by them. */
import type { ClusterView } from '../../graph/cluster-view.ts';
import { isDeleting } from '../../graph/deletion.ts';
import type { Identity } from '../../graph/node.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import type { ActRequest } from '../../model/exchange/act.ts';
import { objectFromJson } from '../../model/json/from-json.ts';
import type { JsonRecord } from '../../model/json/json.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import { definedTypes, parseApiVersion, type ResourceType } from '../../model/types/resource-type.ts';
import type { BackupObject } from '../journal/journal.ts';

/** How one object is brought back. */
export interface RestoreStep {
  readonly request?: ActRequest;
  readonly does?: string;
  readonly lost: readonly string[];
  /** Its controller creates a new one. */
  readonly recreated?: true;
}

export interface ServedType {
  readonly type: ResourceType;
  /** Name of the definition that has to be created first. */
  readonly definition?: string;
}

/** As a reference names it, with the namespace of the dependent. */
export interface NamedOwner extends Omit<Identity, 'uid'> {
  readonly uid: string;
}

/** Which owners exist, or will, to be referred to or to recreate objects. */
export class OwnerResolver {
  readonly view: ClusterView;
  readonly #defined = new Map<string, ServedType>();
  readonly #again = new Map<string, { readonly object: Identity; readonly how: 'restored' | 'recreated' }>();

  constructor(view: ClusterView) {
    this.view = view;
  }

  /**
   * What becomes of an object that is gone: `restored` from the backup, or `recreated` by its controller. Owners are
   * noted before their dependents.
   */
  note(object: Identity, how: 'restored' | 'recreated'): void {
    this.#again.set(object.uid, { object, how });
  }

  /** What a definition that is restored will serve; nothing of any other object. Before its instances are looked at. */
  define({ object, json }: BackupObject): void {
    const type = this.view.catalog.resolveKind(object.apiVersion, object.kind);
    const facts = type && json && objectFromJson(type, json)?.facts;
    if (facts?.kind !== 'CustomResourceDefinition') return;
    for (const each of definedTypes(facts))
      this.#defined.set(`${each.apiVersion}/${each.kind}`, { type: each, definition: object.name });
  }

  /** In the order in which they were defined. */
  get defined(): readonly ResourceType[] {
    return [...this.#defined.values()].map(({ type }) => type);
  }

  /** As it will be; what is discovered may lag behind a definition that has gone. */
  resolveKind(apiVersion: string, kind: string): ServedType | undefined {
    const defined = this.#defined.get(`${apiVersion}/${kind}`);
    if (defined !== undefined) return defined;
    const type = this.view.catalog.resolveKind(apiVersion, kind);
    return type && { type };
  }

  /**
   * The uid to refer to in place of one: the same where its object lives or is made again (the request is told the
   * new uid when it is sent), that of the object of the same name where another lives now, and none where nobody
   * does. One that is being deleted would take with it whatever refers to it, and so would one that the reference
   * names wrongly: the collector looks it up by what the reference says (docs/kubernetes.md §2.3).
   */
  ownerFor(reference: NamedOwner): string | undefined {
    const uid = reference.uid as Uid;
    const living = this.view.graph.get(uid)?.object ?? this.#namesake(reference);
    if (living !== undefined) {
      const isRight = names(reference, identityOfObject(living));
      return isRight && !isDeleting(living) ? living.uid : undefined;
    }
    const again = this.#again.get(uid);
    return again?.how === 'restored' && names(reference, again.object) ? uid : undefined;
  }

  /**
   * Why the API server takes no new object of this type in this namespace; undefined where it may. What isn't seen is
   * left to its answer (namespace lifecycle admission; apiextensions-apiserver refuses while a definition is deleted).
   */
  whyNoPlace({ group, resource, namespaced }: ResourceType, namespace: string): string | undefined {
    const { catalog, graph } = this.view;
    const definitions = catalog.resolveKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    const definition = definitions && graph.find(definitions, '', `${resource}.${group}`)?.object;
    if (definition !== undefined && isDeleting(definition))
      return 'the definition of its kind is being deleted';
    const namespaces = catalog.resolveKind('v1', 'Namespace');
    const home = namespaced && namespaces ? graph.find(namespaces, '', namespace)?.object : undefined;
    return home !== undefined && isDeleting(home) ? 'its namespace is being deleted' : undefined;
  }

  /** Whether there is or will be somebody who controls objects on behalf of this owner. */
  controls(owner: NamedOwner): boolean {
    const again = this.#again.get(owner.uid);
    return this.ownerFor(owner) !== undefined || (again?.how === 'recreated' && names(owner, again.object));
  }

  #namesake({ apiVersion, kind, namespace, name }: NamedOwner): KubeObject | undefined {
    const type = this.view.catalog.resolveKind(apiVersion, kind);
    return type && this.view.graph.find(type, type.namespaced ? namespace : '', name)?.object;
  }
}

function names({ apiVersion, kind, name, namespace }: NamedOwner, object: Identity): boolean {
  return (
    parseApiVersion(apiVersion).group === parseApiVersion(object.apiVersion).group &&
    kind === object.kind &&
    name === object.name &&
    (object.namespace === '' || object.namespace === namespace)
  );
}

/** An owner reference of a backup. */
export function ownerIn(reference: JsonRecord, namespace: string): NamedOwner {
  const { apiVersion, kind, name, uid } = reference;
  return {
    apiVersion: String(apiVersion),
    kind: String(kind),
    name: String(name),
    uid: String(uid),
    namespace,
  };
}
