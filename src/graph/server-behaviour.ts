/** A server's behaviour by its version and by the feature gates on kube-controller-manager's pods. */
import { ServerBehaviour } from '../model/index.ts';
import type { ClusterView } from './cluster-view.ts';
import { controllerManagers, flagValues } from './manager-pods.ts';

export function behaviourOf(view: ClusterView): ServerBehaviour {
  const { serverVersion, collector } = view.settings;
  return new ServerBehaviour(serverVersion, managerGates(view), collector);
}

/** Returns gates on which all replicas with visible flags agree. */
function managerGates(view: ClusterView): ReadonlyMap<string, boolean> {
  const [first, ...others] = controllerManagers
    .pods(view)
    .map(each => gatesIn(flagValues(each, 'feature-gates')));
  const agreed = [...(first ?? [])].filter(([gate, on]) => others.every(each => each.get(gate) === on));
  return new Map(agreed);
}

/** Parses `A=true,B=false`, given once or several times (k8s.io/component-base cli/flag, v0.36). */
function gatesIn(values: readonly string[]): ReadonlyMap<string, boolean> {
  const gates = new Map<string, boolean>();
  for (const value of values) {
    for (const each of value.replaceAll(/^"|"$/gu, '').split(',')) {
      const [name = '', on = ''] = each.split('=').map(word => word.trim());
      if (/^(?:1|t|true)$/iu.test(on)) gates.set(name, true);
      else if (/^(?:0|f|false)$/iu.test(on)) gates.set(name, false);
    }
  }
  return gates;
}
