/**
 * Pods on nodes with a NoExecute taint are deleted: at once where the node is out of service, after five minutes
 * where it is unreachable or not ready (pkg/controller/tainteviction/taint_eviction.go, v1.36; the tolerations
 * that plugin/pkg/admission/defaulttolerationseconds gives every pod). Which further tolerations a pod has isn't
 * known, but for DaemonSets' pods, which stay on nodes that are lost.
 */
import type { KubeObject, Uid } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { Task } from '../../simulation/clock.ts';
import type { Controller, ControllerContext } from '../../simulation/controller.ts';

/** Milliseconds that a pod stays on a node that is lost, unless it says otherwise. */
const TOLERATION_MS = 300_000;

const lost: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);

export class TaintEvictionController implements Controller {
  readonly name = 'taint-eviction-controller';
  private readonly tasks = new Map<Uid, Task>();
  private context: ControllerContext | undefined;

  start(context: ControllerContext): void {
    this.context = context;
    const isNode = (type: ResourceType): boolean => type.group === '' && type.kind === 'Node';
    const isPod = (type: ResourceType): boolean => type.group === '' && type.kind === 'Pod';
    const nodeChanged = (node: KubeObject): void => {
      const type = context.type('v1', 'Pod');
      for (const pod of type === undefined ? [] : context.cache.list(type)) {
        if (nodeNameOf(pod) === node.name) this.consider(pod, node);
      }
    };
    const podChanged = (pod: KubeObject): void => {
      const type = context.type('v1', 'Node');
      const node = type && context.cache.find(type, '', nodeNameOf(pod));
      if (node !== undefined) this.consider(pod, node);
    };
    context.informer(isNode, { added: nodeChanged, updated: nodeChanged });
    context.informer(isPod, {
      added: podChanged,
      updated: podChanged,
      deleted: ({ uid }) => this.cancel(uid),
    });
  }

  stop(): void {
    for (const uid of this.tasks.keys()) this.cancel(uid);
  }

  private consider(pod: KubeObject, node: KubeObject): void {
    const { context } = this;
    const patience = pod.deletionTimestamp === undefined ? patienceOf(pod, node) : undefined;
    if (context === undefined || patience === undefined) {
      this.cancel(pod.uid);
      return;
    }
    const planned = this.tasks.get(pod.uid);
    if (planned !== undefined && planned.at <= context.clock.now + patience) return;
    this.cancel(pod.uid);
    const evict = (): void => {
      this.tasks.delete(pod.uid);
      context.api.because(`taints of node ${node.name}`).delete(pod, { preconditions: { uid: pod.uid } });
    };
    // What happens in minutes keeps nobody waiting for rest.
    const kind = patience === 0 ? 'work' : 'idle';
    this.tasks.set(pod.uid, context.clock.schedule(`evict ${pod.uid}`, evict, { delay: patience, kind }));
  }

  private cancel(uid: Uid): void {
    const task = this.tasks.get(uid);
    if (task !== undefined) this.context?.clock.cancel(task);
    this.tasks.delete(uid);
  }
}

function nodeNameOf(pod: KubeObject): string {
  return pod.facts?.kind === 'Pod' ? pod.facts.nodeName : '';
}

/** Milliseconds until the pod has to go; undefined where it may stay. */
function patienceOf(pod: KubeObject, node: KubeObject): number | undefined {
  const taints = (node.facts?.kind === 'Node' ? node.facts.taints : []).filter(
    ({ effect }) => effect === 'NoExecute',
  );
  const ofDaemonSet = pod.owners.some(({ controller, kind }) => controller === true && kind === 'DaemonSet');
  const terms = taints
    .filter(({ key }) => !(ofDaemonSet && lost.has(key)))
    .map(({ key }) => (lost.has(key) ? TOLERATION_MS : 0));
  return terms.length === 0 ? undefined : Math.min(...terms);
}
