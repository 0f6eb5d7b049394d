/** Finds objects that custom resources name in fields such as `secretRef` or `secretName`, whatever their kind. */
import { BuiltInKind, type JsonRecord, ResourceType, record, text } from '../../model/index.ts';
import { belongsTo } from '../finalizers/domain.ts';
import { kindOf, mayUse, type Use } from './relations.ts';

const suffixes = /^(.+?)(?:Refs?|References?|Name)$/u;
const fieldName = /^[A-Za-z]\w{0,62}$/u;
/** Depth of a spec that is searched for references. */
const DEEPEST = 8;

/** Fields that name objects without a suffix, in pod templates and in specs like them. */
const fields: ReadonlyMap<string, string> = new Map([
  ['configMap', 'ConfigMap'],
  ['configMaps', 'ConfigMap'],
  ['secret', 'Secret'],
  ['secrets', 'Secret'],
  ['imagePullSecrets', 'Secret'],
  ['claimName', 'PersistentVolumeClaim'],
]);

/** Kinds that a field shows by its last words: `passwordSecretKeyRef`. */
const lastWords = ['ConfigMap', 'Secret', 'ServiceAccount', 'Service'] as const;

/** Kubernetes' kinds that custom resources commonly name. */
const referable: ReadonlySet<string> = new Set([
  ...lastWords,
  'PersistentVolumeClaim',
  'apps/Deployment',
  'apps/StatefulSet',
  'apps/DaemonSet',
]);

/** Groups of Kubernetes that definitions serve. */
const published = ['gateway.networking.k8s.io', 'snapshot.storage.k8s.io'];

/** Checks for a custom resource that no relation describes. */
export function hasReferences(type: ResourceType): boolean {
  const isOwn = ResourceType.isOfKubernetes(type) && !published.includes(type.group);
  return !isOwn && BuiltInKind.of(type) === undefined && !mayUse(kindOf(type));
}

export function canBeReferred(type: ResourceType): boolean {
  return hasReferences(type) || referable.has(kindOf(type));
}

export class References {
  readonly #byKind: ReadonlyMap<string, readonly ResourceType[]>;

  constructor(types: readonly ResourceType[]) {
    const preferred = types.filter(each => each.preferred);
    this.#byKind = Map.groupBy(preferred, ({ kind }) => kind.toLowerCase());
  }

  /** Lists the objects that a spec names, if the reference or its field shows their kind. */
  in(type: ResourceType, json: JsonRecord): readonly Use[] {
    return [...this.#below(type, json['spec'], ['spec'])];
  }

  *#below(type: ResourceType, value: unknown, path: readonly string[]): Generator<Use> {
    if (path.length > DEEPEST || typeof value !== 'object' || value === null) return;
    for (const [key, field] of Object.entries(value)) {
      if (Array.isArray(value)) yield* this.#below(type, field, path);
      else if (fieldName.test(key)) yield* this.#at(type, field, [...path, key]);
    }
  }

  *#at(type: ResourceType, field: unknown, path: readonly string[]): Generator<Use> {
    const key = path.at(-1) ?? '';
    const word = fields.get(key) ?? suffixes.exec(key)?.[1] ?? '';
    for (const each of word === '' ? [] : [field].flat()) {
      const named = typeof each === 'string' ? { name: each } : record(each);
      const used = text(named['kind']) === '' ? this.#shownBy(type, word) : this.#given(type, named);
      const name = text(named['name']);
      if (used === undefined || name === '') continue;
      const [namespace, optional] = [text(named['namespace']), named['optional'] === true];
      const relation = relationAt(kindOf(type), kindOf(used), path.join('.'));
      yield { relation, kind: kindOf(used), namespace, name, optional };
    }
    yield* this.#below(type, field, path);
  }

  #given({ group: own }: ResourceType, fields: JsonRecord): ResourceType | undefined {
    const [fromVersion = ''] = text(fields['apiVersion']).split('/').slice(0, -1);
    const group = text(fields['group']) || text(fields['apiGroup']) || fromVersion;
    const kinds = this.#byKind.get(text(fields['kind']).toLowerCase()) ?? [];
    return kinds.find(each => (group === '' ? isNear(each, own) : each.group === group));
  }

  /** Accepts only kinds of Kubernetes and of the project: `clusterName` isn't another project's Cluster. */
  #shownBy({ group: own }: ResourceType, word: string): ResourceType | undefined {
    const near = (this.#byKind.get(word.toLowerCase()) ?? []).filter(each => isNear(each, own));
    const last = lastWords.find(each => new RegExp(`${each}(?:Key|Target)?$`, 'iu').test(word));
    return (
      near.find(each => each.group === own) ??
      near[0] ??
      this.#byKind.get(last?.toLowerCase() ?? '')?.find(({ group }) => group === '')
    );
  }
}

function relationAt(by: string, uses: string, at: string): Use['relation'] {
  const then = 'its controller may fail';
  // oxlint-disable-next-line no-thenable -- no function
  return { by, uses, at, how: `names it in ${at}`, when: 'later', then, assumed: true };
}

function isNear(type: ResourceType, own: string): boolean {
  const isBuiltIn = BuiltInKind.of(type) !== undefined || referable.has(kindOf(type));
  return isBuiltIn || type.group === own || belongsTo(type.group, own);
}

/** Checks that both kinds are custom, and of one project. */
export function isOfProject(type: ResourceType, other: ResourceType): boolean {
  return hasReferences(other) && isNear(type, other.group);
}
