/** Relations other than ownership: fields that name or select objects (`relations.json`). */
import {
  getOrInsert,
  type JsonRecord,
  parseApiVersion,
  type ResourceType,
  record,
  text,
} from '../../model/index.ts';
import { valuesIn } from '../finalizers/naming.ts';
import rows from './relations.json' with { type: 'json' };

/**
 * When a use fails once the used object is deleted:
 * - `atOnce`: running pods and open requests fail, too.
 * - `nextStart`: the next start of a container or pod fails; running ones go on.
 * - `later`: a later change fails, such as a scale-up or a new claim.
 * - `leftBehind`: nothing fails; the user has no purpose any more.
 * - `never`: the use is optional or over.
 */
export type BreakTime = 'atOnce' | 'nextStart' | 'later' | 'leftBehind' | 'never';

/**
 * Kinds are `group/Kind`, or `Kind` in the core group. Paths go through lists. Sources: k8s.io/api and
 * k8s.io/kube-aggregator v0.36, Gateway API v1, KEDA v2, Vertical Pod Autoscaler v1, CSI snapshotter v8.
 */
export interface Relation {
  /** Kind of the users; `pods` stands for pods and all pod templates. */
  readonly by: string;
  /** Kind of the used object; the default if the field names a kind itself, and `*` if it always does. */
  readonly uses: string;
  /** Other kinds that the field may name. */
  readonly kinds?: readonly string[];
  /** Path of the name, of a reference, of a selector, or of the element that has it at `to`; in a pod below `spec`. */
  readonly at: string;
  /** Values that an element at `at` has. */
  readonly where?: Readonly<Record<string, string>>;
  readonly to?: string;
  /** Key of the name in a reference; `name` by default. */
  readonly key?: string;
  /** Key of the namespace in a reference; `namespace` by default. */
  readonly namespaceKey?: string;
  /** Set if the field is a label selector, or the map of labels that a Service has in its place. */
  readonly selects?: true | 'labels';
  /** True if users in other namespaces than the used object's count. */
  readonly anywhere?: boolean;
  /** True if only new pods fail, so that a pod that runs and is not created again goes on. */
  readonly onlyNew?: boolean;
  /** Values of a user that needs the object no longer; `*` stands for any. */
  readonly over?: Readonly<Record<string, string>>;
  /** Says how it uses the object: `mounts it as a volume`. */
  readonly how: string;
  readonly when: BreakTime;
  /** A clause on what fails. */
  readonly then: string;
  /** A clause on what fails although Kubernetes creates the used object again; nothing by default. */
  readonly renewed?: string;
  /** A clause on what fails while others stay that the selector matches; nothing by default. */
  readonly fewer?: string;
  /** True if only the field's name shows the relation. */
  readonly assumed?: true;
  /** The loss of the used object if the user is deleted. */
  readonly lost?: { readonly how: string; readonly then: string };
}

/** Kinds with a pod template, and the path of the pod's `spec`. */
const podSpecs: Readonly<Record<string, string>> = {
  Pod: 'spec',
  'apps/Deployment': 'spec.template.spec',
  'apps/ReplicaSet': 'spec.template.spec',
  'apps/StatefulSet': 'spec.template.spec',
  'apps/DaemonSet': 'spec.template.spec',
  ReplicationController: 'spec.template.spec',
  'batch/Job': 'spec.template.spec',
  'batch/CronJob': 'spec.jobTemplate.spec.template.spec',
};

const relations = (rows as readonly Relation[]).flatMap(relation =>
  relation.by === 'pods'
    ? Object.entries(podSpecs).map(([by, spec]) => ({ ...relation, by, at: `${spec}.${relation.at}` }))
    : relation,
);
export const ANY_KIND = '*';
const byUser = Map.groupBy(relations, ({ by }) => by);
const byUsed = new Map<string, readonly Relation[]>();

