/** Random nodes to drain, each with a namespace of its own, and the flags to drain it with. */
import { Random } from '../../../src/simulation/runtime/random.ts';

export interface DrainWorld {
  readonly node: string;
  readonly namespace: string;
  readonly yaml: string;
  /** Names of pods to patch, delete or finish once they run. */
  readonly unready: readonly string[];
  readonly finished: readonly string[];
  readonly terminating: readonly string[];
  readonly flags: readonly string[];
}

/** Nodes to drain have it, so that their pods go elsewhere. */
export const TAINT = 'example.com/drained=yes:NoSchedule';

/** Pods with a node of their own are bound without the scheduler, and then adopted by their controllers. */
export function drainWorld(seed: number, node: string, spare: string): DrainWorld {
  const random = new Random(seed);
  const chance = (percent: number): boolean => random.below(100) < percent;
  const namespace = `drain-${seed}`;
  const documents = [`{apiVersion: v1, kind: Namespace, metadata: {name: ${namespace}}}`];
  const names: string[] = [];
  /** Their replacements fit on no other node. */
  const isPinned = chance(15);
  const pinned = `nodeSelector: {kubernetes.io/hostname: ${node}}`;
  const pod = (
    name: string,
    app: string,
    more: { readonly metadata?: string; readonly on?: string } = {},
  ): void => {
    const { metadata = '', on = node } = more;
    if (on === node && metadata === '') names.push(name);
    const selector = app === 'api' && isPinned ? `, ${pinned}` : '';
    const volumes = chance(25) ? ', volumes: [{name: tmp, emptyDir: {}}]' : '';
    documents.push(
      `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: ${namespace}, labels: {app: ${app}, team: all}${metadata}}, spec: {nodeName: ${on}, terminationGracePeriodSeconds: 1, automountServiceAccountToken: false, tolerations: [{operator: Exists}], containers: [{name: main, image: registry.example.com/app}]${volumes}${selector}}}`,
    );
  };
  const template = (app: string): string =>
    `template: {metadata: {labels: {app: ${app}, team: all}}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: main, image: registry.example.com/app}]${app === 'api' && isPinned ? `, ${pinned}` : ''}}}`;
  const set = (kind: string, name: string, replicas: number, more = ''): void => {
    documents.push(
      `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: ${name}, namespace: ${namespace}}, spec: {replicas: ${replicas}, selector: {matchLabels: {app: ${name}}}, ${template(name)}${more}}}`,
    );
  };
  const replicas = 1 + random.below(4);
  for (let i = 0; i < replicas; i++) pod(`api-${i}`, 'api', isPinned || chance(70) ? {} : { on: spare });
  set('ReplicaSet', 'api', replicas);
  if (chance(40)) {
    const count = 1 + random.below(2);
    for (let i = 0; i < count; i++) pod(`db-${i}`, 'db');
    set(
      'StatefulSet',
      'db',
      count,
      ', serviceName: db, podManagementPolicy: Parallel, updateStrategy: {type: OnDelete}',
    );
  }
  if (chance(35))
    documents.push(
      `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: log, namespace: ${namespace}}, spec: {selector: {matchLabels: {app: log}}, template: {metadata: {labels: {app: log}}, spec: {nodeSelector: {kubernetes.io/hostname: ${node}}, tolerations: [{operator: Exists}], containers: [{name: main, image: registry.example.com/app}]}}}}`,
    );
  const bare = random.below(3);
  for (let i = 0; i < bare; i++) pod(`bare-${i}`, 'bare');
  if (chance(25)) pod('mirror', 'mirror', { metadata: ', annotations: {kubernetes.io/config.mirror: file}' });
  const terminating = chance(12) ? ['held'] : [];
  if (terminating.length > 0) pod('held', 'held', { metadata: ', finalizers: [example.com/hold]' });
  documents.push(...budgets(random, namespace));
  const states = names.map(name => ({ name, state: random.below(8) }));
  const flag = (name: string): string[] => (chance(85) ? [name] : []);
  return {
    node,
    namespace,
    yaml: documents.join('\n---\n'),
    unready: states.flatMap(({ name, state }) => (state === 0 ? name : [])),
    finished: states.flatMap(({ name, state }) => (state === 1 && name.startsWith('bare') ? name : [])),
    terminating,
    flags: [
      ...flag('--force'),
      ...flag('--ignore-daemonsets'),
      ...flag('--delete-emptydir-data'),
      ...(chance(10) ? ['--disable-eviction'] : []),
      ...(chance(10) ? ['--pod-selector=app in (api,db)'] : []),
      ...(chance(20) ? ['--grace-period=1'] : []),
    ],
  };
}

function budgets(random: Random, namespace: string): string[] {
  return ['api', 'db', 'bare', 'all'].flatMap(name => {
    if (random.below(100) >= (name === 'api' ? 70 : name === 'all' ? 8 : 35)) return [];
    const wanted = [
      `minAvailable: ${random.below(4)}`,
      `maxUnavailable: ${random.below(3)}`,
      'minAvailable: 50%',
    ];
    const selector = name === 'all' ? 'team: all' : `app: ${name}`;
    const policy = random.below(3) === 0 ? ', unhealthyPodEvictionPolicy: AlwaysAllow' : '';
    return `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: ${name}, namespace: ${namespace}}, spec: {${wanted[random.below(3)] ?? ''}, selector: {matchLabels: {${selector}}}${policy}}}`;
  });
}
