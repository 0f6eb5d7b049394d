/** Runs the keys for kubectl, in a panel or on the terminal, or explains why they can't. */
import type { GraphNode } from '../../graph/index.ts';
import { type KubeObject, objectTitle, podFacts, shellLine, type Uid } from '../../model/index.ts';
import type { SourceKind } from '../../source/index.ts';
import type { Containers, ContainerWish, KubectlCall, NoContainers } from '../state/kubectl-call.ts';
import { asking, type PickerItem, type State, withNotice } from '../state/state.ts';
import { nodeToShow } from '../views/current.ts';
import { describeCall, editCall, eventsCall, logsCall, shellCall } from './calls.ts';
import { logItems, shellItems, wishOf } from './containers.ts';

export type KubectlId = 'describe' | 'events' | 'logs' | 'edit' | 'shell';

const subjects: Readonly<Record<KubectlId, string>> = {
  describe: 'kubectl describe',
  events: 'kubectl events',
  logs: 'kubectl logs',
  edit: 'kubectl edit',
  shell: 'kubectl exec',
};

const notClusters: Readonly<Record<Exclude<SourceKind, 'cluster'>, string>> = {
  demo: 'this one is simulated',
  files: 'these are files',
  replay: 'this is a recording',
};

/** Alternatives on the screen without a cluster. */
const instead: Partial<Readonly<Record<KubectlId, string>>> = {
  describe: ' y shows it as YAML.',
  events: ' 4 shows what changed.',
};

/** Returns why kubectl can't be used here; undefined if it can. */
export function kubectlIdle(id: KubectlId, state: State): string | undefined {
  const away = noCluster(subjects[id], state);
  return away && `${away}${instead[id] ?? ''}`;
}

export function noCluster(subject: string, { info }: State): string | undefined {
  const source = info?.source ?? 'cluster';
  return source === 'cluster' ? undefined : `${subject} needs a cluster, and ${notClusters[source]}.`;
}

export const READ_ONLY = 'read-only: start without --read-only and GC_TREE_READ_ONLY to change anything';

/** Returns why a key is grey. */
export function kubectlRefusal(id: KubectlId, { options }: State): string | undefined {
  const changes = id === 'edit' || id === 'shell';
  return changes && options.readOnly ? READ_ONLY : undefined;
}

export function runKubectl(state: State, id: KubectlId): State {
  const object = nodeToShow(state)?.object;
  if (object === undefined) return state;
  const refusal = kubectlRefusal(id, state);
  if (refusal !== undefined) return withNotice(state, `Not here: ${refusal}.`, 'warning');
  switch (id) {
    case 'describe':
      return handingOver(state, describeCall(object));
    case 'events':
      return handingOver(state, eventsCall(object));
    case 'edit':
      return handingOver(state, editCall(object));
    case 'logs':
      return isPod(object) ? askingContainers(state, 'logs', object) : choosingPod(state, object);
    case 'shell':
      if (isPod(object)) return askingContainers(state, 'shell', object);
      return withNotice(state, `A shell opens in a pod, and this is a ${object.type.kind}.`, 'warning');
  }
}

function handingOver(state: State, call: KubectlCall | undefined): State {
  if (call === undefined)
    return withNotice(state, 'It has a name that kubectl would take for something else.', 'warning');
  return running(state, call);
}

/** Lends the terminal to a call that reads keys; shows the output of any other. */
export function running(state: State, call: KubectlCall): State {
  if (call.terminal === 'keys') return asking(state, { type: 'kubectl', call });
  const words = ['kubectl', ...call.words];
  const title = shellLine([{ words }]) ?? `kubectl ${call.verb}`;
  const dialog = { kind: 'text', title, lines: [], hanging: 0, top: 0, loading: true } as const;
  return asking({ ...state, dialog }, { type: 'readKubectl', call, title });
}

function isPod({ type }: KubeObject): boolean {
  return type.group === '' && type.resource === 'pods';
}

const titles: Readonly<Record<ContainerWish, string>> = { logs: 'Logs of', shell: 'Shell in' };