export function kindOf({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): string {
  return group === '' ? kind : `${group}/${kind}`;
}

function usedKinds({ uses, kinds = [] }: Relation): readonly string[] {
  return [uses, ...kinds];
}

/** Lists the relations whose users may use an object of the kind. */
export function relationsTo(kind: string): readonly Relation[] {
  return getOrInsert(byUsed, kind, () =>
    relations.filter(each => each.uses === ANY_KIND || usedKinds(each).includes(kind)),
  );
}

export function mayUse(kind: string, fits: (relation: Relation) => boolean = () => true): boolean {
  return byUser.get(kind)?.some(fits) === true;
}

/** A use as an object's fields state it: the name of one object, or a selector. */
export interface Use {
  readonly relation: Relation;
  readonly kind: string;
  /** `''` for the user's own namespace, or if cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  /** The selector, as JSON; undefined if the use names one object. */
  readonly selector?: JsonRecord;
  /** True if the user does without the object. */
  readonly optional: boolean;
}

/** Lists what an object of the kind, as JSON, uses by the relations that are asked for; by default by all. */
export function usesIn(kind: string, json: JsonRecord, asked?: ReadonlySet<Relation>): readonly Use[] {
  return (byUser.get(kind) ?? []).flatMap(relation => {
    if (asked?.has(relation) === false) return [];
    const { at, to, where = {} } = relation;
    const found = valuesIn(json, at.split('.')).filter(each => hasAll(each, where));
    const fields = to === undefined ? found : found.flatMap(each => valuesIn(each, to.split('.')));
    return fields.flatMap(field => useAt(relation, field));
  });
}

/** Checks the values at paths of a JSON value. */
export function hasAll(json: unknown, values: Readonly<Record<string, string>>): boolean {
  return Object.entries(values).every(([path, value]) =>
    valuesIn(json, path.split('.')).some(
      each => each !== undefined && (value === '*' || each === value || `${each === true}` === value),
    ),
  );
}

function useAt(relation: Relation, field: unknown): Use | [] {
  const fields = record(field);
  if (relation.uses === ANY_KIND) return parameterAt(relation, fields);
  if (relation.selects !== undefined) {
    // An empty selector of a Service selects nothing, and that of a policy concerns no pod in particular.
    if (Object.keys(fields).length === 0) return [];
    const selector = relation.selects === 'labels' ? { matchLabels: fields } : fields;
    return { relation, kind: relation.uses, namespace: '', name: '', selector, optional: false };
  }
  const name = typeof field === 'string' ? field : text(fields[relation.key ?? 'name']);
  const kind = usedKinds(relation).find(each => isNamed(each, fields));
  // Classes may have templates in place of names: `${pvc.namespace}`.
  if (name === '' || name.includes('$') || kind === undefined) return [];
  return {
    relation,
    kind,
    name,
    namespace: text(fields[relation.namespaceKey ?? 'namespace']),
    optional: fields['optional'] === true,
  };
}

/** Reads a reference that names its kind, and one object or a selector, which may be empty. */
function parameterAt(relation: Relation, fields: JsonRecord): Use | [] {
  const { group } = parseApiVersion(text(fields['apiVersion']));
  const [kind, name] = [text(fields['kind']), text(fields['name'])];
  if (kind === '' || (name === '' && fields['selector'] === undefined)) return [];
  const selector = name === '' && { selector: record(fields['selector']) };
  const namespace = text(fields['namespace']);
  return { relation, kind: kindOf({ group, kind }), name, namespace, ...selector, optional: false };
}

/** Checks the kind that a reference may name. */
function isNamed(kind: string, { kind: named, group, apiGroup, apiVersion }: JsonRecord): boolean {
  if (text(named) === '') return true;
  const [ownKind, ownGroup = ''] = kind.split('/').toReversed();
  const given = text(group) || text(apiGroup) || text(apiVersion).split('/').slice(0, -1).join('/');
  return named === ownKind && (given === '' || given === ownGroup);
}
