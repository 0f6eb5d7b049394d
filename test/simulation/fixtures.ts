/** Objects and clusters that the simulation's tests speak about. */
import type { KubeObject } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import type { LoggedRequest } from '../../src/simulation/api/api-client.ts';
import type { Chooser } from '../../src/simulation/clock.ts';
import type { Random } from '../../src/simulation/runtime/random.ts';
import { type ClusterOptions, SimulatedCluster } from '../../src/simulation/runtime/simulated-cluster.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';

/** Whole seconds, so that timestamps can be compared with it. */
export const NOW = Date.UTC(2026, 10, 21, 12);

/** A built-in type by kind; `apiVersion` where a kind is served in several. */
export function builtIn(kind: string, apiVersion?: string): ResourceType {
  const found = builtInTypes.find(
    type =>
      type.kind === kind && (apiVersion === undefined ? type.preferred : type.apiVersion === apiVersion),
  );
  if (found === undefined) throw new Error(`no built-in ${kind}`);
  return found;
}

export function cluster(options: Partial<ClusterOptions> = {}): SimulatedCluster {
  return new SimulatedCluster({ now: NOW, types: builtInTypes, ...options });
}

/** `DELETE pods ns1/web-0 Foreground → 200`. */
export function line(request: LoggedRequest): string {
  const { verb, type, namespace, name, options, status, subresource } = request;
  const place = namespace === '' ? name : `${namespace}/${name}`;
  const resource = subresource === undefined ? type.resource : `${type.resource}/${subresource}`;
  const policy = options?.propagationPolicy === undefined ? '' : ` ${options.propagationPolicy}`;
  return `${verb} ${resource} ${place}${policy} → ${status}`;
}

/** Every lane that is ready is as likely as any other. */
export function shuffled(random: Random): Chooser {
  return ready => {
    const chosen = ready[random.below(ready.length)];
    if (chosen === undefined) throw new Error('a chooser is only asked while something is ready');
    return chosen;
  };
}

export function names(objects: Iterable<KubeObject>): string[] {
  return [...objects].map(object => object.name).sort();
}
