/** Flags on kube-controller-manager's pods, if a cluster shows them, for both the collector and PodGC. */
import { isManagerPod, type KubeObject } from '../model/index.ts';
import type { ClusterView } from './cluster-view.ts';

export interface TellingFlag {
  readonly pod: KubeObject;
  readonly flag: string;
}

/** Returns only pods with a readable command line. */
function managerPods({ catalog, graph }: ClusterView): readonly KubeObject[] {
  const type = catalog.resolveKind('v1', 'Pod');
  if (type === undefined) return [];
  const found: KubeObject[] = [];
  for (const { object } of graph.inNamespace(type, 'kube-system'))
    if (object !== undefined && isManagerPod(object) && flagsOf(object).length > 0) found.push(object);
  return found;
}

function flagsOf({ facts }: KubeObject): readonly string[] {
  return facts?.kind === 'Pod' ? facts.managerFlags : [];
}

function flagValue(pod: KubeObject, name: string): string | undefined {
  return flagValues(pod, name).at(-1);
}

export function flagValues(pod: KubeObject, name: string): readonly string[] {
  return flagsOf(pod)
    .filter(each => each.startsWith(`${name}=`))
    .map(each => each.slice(name.length + 1));
}

/** Checks `--controllers` as k8s.io/controller-manager app/helper.go (v0.36) does: the first matching name, then `*`. */
function isControllerOn(controllers: string, names: readonly string[]): boolean {
  const words = controllers.split(',').map(each => each.trim());
  for (const word of words) {
    if (names.includes(word)) return true;
    if (word.startsWith('-') && names.includes(word.slice(1))) return false;
  }
  return words.includes('*');
}

export const controllerManagers = { pods: managerPods, flags: flagsOf, flagValue, isControllerOn };
