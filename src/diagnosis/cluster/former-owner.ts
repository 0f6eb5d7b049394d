/**
 * The controller that once made an uncontrolled object, by its labels and name (docs/kubernetes.md §10 rows 26 and 27;
 * pkg/controller/statefulset/stateful_set_utils.go, deployment, job and daemon, v1.36).
 */

import { type ClusterView, isDeleting } from '../../graph/index.ts';
import { controllerOf, type KubeObject, Labels, objectIds, statefulNames } from '../../model/index.ts';
import { fieldEvidence } from '../engine/evidence.ts';
import type { EvidenceLine } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';

export type FormerKind = 'StatefulSet' | 'ReplicaSet' | 'Deployment' | 'DaemonSet' | 'Job';

export interface FormerOwner {
  readonly apiVersion: 'apps/v1' | 'batch/v1';
  readonly kind: FormerKind;
  readonly name: string;
  /** Known only if the controller records it on its children. */
  readonly uid: string | undefined;
  readonly evidence: readonly EvidenceLine[];
}

export const POD_NAME = 'statefulset.kubernetes.io/pod-name';
export const POD_INDEX = 'apps.kubernetes.io/pod-index';
export const REVISION_HASH = 'controller-revision-hash';
export const TEMPLATE_HASH = 'pod-template-hash';
const JOB_NAMES = ['batch.kubernetes.io/job-name', 'job-name'];
const JOB_UIDS = ['batch.kubernetes.io/controller-uid', 'controller-uid'];
/** The API server appends five characters to `generateName`, but truncates a long name first. */
const GENERATED = /^(.+)-[a-z0-9]{5}$/su;

/** Returns undefined if the object shows no mark. Claims of a StatefulSet have none. */
export function formerOwnerOf(object: KubeObject): FormerOwner | undefined {
  const { group, kind } = object.type;
  if (group === '' && kind === 'Pod')
    return ofStatefulSet(object) ?? ofJob(object) ?? ofReplicaSet(object) ?? ofDaemonSet(object);
  return group === 'apps' && kind === 'ReplicaSet' ? ofDeployment(object) : undefined;
}

/** Finds the object that has the former owner's coordinates now, which may be another one of that name. */
export function namesakeOf(
  tracked: TrackedView,
  { apiVersion, kind, name }: Pick<FormerOwner, 'apiVersion' | 'kind' | 'name'>,
  namespace: string,
): { readonly object: KubeObject | undefined; readonly seen: boolean } {
  const type = tracked.type(apiVersion, kind);
  const object = type && tracked.find(type, namespace, name);
  return { object, seen: object !== undefined || tracked.lacks(type, namespace, name) };
}

/** Lists objects without a controller whose marks name an owner that is gone; in all namespaces if none is given. */
export function survivorsOf(
  view: ClusterView,
  { kind, name }: Pick<FormerOwner, 'name'> & { readonly kind: string },
  namespace: string | undefined,
): KubeObject[] {
  const found: KubeObject[] = [];
  for (const [apiVersion, ofKind] of [
    ['v1', 'Pod'],
    ['apps/v1', 'ReplicaSet'],
  ] as const) {
    const type = view.catalog.resolveKind(apiVersion, ofKind);
    if (type === undefined) continue;
    if (namespace !== undefined) view.sees(type, namespace);
    const { graph } = view;
    for (const { object } of namespace === undefined
      ? graph.ofType(type)
      : graph.inNamespace(type, namespace)) {
      if (object === undefined || controllerOf(object) !== undefined || isDeleting(object)) continue;
      const former = formerOwnerOf(object);
      if (former?.kind === kind && former.name === name) found.push(object);
    }
  }
  return found;
}

export function setNameOf(podName: string): string {
  return podName.slice(0, podName.lastIndexOf('-'));
}

function ofStatefulSet(pod: KubeObject): FormerOwner | undefined {
  if (statefulNames.ordinal(pod) < 0) return undefined;
  const name = setNameOf(pod.name);
  const marked = Labels.value(pod.labels, POD_NAME) === pod.name;
  const revision = Labels.value(pod.labels, REVISION_HASH)?.startsWith(`${name}-`) === true;
  if (name === '' || (!marked && !revision)) return undefined;
  const evidence = labelLines(pod, [POD_NAME, REVISION_HASH, POD_INDEX]);
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid: undefined, evidence };
}

function ofJob(pod: KubeObject): FormerOwner | undefined {
  const key = JOB_NAMES.find(each => Labels.value(pod.labels, each) !== undefined);
  const name = key === undefined ? undefined : Labels.value(pod.labels, key);
  if (key === undefined || name === undefined || name === '') return undefined;
  const uidKey = JOB_UIDS.find(each => Labels.value(pod.labels, each) !== undefined);
  const labelled = uidKey === undefined ? undefined : Labels.value(pod.labels, uidKey);
  const uid = labelled !== undefined && objectIds.isMasked(labelled) ? undefined : labelled;
  const evidence = labelLines(pod, uidKey === undefined ? [key] : [key, uidKey]);
  return { apiVersion: 'batch/v1', kind: 'Job', name, uid, evidence };
}

/** Recognises only pods of a Deployment's ReplicaSet: a standalone ReplicaSet gives its pods no label. */
function ofReplicaSet(pod: KubeObject): FormerOwner | undefined {
  const hash = Labels.value(pod.labels, TEMPLATE_HASH);
  const name = GENERATED.exec(pod.name)?.[1];
  if (hash === undefined || hash === '' || name?.endsWith(`-${hash}`) !== true) return undefined;
  const evidence = labelLines(pod, [TEMPLATE_HASH]);
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: undefined, evidence };
}

function ofDaemonSet(pod: KubeObject): FormerOwner | undefined {
  const name = GENERATED.exec(pod.name)?.[1];
  if (name === undefined || Labels.value(pod.labels, REVISION_HASH) === undefined) return undefined;
  const evidence = labelLines(pod, [REVISION_HASH]);
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: undefined, evidence };
}

function ofDeployment(replicaSet: KubeObject): FormerOwner | undefined {
  const hash = Labels.value(replicaSet.labels, TEMPLATE_HASH);
  if (hash === undefined || hash === '' || !replicaSet.name.endsWith(`-${hash}`)) return undefined;
  const name = replicaSet.name.slice(0, -hash.length - 1);
  if (name === '') return undefined;
  const evidence = labelLines(replicaSet, [TEMPLATE_HASH]);
  return { apiVersion: 'apps/v1', kind: 'Deployment', name, uid: undefined, evidence };
}

function labelLines(object: KubeObject, keys: readonly string[]): EvidenceLine[] {
  return keys.flatMap(key => {
    const value = Labels.value(object.labels, key);
    // The path has the form of a pod's fieldRef.
    return value === undefined
      ? []
      : [fieldEvidence(object, `metadata.labels['${key}']`, value, `metadata.labels: ${key}=${value}`)];
  });
}