function askingContainers(state: State, wish: ContainerWish, pod: KubeObject): State {
  const dialog = {
    kind: 'picker',
    purpose: wish,
    title: `${titles[wish]} ${objectTitle(pod)}`,
    query: '',
    items: undefined,
    cursor: 0,
    about: pod.uid,
  } as const;
  return asking({ ...state, dialog }, { type: 'askContainers', wish, uid: pod.uid });
}

/** Types other than pods that `kubectl logs` takes: it finds pods by a selector (polymorphichelpers, v0.36). */
const logged: ReadonlySet<string> = new Set([
  '/replicationcontrollers',
  '/services',
  'apps/daemonsets',
  'apps/deployments',
  'apps/replicasets',
  'apps/statefulsets',
  'batch/jobs',
]);

const MOST_PODS = 500;

/** Offers a workload's pods, and the workload if kubectl takes it. */
function choosingPod(state: State, object: KubeObject): State {
  const pods = podsBelow(state, object.uid);
  const { group, resource, kind } = object.type;
  const whole: PickerItem[] = logged.has(`${group}/${resource}`)
    ? [{ id: object.uid, label: objectTitle(object), hint: 'kubectl chooses one of its pods' }]
    : [];
  if (pods.length + whole.length === 0)
    return withNotice(state, `Logs are those of pods, and none is below this ${kind}.`, 'warning');
  const items = [
    ...pods.map(pod => ({ id: pod.uid, label: objectTitle(pod), hint: podFacts(pod)?.phase ?? '' })),
    ...whole,
  ];
  const title = `Logs of ${objectTitle(object)}`;
  const about = object.uid;
  return { ...state, dialog: { kind: 'picker', purpose: 'pod', title, query: '', items, cursor: 0, about } };
}

function podsBelow({ cluster }: State, uid: Uid): readonly KubeObject[] {
  const top = cluster?.node(uid);
  const found = new Set<GraphNode>(top === undefined ? [] : [top]);
  const pods: KubeObject[] = [];
  // The set grows during the loop.
  for (const node of found) {
    if (node.object !== undefined && isPod(node.object)) pods.push(node.object);
    if (pods.length >= MOST_PODS) break;
    for (const dependent of node.dependents) found.add(dependent);
  }
  return pods.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function choosePod(state: State, about: Uid | undefined, id: string): State {
  const object = state.cluster?.node(id as Uid)?.object;
  if (object === undefined) return withNotice(state, 'The pod no longer exists.', 'warning');
  if (object.uid !== about) return askingContainers(state, 'logs', object);
  return handingOver(state, logsCall(object, { part: 'follow', container: undefined }));
}

export function chooseLog(state: State, about: Uid | undefined, id: string): State {
  return withPod(state, about, pod => logsCall(pod, wishOf(id)));
}

export function chooseShell(state: State, about: Uid | undefined, container: string): State {
  return withPod(state, about, pod => shellCall(pod, container));
}

function withPod(
  state: State,
  uid: Uid | undefined,
  call: (pod: KubeObject) => KubectlCall | undefined,
): State {
  const pod = uid && state.cluster?.node(uid)?.object;
  if (pod === undefined) return withNotice(state, 'The pod no longer exists.', 'warning');
  return handingOver(state, call(pod));
}

/** Offers the containers, or enters the only one. */
export function onContainers(state: State, message: Containers | NoContainers): State {
  const { uid, wish } = message;
  const { dialog } = state;
  if (dialog?.kind !== 'picker' || dialog.purpose !== wish || dialog.about !== uid) return state;
  if ('failure' in message) {
    const lines = [[{ text: message.failure, style: 'danger' as const }]];
    return { ...state, dialog: { kind: 'text', title: dialog.title, lines, top: 0, loading: false } };
  }
  const closed = { ...state, dialog: undefined };
  const { containers } = message;
  const items = wish === 'logs' ? logItems(containers) : shellItems(containers);
  const [first, ...others] = items;
  if (first === undefined) return withNotice(closed, 'None of its containers runs.', 'warning');
  if (wish === 'shell' && others.length === 0) return chooseShell(closed, uid, first.id);
  return { ...state, dialog: { ...dialog, items } };
}
