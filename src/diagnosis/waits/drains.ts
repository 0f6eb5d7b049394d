/** Waits for a node to be emptied: its controller evicts the pods first, and something keeps one of them. */
import { isDeleting } from '../../graph/index.ts';
import { type KubeObject, nodeFacts, record, type Taint, text } from '../../model/index.ts';
import { isCordoned, keeperEvidence, keeperLink, keptAdvice, keptPods } from '../cluster/kept-pods.ts';
import { chainLink, evidenceText } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { belongsTo, domainOf } from '../finalizers/domain.ts';
import type { Handler } from '../finalizers/handler.ts';
import type { Wait } from './edge.ts';

/** Lists what keeps the object's node: a Node itself, or a machine whose status names one. */
export function drainWaits(
  tracked: TrackedView,
  object: KubeObject,
  { finalizer, entry }: Handler,
): readonly Wait[] {
  // Other controllers that are known don't drain.
  if (entry !== undefined && entry.drains !== true) return [];
  const node = object.facts?.kind === 'Node' ? object : nodeOf(tracked, object);
  if (node === undefined) return [];
  const isKnown = entry?.drains === true;
  const waitOn = {
    isMissing: false,
    isReported: isKnown,
    certainty: isKnown ? 'exact' : 'assumed',
  } as const;
  if (node !== object && isDeleting(node)) {
    if (entry?.waitsFor !== undefined) return [];
    const evidence = [`${object.type.kind} ${object.name}: its status names Node ${node.name}`];
    return [{ ...waitOn, on: node, evidence }];
  }
  const taints = taintsOfDrain(node, [finalizer]);
  if (taints.length === 0 && !isCordoned(node)) return [];
  const kept = [...keptPods(tracked, node, taints)];
  const [first] = kept;
  if (first === undefined) return [];
  const links = [chainLink(first.pod, 'waits for', 'not being deleted'), keeperLink(tracked, first)];
  const end = { links, advice: () => keptAdvice(tracked, kept) };
  const evidence = [
    taints.length === 0
      ? `Node ${node.name}: spec.unschedulable: true`
      : `Node ${node.name}: taint ${taints.map(({ key }) => key).join(', ')}`,
    ...keeperEvidence(first).map(evidenceText),
  ];
  return kept.map(({ pod }) => ({ ...waitOn, on: pod, end, evidence }));
}

/** Returns the taints by which the controller of a finalizer keeps new pods off a node that it empties. */
export function taintsOfDrain(node: KubeObject, finalizers: readonly string[]): readonly Taint[] {
  const taints = nodeFacts(node)?.taints ?? [];
  return taints.filter(
    ({ key, effect }) =>
      effect === 'NoSchedule' && finalizers.some(each => belongsTo(key.split('/')[0] ?? '', domainOf(each))),
  );
}

/** Reads the node of a machine: `status.nodeRef` (Cluster API), or `nodeName` together with a `providerID` (Karpenter). */
function nodeOf(tracked: TrackedView, object: KubeObject): KubeObject | undefined {
  const { spec, status: fields } = tracked.content(object)?.json ?? {};
  const status = record(fields);
  const isMachine = text(status['providerID'] ?? record(spec)['providerID']) !== '';
  // A virtual machine names the node on which it runs, and doesn't drain it.
  const name = text(record(status['nodeRef'])['name']) || (isMachine ? text(status['nodeName']) : '');
  return name === '' ? undefined : tracked.findKind('v1', 'Node', '', name);
}
