/**
 * Replaces names consistently, so a recording can be shared. Words are replaced one by one, because Kubernetes builds
 * names from names (`data-web-0`). Unknown content is replaced too.
 */
import { createHmac } from 'node:crypto';
import {
  type BlindSpot,
  BuiltInKind,
  type Change,
  type Connection,
  type Facts,
  type KubeObject,
  type Labels,
  type OwnerReference,
  type ResourceType,
  type SourceBatch,
  type TypeStatus,
  type Uid,
} from '../../model/index.ts';
import type { RecordingHead } from './writer.ts';

/** Facts whose texts name no object: words of the API, and kinds. */
const plainFields: ReadonlySet<string> = new Set([
  'kind',
  'phase',
  'reason',
  'status',
  'type',
  'effect',
  'operator',
  'containerReason',
  'specFinalizers',
  'claimsWhenDeleted',
  'claimsWhenScaled',
  'reclaimPolicy',
  'csiDriver',
  'group',
  'version',
  'versions',
  'definedKind',
  'plural',
  'singular',
  'shortNames',
  'categories',
  'failurePolicy',
  'matchPolicy',
  'key',
  'operations',
  'groups',
  'resources',
  'scope',
  'actions',
  'roleKind',
  'apiVersion',
  'managerFlags',
  'managedBy',
]);

/** Expressions, in which only quoted texts are replaced. */
const expressionFields: ReadonlySet<string> = new Set(['matchConditions', 'validations', 'expression']);

/** Alternating keys and values of labels. */
const labelFields: ReadonlySet<string> = new Set(['matchLabels', 'templateLabels', 'selector']);

/** Annotations and labels with instructions as values, not names. */
const plainValues = new Set([
  'argocd.argoproj.io/sync-options',
  'cluster-autoscaler.kubernetes.io/safe-to-evict',
  'cluster.x-k8s.io/paused',
  'configmanagement.gke.io/managed',
  'crossplane.io/paused',
  'descheduler.alpha.kubernetes.io/evict',
  'descheduler.alpha.kubernetes.io/prefer-no-eviction',
  'helm.sh/resource-policy',
  'helm.toolkit.fluxcd.io/driftDetection',
  'kapp.k14s.io/delete-strategy',
  'karpenter.sh/do-not-disrupt',
  'kustomize.toolkit.fluxcd.io/prune',
  'objectset.rio.cattle.io/owner-gvk',
  'kustomize.toolkit.fluxcd.io/reconcile',
  'kustomize.toolkit.fluxcd.io/ssa',
  'app.kubernetes.io/managed-by',
]);

/** Conditions of a namespace whose messages count kinds and finalizers. */
const plainMessages: ReadonlySet<string> = new Set([
  'NamespaceContentRemaining',
  'NamespaceFinalizersRemaining',
]);

/** The namespace controller's message about undeletable content (pkg/controller/namespace/deletion, v1.36). */
const REMAINING = /^Failed to delete all resource types, \d+ remaining: /u;
const LEFTOVER = /unexpected items still remain in namespace: (\S+) for gvr: \S*, Resource=[\w.-]+/gu;

/** Words in names of every cluster. */
const everyClusters = [
  'kube',
  'system',
  'public',
  'node',
  'lease',
  'default',
  'root',
  'ca',
  'crt',
  'kubernetes',
  'apiserver',
  'controller',
  'manager',
  'scheduler',
  'serviceaccount',
  'serviceaccounts',
  'true',
  'false',
];

/** Kinds whose objects are named after their definition. */
const namedByType: ReadonlySet<BuiltInKind | undefined> = new Set(['CustomResourceDefinition', 'APIService']);

export interface Redaction {
  /** A secret that allows names to be guessed; never stored. */
  readonly key: Buffer;
  /** Public names, such as those of common controllers. */
  readonly keep: Iterable<string>;
}

export class Redactor {
  readonly #key: Buffer;
  readonly #kept: Set<string>;
  /** Words of kinds and API groups, kept in annotations that name kinds. */
  readonly #kinds = new Set<string>();
  readonly #replaced = new Map<string, string>();
  readonly #facts = new WeakMap<Facts, Facts>();

  constructor({ key, keep }: Redaction) {
    this.#key = key;
    this.#kept = new Set([...everyClusters, ...[...keep].flatMap(name => name.match(WORD) ?? [])]);
  }

  /** Keeps words of initial finalizers, which identify controllers. Call it before anything is replaced. */
  learn({ changes, types = [] }: SourceBatch): void {
    for (const type of types) this.#learn(type);
    for (const change of changes)
      if (change.op === 'upsert')
        for (const finalizer of finalizersOf(change.object))
          for (const word of finalizer.match(WORD) ?? []) this.#kept.add(word);
  }

