/** Names of StatefulSets' pods and claims (pkg/controller/statefulset/stateful_set_utils.go, v1.36). */
import type { KubeObject } from '../object.ts';

/** Parses `web-2` as ordinal 2 of `web`; undefined for a name that no StatefulSet gives. */
function statefulName(podName: string) {
  const match = /^(.*)-([0-9]+)$/su.exec(podName);
  if (match === null) return undefined;
  const [, set = '', digits = ''] = match;
  const ordinal = Number(digits);
  return ordinal > 0x7fff_ffff ? undefined : { set, ordinal };
}

/** Reports whether the pod has the set's name; the set neither keeps nor adopts other pods. */
function isMember(set: KubeObject, pod: KubeObject): boolean {
  return statefulName(pod.name)?.set === set.name;
}

function ordinalOf(pod: KubeObject): number {
  return statefulName(pod.name)?.ordinal ?? -1;
}

function statefulPodName(set: KubeObject, ordinal: number): string {
  return `${set.name}-${ordinal}`;
}

function statefulClaimName(template: string, set: KubeObject, ordinal: number): string {
  return `${template}-${set.name}-${ordinal}`;
}

/** Infers `spec.ordinals.start`: the lowest ordinal if the pods form one unbroken run of the wanted length, else 0. */
function inferStartOrdinal(pods: Iterable<KubeObject>, replicas: number): number {
  const ordinals = new Set<number>();
  for (const pod of pods) {
    const ordinal = ordinalOf(pod);
    if (ordinal >= 0) ordinals.add(ordinal);
  }
  if (ordinals.size === 0 || ordinals.size !== replicas) return 0;
  const lowest = Math.min(...ordinals);
  return Math.max(...ordinals) - lowest + 1 === replicas ? lowest : 0;
}

export const statefulNames = {
  inferStart: inferStartOrdinal,
  isMember,
  ordinal: ordinalOf,
  claim: statefulClaimName,
  pod: statefulPodName,
};
