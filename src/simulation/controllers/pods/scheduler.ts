/** Binds new pods in turn to nodes whose taints they tolerate and labels they select; resources and affinity are unknown. */
import { type KubeObject, objectState, type PodFacts, podFacts, type Uid } from '../../../model/index.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import type { SyncResult } from '../../runtime/work-queue.ts';
import { isSchedulable, type NodeOptions } from './kubelet-nodes.ts';

const UNSEEN_NODE = '(unseen node)';

export class SchedulerController implements Controller {
  readonly name = 'default-scheduler';
  readonly kinds = ['Pod', 'Node', 'PersistentVolumeClaim'] as const;
  readonly #options: NodeOptions;
  readonly #waiting = new Set<Uid>();
  #turn = 0;
  #context!: ControllerContext;

  constructor(options: NodeOptions = {}) {
    this.#options = options;
  }

  start(context: ControllerContext): void {
    this.#context = context;
    const queue = context.queue<Uid>('queue', uid => this.#bind(uid));
    context.informer('Pod', {
      // A pod that was unscheduled before the snapshot has unknown reasons and stays so.
      added: (pod, initial) => {
        if (initial && context.start === 'resume') return;
        if (podFacts(pod)?.nodeName === '') queue.add(pod.uid);
      },
      deleted: pod => this.#waiting.delete(pod.uid),
    });
    const retry = (): void => this.#waiting.forEach(uid => queue.add(uid));
    context.informer('Node', { added: retry, updated: retry });
    // A pod isn't scheduled while one of its claims is missing or being deleted.
    context.informer('PersistentVolumeClaim', { added: retry, updated: retry, deleted: retry });
  }

  #bind(uid: Uid): SyncResult {
    const pod = this.#context.cache.byUid(uid);
    const facts = pod && podFacts(pod);
    if (pod === undefined || facts === undefined) return 'done';
    if (facts.nodeName !== '' || facts.phase !== 'Pending' || pod.deletionTimestamp !== undefined)
      return 'done';
    const nodeName = this.#hasClaims(pod) ? this.#nextNode(facts) : undefined;
    if (nodeName === undefined) {
      this.#waiting.add(uid);
      return 'done';
    }
    this.#waiting.delete(uid);
    const answer = this.#context.api
      .because('it fits on the node')
      .patch(pod, current => ({ facts: { ...(podFacts(current) ?? facts), nodeName } }), {
        uid,
        subresource: 'binding',
      });
    return answer.ok || answer.status === 404 || answer.status === 422 ? 'done' : 'retry';
  }

  #hasClaims(pod: KubeObject): boolean {
    if (this.#context.type('PersistentVolumeClaim') === undefined) return true;
    return objectState.claims(pod).every(name => {
      const claim = this.#context.find('PersistentVolumeClaim', pod.namespace, name);
      return claim !== undefined && claim.deletionTimestamp === undefined;
    });
  }

  #nextNode(facts: PodFacts): string | undefined {
    if (this.#options.nodesKnown === false) return UNSEEN_NODE;
    const nodes = this.#context.list('Node').filter(node => isSchedulable(node, facts));
    return nodes[this.#turn++ % nodes.length]?.name;
  }
}