  /** Replaces the words of a name; numbers stay. */
  name(text: string): string {
    return text.replace(WORD, word => this.#word(word));
  }

  head({ context, namespace, namespaces, ...head }: RecordingHead): RecordingHead {
    return {
      ...head,
      context: context === undefined ? undefined : this.name(context),
      namespace: this.name(namespace),
      namespaces: namespaces?.map(each => this.name(each)),
      redacted: true,
    };
  }

  batch({ changes, types, failedGroups, statuses, connection }: SourceBatch): SourceBatch {
    for (const type of types ?? []) this.#learn(type);
    return {
      changes: changes.map(change => this.#change(change)),
      ...(types !== undefined && { types }),
      ...(failedGroups !== undefined && { failedGroups: failedGroups.map(withoutReason) }),
      ...(statuses !== undefined && { statuses: statuses.map(status => this.#status(status)) }),
      ...(connection !== undefined && { connection: connectionWithoutReason(connection) }),
    };
  }

  object(object: KubeObject): KubeObject {
    const { type, namespace, name, uid, owners, labels, annotations, facts } = object;
    return object.with({
      namespace: this.name(namespace),
      name: namedByType.has(BuiltInKind.of(type)) ? name : this.name(name),
      uid: this.name(uid) as Uid,
      owners: owners.map(owner => this.#owner(owner)),
      labels: this.#labels(labels),
      annotations: this.#labels(annotations, this.#kinds),
      // A phase or reason of a custom resource may name anything.
      facts: facts?.kind === 'CustomResource' ? undefined : facts && this.#factsOf(facts),
    });
  }

  #change(change: Change): Change {
    if (change.op === 'delete') return { ...change, uid: this.name(change.uid) as Uid };
    return { ...change, object: this.object(change.object) };
  }

  #status(status: TypeStatus): TypeStatus {
    const { reason, polled, namespaces, ...rest } = status;
    return {
      ...rest,
      ...(reason !== undefined && { reason: harmlessReason(reason) }),
      ...(polled !== undefined && { polled: harmlessReason(polled) }),
      ...(namespaces !== undefined && { namespaces: namespaces.map(each => this.name(each)) }),
    };
  }

  #owner(owner: OwnerReference): OwnerReference {
    const name = namedByType.has(BuiltInKind.of(owner)) ? owner.name : this.name(owner.name);
    return { ...owner, name, uid: this.name(owner.uid) as Uid };
  }

  #labels(labels: Labels, also?: ReadonlySet<string>): Labels {
    return labels.map((text, index) => {
      if (index % 2 === 0 || plainValues.has(labels[index - 1] ?? '')) return text;
      return text.replace(WORD, word => (also?.has(word) === true ? word : this.#word(word)));
    });
  }

  /** Keeps equal facts one object. */
  #factsOf(facts: Facts): Facts {
    let known = this.#facts.get(facts);
    if (known === undefined) {
      known = this.#value('', facts) as Facts;
      this.#facts.set(facts, known);
    }
    return known;
  }

  #value(field: string, value: unknown): unknown {
    if (typeof value === 'string') return this.#text(field, value);
    if (Array.isArray(value)) {
      if (labelFields.has(field)) return this.#labels(value as Labels);
      return value.map(each => this.#value(field, each));
    }
    if (typeof value !== 'object' || value === null) return value;
    const { type, key } = value as { readonly type?: unknown; readonly key?: unknown };
    // A selector's value, like the labels it selects.
    if (typeof key === 'string' && plainValues.has(key)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        name === 'message' && typeof each === 'string' && typeof type === 'string'
          ? this.#message(type, each)
          : this.#value(name === 'name' && isCalledByVersion(field) ? 'version' : name, each),
      ]),
    );
  }

  /** Keeps only known parts of a condition's message, which may name anything. */
  #message(type: string, message: string): string {
    if (plainMessages.has(type)) return message;
    const isKnown =
      message
        .replaceAll(LEFTOVER, '')
        .replace(REMAINING, '')
        .replaceAll(/[[\],\s]/gu, '') === '';
    if (!isKnown) return '';
    return message.replaceAll(LEFTOVER, (text, namespace: string) =>
      text.replace(`: ${namespace} for`, `: ${this.name(namespace)} for`),
    );
  }

  #text(field: string, text: string): string {
    if (plainFields.has(field)) return text;
    if (expressionFields.has(field)) return text.replace(/'[^']*'|"[^"]*"/gu, literal => this.name(literal));
    return this.name(text);
  }

  #learn({ group, version, kind, resource, singular }: ResourceType): void {
    for (const each of [group, version, kind, resource, singular])
      for (const word of each.match(WORD) ?? []) this.#kinds.add(word);
  }

  #word(word: string): string {
    if (/^\d+$/u.test(word) || this.#kept.has(word)) return word;
    let replaced = this.#replaced.get(word);
    if (replaced === undefined) {
      const digest = createHmac('sha256', this.#key).update(word).digest();
      const letters = (count: number): string =>
        Array.from(digest.subarray(0, count), byte => LETTERS[byte % LETTERS.length]).join('');
      replaced = GENERATED.test(word) ? letters(word.length) : `x${letters(9)}`;
      this.#replaced.set(word, replaced);
    }
    return replaced;
  }
}

/** Covers a definition's versions, and variables, which expressions name. */
function isCalledByVersion(field: string): boolean {
  return field === 'versions' || field === 'variables';
}

const WORD = /[\p{L}\p{N}]+/gu;
/** The letters of names Kubernetes generates (k8s.io/apimachinery pkg/util/rand, v0.36), which identify such names. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const GENERATED = /^[bcdfghjklmnpqrstvwxz2456789]{5,10}$/u;

function finalizersOf({ finalizers, facts }: KubeObject): readonly string[] {
  return facts?.kind === 'Namespace' ? [...finalizers, ...facts.specFinalizers] : finalizers;
}

function withoutReason({ resource, reason }: BlindSpot): BlindSpot {
  return { resource, reason: harmlessReason(reason) };
}

/** API servers name users and objects in messages. */
function harmlessReason(reason: string): string {
  return /^\d{3}$/u.test(reason) ? reason : 'not told: names are pseudonyms';
}

function connectionWithoutReason(connection: Connection): Connection {
  return connection.state === 'lost'
    ? { ...connection, reason: harmlessReason(connection.reason) }
    : connection;
}
