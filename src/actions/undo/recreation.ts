/** Steps that restore objects from a backup, and the owners they can refer to. */
import { type ClusterView, type Identity, identityOfObject, isDeleting } from '../../graph/index.ts';
import {
  type ActRequest,
  type JsonRecord,
  type KubeObject,
  objectJson,
  parseApiVersion,
  ResourceType,
  type Uid,
} from '../../model/index.ts';
import type { BackupObject } from '../journal/action-journal.ts';

export interface RestoreStep {
  readonly request?: ActRequest;
  readonly does?: string;
  readonly lost: readonly string[];
  /** Its controller creates a new one. */
  readonly recreated?: true;
}

export interface ServedType {
  readonly type: ResourceType;
  /** Name of a definition to create first. */
  readonly definition?: string;
}

export interface NamedOwner extends Omit<Identity, 'uid'> {
  readonly uid: string;
}

export class OwnerResolver {
  readonly view: ClusterView;
  readonly #defined = new Map<string, ServedType>();
  readonly #again = new Map<string, { readonly object: Identity; readonly how: 'restored' | 'recreated' }>();

  constructor(view: ClusterView) {
    this.view = view;
  }

  /** Notes that a deleted object will be back, from the backup or by its controller. Note owners first. */
  note(object: Identity, how: 'restored' | 'recreated'): void {
    this.#again.set(object.uid, { object, how });
  }

  /** Notes the types a restored definition will serve. Call it before its instances are processed. */
  define({ object, json }: BackupObject): void {
    const type = this.view.catalog.resolveKind(object.apiVersion, object.kind);
    const facts = type && json && objectJson.read(type, json)?.facts;
    if (facts?.kind !== 'CustomResourceDefinition') return;
    for (const each of ResourceType.definedBy(facts))
      this.#defined.set(`${each.apiVersion}/${each.kind}`, { type: each, definition: object.name });
  }

  get defined(): readonly ResourceType[] {
    return [...this.#defined.values()].map(({ type }) => type);
  }

  /** Resolves a kind as it will be served; discovery may lag behind a deleted definition. */
  resolveKind(apiVersion: string, kind: string): ServedType | undefined {
    const defined = this.#defined.get(`${apiVersion}/${kind}`);
    if (defined !== undefined) return defined;
    const type = this.view.catalog.resolveKind(apiVersion, kind);
    return type && { type };
  }

  /**
   * Returns a uid to refer to: its own, a living namesake's, or none. An owner being deleted would delete its
   * dependents, and so would a wrong reference, because the collector looks owners up as the reference says
   * (docs/kubernetes.md §2.3).
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

  /** Refusals by namespace lifecycle admission and apiextensions-apiserver; undefined for anything not seen here. */
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

  /** Checks if this owner exists, or will, and controls objects. */
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
