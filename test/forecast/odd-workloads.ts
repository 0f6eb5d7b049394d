/**
 * Random workloads as no one should write them: selectors that don't match their own templates, dangling and
 * duplicate controllers, no replicas, paused, two of everything. Those that the API server would refuse are among
 * them, because files hold them.
 */

import type { KubeObject } from '../../src/model/object.ts';
import { objectJson } from '../../src/model/object-json.ts';
import type { Random } from '../../src/simulation/runtime/random.ts';
import { builtIn, NOW } from '../simulation/fixtures.ts';
import { pick } from './random-world.ts';

const kinds = [
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
] as const;
const values = ['a', 'b'] as const;

interface Place {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

type Labels = Readonly<Record<string, string>>;

function labels(random: Random): Labels {
  const made: Record<string, string> = {};
  if (random.below(8) > 0) made['app'] = pick(random, values);
  if (random.below(4) === 0) made['pod-template-hash'] = pick(random, ['h1', 'h2']);
  return made;
}

function owners(random: Random, places: readonly Place[], own: string): readonly object[] {
  if (random.below(3) === 0) return [];
  const place = places[random.below(places.length)];
  if (place === undefined || place.uid === own) return [];
  const odd = random.below(6);
  const reference = {
    apiVersion: builtIn(place.kind).apiVersion,
    kind: place.kind,
    name: odd === 0 ? 'renamed' : place.name,
    uid: odd === 1 ? `former-${place.uid}` : place.uid,
    controller: random.below(5) > 0,
    blockOwnerDeletion: random.below(2) === 0,
  };
  return [reference];
}

function template(random: Random, chosen: Labels): object {
  const own = random.below(2) === 0 ? chosen : labels(random);
  return { metadata: { labels: own }, spec: { containers: [{ name: 'main', image: 'x' }] } };
}

function spec(random: Random, kind: string): object {
  const chosen = labels(random);
  const replicas = random.below(4);
  const selector = { matchLabels: chosen };
  const pods = template(random, chosen);
  switch (kind) {
    case 'ReplicationController':
      return { replicas, selector: chosen, template: pods };
    case 'Job':
      return { parallelism: replicas, completions: 1 + random.below(3), selector, template: pods };
    case 'CronJob':
      return { schedule: '* * * * *', jobTemplate: { spec: { template: pods } } };
    case 'DaemonSet':
      return { selector, template: pods };
    default:
      return { replicas, selector, template: pods, paused: random.below(4) === 0 };
  }
}

function status(random: Random, kind: string): object {
  if (kind !== 'Pod') return { replicas: random.below(3), observedGeneration: 1 };
  const phase = pick(random, ['Pending', 'Running', 'Running', 'Succeeded', 'Failed']);
  return { phase, conditions: [{ type: 'Ready', status: phase === 'Running' ? 'True' : 'False' }] };
}

const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };

/** A namespace with a node, three to six workloads, and as many pods. */
export function oddWorkloads(random: Random): KubeObject[] {
  const places: Place[] = Array.from({ length: 3 + random.below(4) }, (_, index) => {
    const kind = pick(random, kinds);
    // Names as a controller would make them, so that some are in each other's way.
    return {
      kind,
      name: random.below(3) === 0 ? 'web' : `web-${pick(random, ['h1', 'h2', '0'])}`,
      uid: `w${index}`,
    };
  });
  const pods: Place[] = Array.from({ length: random.below(6) }, (_, index) => ({
    kind: 'Pod',
    name: `web-${index}`,
    uid: `p${index}`,
  }));
  const taken = new Set<string>();
  const objects: (KubeObject | undefined)[] = [...places, ...pods].map(({ kind, name, uid }) => {
    if (taken.has(`${kind} ${name}`)) return undefined;
    taken.add(`${kind} ${name}`);
    return objectJson.read(builtIn(kind), {
      metadata: {
        namespace: 'shop',
        name,
        uid,
        generation: 1,
        resourceVersion: '1',
        creationTimestamp: new Date(NOW - 60_000).toISOString(),
        labels: labels(random),
        ownerReferences: owners(random, places, uid),
        finalizers: random.below(12) === 0 ? ['example.com/hold'] : [],
        ...(random.below(10) === 0 ? { ...deleting, finalizers: ['example.com/hold'] } : {}),
      },
      spec: kind === 'Pod' ? { nodeName: 'node-1', containers: [{ name: 'main' }] } : spec(random, kind),
      status: status(random, kind),
    });
  });
  const node = {
    metadata: { name: 'node-1', uid: 'n1', resourceVersion: '1' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
  const namespace = {
    metadata: { name: 'shop', uid: 'ns', resourceVersion: '1' },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
  return [
    objectJson.read(builtIn('Node'), node),
    objectJson.read(builtIn('Namespace'), namespace),
    ...objects,
  ].filter(object => object !== undefined);
}
