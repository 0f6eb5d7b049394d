/**
 * What is seen of PodGC's work, which tells when its cycles are. Only what nobody else does is proof: an unfinished pod
 * gets its final phase though no kubelet answers for it. That a finished pod is deleted without grace is none: the API
 * server sees to that, whoever deletes it (pkg/registry/core/pod/strategy.go CheckGracefulDelete, v1.36).
 */
import { isDeleting } from '../../graph/deletion.ts';
import { isFinished, type KubeObject, podFacts, type Uid } from '../../model/object.ts';
import { kubeletOf } from '../passes/kubelet.ts';
import type { CycleTimes } from './cycle-times.ts';
import type { NodeRecord } from './node-record.ts';
import type { Moment } from './watched.ts';

export class Acts {
  readonly #times: CycleTimes;
  /** Pods that bear the condition which PodGC alone writes. */
  readonly #marked = new Set<Uid>();
  /** Pods that were being deleted and had not finished when they were seen last. */
  readonly #unfinished = new Set<Uid>();

  constructor(times: CycleTimes) {
    this.#times = times;
  }

  /**
   * Takes in a pod that a rule looks at, as it is now; `node`: the one it is on, undefined where none is known. `moment` is
   * undefined for what was there before anybody watched.
   */
  note(pod: KubeObject, node: NodeRecord | undefined, moment: Moment | undefined): void {
    // Nearly every pod: PodGC has had nothing to do with it.
    if (!isDeleting(pod) && !isFinished(pod)) return;
    const { uid } = pod;
    const isProof = this.#isNewlyMarked(pod) || this.#hasJustFinished(pod, node);
    if (!isFinished(pod) && isDeleting(pod)) this.#unfinished.add(uid);
    else this.#unfinished.delete(uid);
    if (isProof && moment?.seen === true) this.#times.noteAct(moment.now);
  }

  /** A pod that PodGC was about to take is gone: whoever did it, nothing is late just now. */
  noteProgress({ now, seen }: Moment): void {
    if (seen) this.#times.noteProgress(now);
  }

  forget(uid: Uid): void {
    this.#marked.delete(uid);
    this.#unfinished.delete(uid);
  }

  clear(): void {
    this.#marked.clear();
    this.#unfinished.clear();
  }

  /** By the pass over pods of nodes that are gone. */
  #isNewlyMarked(pod: KubeObject): boolean {
    if (this.#marked.has(pod.uid)) return false;
    const isMarked =
      podFacts(pod)?.conditions.some(
        ({ type, status, reason }) =>
          type === 'DisruptionTarget' && status === 'True' && reason === 'DeletionByPodGC',
      ) === true;
    if (isMarked) this.#marked.add(pod.uid);
    return isMarked;
  }

  /** By the other passes, which write no condition: no kubelet has a say of such a pod. */
  #hasJustFinished(pod: KubeObject, node: NodeRecord | undefined): boolean {
    const { phase, nodeName } = podFacts(pod) ?? {};
    if (phase !== 'Failed' || !this.#unfinished.has(pod.uid)) return false;
    if (nodeName === '') return true;
    // A kubelet that says itself that its node isn't ready still ends pods.
    return node?.state === 'OutOfService' && node.node !== undefined && kubeletOf(node.node) === 'Silent';
  }
}
