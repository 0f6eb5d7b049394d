/**
 * What the pods of kube-controller-manager say that it was started with, where a cluster shows them. Apart from what is
 * concluded of it, because the collector and PodGC both look here.
 */
import { isManagerPod } from '../model/facts/manager-flags.ts';
import type { KubeObject } from '../model/object.ts';
import type { ClusterView } from './cluster-view.ts';

/** A flag on the pod that was started with it, as on the command line: `--controllers=*,-garbagecollector`. */
export interface TellingFlag {
  readonly pod: KubeObject;
  readonly flag: string;
}

/** Those whose command line is known; empty where the cluster doesn't show them, or they hide it. */
export function managerPods({ catalog, graph }: ClusterView): readonly KubeObject[] {
  const type = catalog.resolveKind('v1', 'Pod');
  if (type === undefined) return [];
  const found: KubeObject[] = [];
  for (const { object } of graph.inNamespace(type, 'kube-system'))
    if (object !== undefined && isManagerPod(object.namespace, object.name) && flagsOf(object).length > 0)
      found.push(object);
  return found;
}

/** `controllers=*`, as `managerFlags` reads them. */
export function flagsOf({ facts }: KubeObject): readonly string[] {
  return facts?.kind === 'Pod' ? facts.managerFlags : [];
}

/** The last of this name counts, as on a command line; undefined where there is none. */
export function flagValue(pod: KubeObject, name: string): string | undefined {
  return flagValues(pod, name).at(-1);
}

/** All of this name, for a flag that adds up. */
export function flagValues(pod: KubeObject, name: string): readonly string[] {
  return flagsOf(pod)
    .filter(each => each.startsWith(`${name}=`))
    .map(each => each.slice(name.length + 1));
}

/** As k8s.io/controller-manager app/helper.go (v0.36) reads `--controllers`: the first name that fits decides, then `*`. */
export function isControllerOn(controllers: string, names: readonly string[]): boolean {
  const words = controllers.split(',').map(each => each.trim());
  for (const word of words) {
    if (names.includes(word)) return true;
    if (word.startsWith('-') && names.includes(word.slice(1))) return false;
  }
  return words.includes('*');
}
