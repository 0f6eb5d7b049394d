/**
 * Guesses what a controller needs by what its object names: an object that doesn't exist, or one without a ready pod.
 */
import { requestWords } from '../../forecast/index.ts';
import {
  BuiltInKind,
  type JsonRecord,
  type KubeObject,
  objectTitle,
  podFacts,
  ResourceType,
  record,
  workloadFacts,
} from '../../model/index.ts';
import { adviceToLook, chainLink } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { belongsTo } from '../finalizers/domain.ts';
import { referenceIn } from '../finalizers/naming.ts';
import { podWords } from './cleanups.ts';
import { identifyMissing, isName, kindNamed, type Wait } from './edge.ts';
import { DEEPEST, kindInField } from './referrers.ts';

/** Lists what is missing before what isn't ready; of the status, which names results too, only credentials. */
export function neededBy(tracked: TrackedView, object: KubeObject, { spec, status }: JsonRecord): Wait[] {
  const places = placesIn(tracked, object, record(spec), 'spec');
  const credentials = placesIn(tracked, object, record(status), 'status').filter(({ at }) =>
    /credential|kubeconfig/iu.test(at),
  );
  const needs = [
    () => places.flatMap(each => missingAt(tracked, object, each)),
    () => credentials.flatMap(each => missingAt(tracked, object, each)),
    () => places.flatMap(each => unreadyAt(tracked, object, each)),
  ];
  return needs.reduce<Wait[]>((found, find) => (found.length > 0 ? found : find()), []);
}

/** The place of an object that a field names. */
interface NamedPlace {
  readonly at: string;
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  /** True if the namespace is that of the object, because the field gives none. */
  readonly isOwnNamespace: boolean;
}

/** Lists the objects that the fields name, if a field's name or value shows their kind. */
function placesIn(tracked: TrackedView, object: KubeObject, fields: JsonRecord, path: string): NamedPlace[] {
  if (path.split('.').length > DEEPEST) return [];
  return Object.entries(fields).flatMap(([key, value]) => {
    const at = `${path}.${key}`;
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    const inside = isRecord ? placesIn(tracked, object, record(value), at) : [];
    return [...placeAt(tracked, object, { key, value, at }), ...inside];
  });
}

function placeAt(
  tracked: TrackedView,
  object: KubeObject,
  { key, value, at }: { readonly key: string; readonly value: unknown; readonly at: string },
): NamedPlace[] {
  const of = kindInField(key, value);
  if (of === '') return [];
  const fields = typeof value === 'string' ? { name: value } : record(value);
  const { name, kind, ...named } = referenceIn(tracked, object, fields);
  const type =
    kind === '' ? kindOfField(tracked, object, { of, isPartial: !key.endsWith('Name') }) : named.type;
  if (!isName(name) || type === undefined) return [];
  const namespace = type.namespaced ? named.namespace || object.namespace : '';
  if (type.namespaced && namespace === '') return [];
  return [{ at, type, namespace, name, isOwnNamespace: named.namespace === '' }];
}

function missingAt(tracked: TrackedView, object: KubeObject, place: NamedPlace): Wait[] {
  const on = identifyMissing(tracked, place) && missingInAny(tracked, place);
  if (on === undefined || isPrefix(tracked, place)) return [];
  const evidence = [
    `${object.type.kind} ${object.name}: ${place.at}: ${on.kind} ${on.name}, which doesn't exist`,
  ];
  return [{ on, isMissing: true, isReported: false, certainty: 'assumed', evidence }];
}

/** Checks for a Secret or a ConfigMap that was created with the name as a prefix. */
function isPrefix(tracked: TrackedView, { type, namespace, name }: NamedPlace): boolean {
  if (type.kind !== 'Secret' && type.kind !== 'ConfigMap') return false;
  return [...tracked.list(type, namespace)].some(each => each.name.startsWith(`${name}-`));
}

/** Considers that a controller may keep all objects of a kind in a namespace of its own. */
function missingInAny(tracked: TrackedView, { type, namespace, name, isOwnNamespace }: NamedPlace) {
  if (!isOwnNamespace || ResourceType.isOfKubernetes(type))
    return identifyMissing(tracked, { type, namespace, name });
  const all = [...tracked.all(type)];
  if (all.some(each => each.name === name)) return undefined;
  const [space = namespace, ...others] = new Set(all.map(each => each.namespace));
  return identifyMissing(tracked, { type, namespace: others.length === 0 ? space : namespace, name });
}

/** Finds a workload without a ready pod that is named, or owned by what is named: a database of its cluster. */
function unreadyAt(
  tracked: TrackedView,
  object: KubeObject,
  { at, type, namespace, name }: NamedPlace,
): Wait[] {
  const there = tracked.find(type, namespace, name);
  if (there === undefined) return [];
  const workloads = [there, ...dependentsOf(tracked, there)].filter(
    each => each.type.group === 'apps' && workloadFacts(each) !== undefined,
  );
  const [on] = workloads;
  if (on === undefined || workloads.some(each => workloadFacts(each)?.ready !== 0)) return [];
  const pod = dependentsOf(tracked, on).find(each => podFacts(each) !== undefined);
  const state = pod === undefined ? 'has no ready pod' : `has no ready pod: Pod ${pod.name} ${podWords(pod)}`;
  const title = objectTitle(on);
  const end = {
    links: [chainLink(on, 'waits for', 'has no ready pod'), chainLink(on, '', state)],
    advice: () => [
      adviceToLook(
        'workload-ready',
        `get ${title} ready again: what waits for it continues by itself, if nothing else is missing`,
        ['describe', ...requestWords.onObject(tracked.view.catalog, on)],
      ),
    ],
  };
  const evidence = [
    `${object.type.kind} ${object.name}: ${at}: ${there.type.kind} ${name}; ${title}: 0 ready`,
  ];
  return [{ on, isMissing: false, isReported: false, certainty: 'assumed', until: 'ready', end, evidence }];
}

function dependentsOf(tracked: TrackedView, { uid }: KubeObject): readonly KubeObject[] {
  const node = tracked.node(uid);
  return node === undefined ? [] : tracked.dependents(node);
}

/** The kind at the end of `credentialsSecret`, unless the controller creates that object itself. */
const lastWord = /(configmap|secret|serviceaccount)$/u;
const made = /^(?:write|target|output|destination|generated|connection)/u;

/**
 * Accepts only kinds of Kubernetes and of the object's project: `clusterName` isn't another project's Cluster. A partial
 * word may end one kind of the group: `clusterRef` of a KafkaTopic names a KafkaCluster, while a `bucketName` may be any.
 */
function kindOfField(
  tracked: TrackedView,
  { type }: KubeObject,
  { of, isPartial }: { readonly of: string; readonly isPartial: boolean },
): ResourceType | undefined {
  const found = kindNamed(tracked, of, type.group);
  const isNear =
    found !== undefined &&
    (BuiltInKind.of(found) !== undefined ||
      found.group === 'storage.k8s.io' ||
      isOfProject(found.group, type.group));
  if (isNear || !isPartial) return isNear ? found : undefined;
  const [, last] = made.test(of) ? [] : (lastWord.exec(of) ?? []);
  if (last !== undefined) return kindNamed(tracked, last, '');
  const own = tracked.view.catalog.types.filter(each => each.preferred && each.group === type.group);
  const [ending, ...others] = own.filter(({ kind }) => kind.toLowerCase().endsWith(of));
  return others.length === 0 ? ending : undefined;
}

function isOfProject(group: string, own: string): boolean {
  return group === '' || group === own || belongsTo(group, own);
}
