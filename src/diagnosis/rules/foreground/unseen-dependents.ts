/** Dependents that may block an object but cannot be seen: a file with only a Deployment shows no ReplicaSets. */
import {
  counted,
  enumerated,
  type KubeObject,
  objectState,
  ResourceType,
  shownName,
  wordForms,
} from '../../../model/index.ts';
import { type Advice, adviceToLook } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

/** Usual kinds of dependents by the owner's `group/Kind`, those that block its deletion first. */
const usualDependents: Readonly<Record<string, readonly string[]>> = {
  'apps/Deployment': ['ReplicaSet', 'Pod'],
  'apps/ReplicaSet': ['Pod'],
  '/ReplicationController': ['Pod'],
  'apps/StatefulSet': ['Pod', 'PersistentVolumeClaim', 'ControllerRevision'],
  'apps/DaemonSet': ['Pod', 'ControllerRevision'],
  'batch/Job': ['Pod'],
  'batch/CronJob': ['Job', 'Pod'],
  '/Pod': ['PersistentVolumeClaim', 'ResourceClaim'],
  '/Service': ['EndpointSlice'],
  '/Namespace': ['ClusterRoleBinding', 'ClusterRole'],
  '/Node': ['Lease', 'CSINode', 'Pod'],
};

/** Kinds that controllers of custom resources usually create. */
const usualOfOthers = [
  'Deployment',
  'StatefulSet',
  'ReplicaSet',
  'Pod',
  'Job',
  'PersistentVolumeClaim',
  'Service',
  'Secret',
  'ConfigMap',
];

export interface UnseenDependents {
  /** Plural kinds such as `ReplicaSets`; never empty. */
  readonly likely: readonly string[];
  readonly resources: readonly string[];
  readonly others: number;
  /** True if the objects come from files, which lack these dependents. */
  readonly inFiles: boolean;
}

/** Returns undefined if every usual kind of dependent can be seen. */
export function unseenDependents({ view }: TrackedView, owner: KubeObject): UnseenDependents | undefined {
  if (view.complete || objectState.hasRunItsCourse(owner)) return undefined;
  const unseen = view.catalog.types.filter(
    type =>
      type.preferred &&
      ResourceType.isMonitored(type) &&
      !view.sees(type, type.namespaced ? owner.namespace : ''),
  );
  const usual = usualOf(owner.type, unseen);
  if (usual.length === 0) return undefined;
  return {
    likely: usual.map(({ kind, resource }) => shownName(wordForms.plural(kind, resource))),
    resources: usual.map(type => ResourceType.groupResource(type)),
    others: unseen.length - usual.length,
    inFiles: view.settings.standsStill === true,
  };
}

/** Lists kinds of the same API group first if the owner is a custom resource. */
function usualOf({ group, kind }: ResourceType, unseen: readonly ResourceType[]): readonly ResourceType[] {
  const known = usualDependents[`${group}/${kind}`];
  const isCustom = /^(?!.*\.k8s\.io$).*\./u.test(group);
  const related = isCustom ? unseen.filter(each => each.group === group && each.kind !== kind) : [];
  const usual = (known ?? usualOfOthers).flatMap(name => unseen.find(each => each.kind === name) ?? []);
  return [...new Set([...related, ...usual])];
}

/** Follows the awaited dependents and a comma: `none of which are in the files: most likely Pods, or …`. */
export function unseenWords({ likely, others, inFiles }: UnseenDependents): string {
  const more = others === 0 ? '' : `, or objects of ${counted(others, 'more kind')}`;
  return `none of which ${inFiles ? 'are in the files' : 'can be seen'}: most likely ${enumerated(likely)}${more}`;
}

export function unseenEvidence({ likely, others, inFiles }: UnseenDependents): string {
  const more = others === 0 ? '' : ` and ${counted(others, 'more kind')}`;
  return `not ${inFiles ? 'in the files' : 'seen'}: ${enumerated(likely)}${more}`;
}

export function readDependents(
  { namespace }: KubeObject,
  { inFiles, resources }: Pick<UnseenDependents, 'inFiles' | 'resources'>,
): Advice {
  const title = inFiles
    ? 'put what it may own into the files too; if they hold everything there is, say so with --closed-world'
    : 'look at what it may own, with permission to list it';
  const place = namespace === '' ? ['-A'] : ['-n', namespace];
  return adviceToLook('read-dependents', title, ['get', resources.join(','), ...place, '-o', 'yaml']);
}
