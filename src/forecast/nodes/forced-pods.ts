/**
 * What it means to delete a pod by force, as a person or a remedy does: nobody waits for its kubelet, so that its
 * containers may run on, beside those of the pod that takes its place. Apart from what PodGC does for a node.
 */

import { isFinished, podFacts } from '../../model/facts/object-facts.ts';
import { namespacedName, type Uid } from '../../model/object.ts';
import { kubeletOf } from '../../podgc/passes/kubelet.ts';
import type { Ends } from '../plan/outcome.ts';
import type { TwiceRunning } from '../plan/plan.ts';
import { type Run, type Stage, USER } from '../run.ts';
import { type LostPod, runningTwice } from './run-twice.ts';

const NAMED = 5;

/** In sentences that have to be read before anything else. */
export function forcedPods(stage: Stage, run: Run, ends: Ends): string[] {
  const lost = removedByForce(stage, run);
  if (lost.length === 0) return [];
  const named = new Set<Uid>();
  const sentences = runningTwice({ stage, run, ends }, lost).map(each => {
    named.add(each.pod.uid);
    return twiceSentence(each);
  });
  const alone = lost.filter(({ pod, kubelet }) => !named.has(pod.uid) && kubelet !== 'Ready');
  if (alone.length > 0) sentences.push(aloneSentence(alone));
  const more = sentences.length - NAMED;
  return more > 0
    ? [...sentences.slice(0, NAMED), `${more} more pods could run twice in the same way.`]
    : sentences;
}

/** Pods that the user's own request removed while their containers ran, as far as anybody knows. */
function removedByForce({ view }: Stage, { log }: Run): LostPod[] {
  const nodeType = view.catalog.resolveKind('v1', 'Node');
  const lost: LostPod[] = [];
  for (const { actor, verb, before: pod, after } of log) {
    if (actor !== USER || verb !== 'delete' || pod === undefined || after !== undefined) continue;
    const nodeName = podFacts(pod)?.nodeName ?? '';
    if (nodeName === '' || isFinished(pod)) continue;
    const node = nodeType && view.graph.find(nodeType, '', nodeName)?.object;
    const seen = nodeType !== undefined && view.sees(nodeType, '');
    // A node that isn't there answers to nobody.
    const kubelet = node === undefined ? (seen ? 'Silent' : 'Unseen') : kubeletOf(node);
    lost.push({ pod, after: undefined, node: nodeName, kubelet });
  }
  return lost;
}

function twiceSentence({ pod, replacedBy, claim, certainty, because }: TwiceRunning): string {
  const what = claim === undefined ? 'it again' : `another that uses the same claim ${claim}`;
  const makes =
    certainty === 'exact' ? `makes ${what}` : `may make ${what}, because what it does isn't known`;
  return `Pod ${namespacedName(pod)} could run twice: ${replacedBy.kind} ${replacedBy.name} ${makes}, and ${because}.`;
}

function aloneSentence(lost: readonly LostPod[]): string {
  const names = lost.map(({ pod }) => namespacedName(pod)).sort();
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  const shown = `${names.length === 1 ? 'Pod' : 'Pods'} ${names.slice(0, NAMED).join(', ')}${more}`;
  return `Deletion by force doesn't wait for a kubelet, and none is known to answer for ${shown}: the containers may run on, where nobody sees them any more.`;
}
