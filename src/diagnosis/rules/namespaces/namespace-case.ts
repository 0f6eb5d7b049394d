/** A namespace that is being deleted, with its conditions and its real content. */

import {
  type Condition,
  counted,
  DeletionCondition,
  enumerated,
  type KubeObject,
  type NamespaceFacts,
} from '../../../model/index.ts';
import { conditionLine } from '../../cluster/failing-apis.ts';
import { kindsOf, type NamespaceContent, namespaceContent } from '../../cluster/namespace-content.ts';
import { specFinalizersEvidence } from '../../engine/evidence.ts';
import type { Evidence } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

export interface NamespaceCase {
  readonly tracked: TrackedView;
  readonly namespace: KubeObject;
  readonly facts: NamespaceFacts;
  readonly content: NamespaceContent;
  readonly since: number;
}

/** Returns undefined if only the namespace's metadata is known. */
export function namespaceCase(tracked: TrackedView, namespace: KubeObject): NamespaceCase | undefined {
  const { facts, deletionTimestamp } = namespace;
  if (facts?.kind !== 'Namespace' || deletionTimestamp === undefined) return undefined;
  const content = namespaceContent(tracked, namespace);
  return { tracked, namespace, facts, content, since: deletionTimestamp };
}

export function reported({ facts }: NamespaceCase, type: DeletionCondition): Condition | undefined {
  return DeletionCondition.of(facts.conditions, type);
}

export function namespaceEvidence(at: NamespaceCase): Evidence[] {
  const { facts, content } = at;
  const lines: Evidence[] = [specFinalizersEvidence(at.namespace, facts.specFinalizers)];
  for (const condition of facts.conditions)
    if (condition.status === 'True') lines.push(`status.conditions: ${conditionLine(condition)}`);
  lines.push(...contradictions(at));
  if (content.unseen.length > 0) lines.push(`cannot be seen: ${enumerated(content.unseen)}`);
  if (content.reported)
    lines.push('other kinds cannot be seen: they were empty when its controller last counted what remains');
  return lines;
}

function contradictions({ facts, content }: NamespaceCase): string[] {
  const { pods, others } = content;
  const remaining = facts.conditions.find(({ type }) => type === 'NamespaceContentRemaining');
  const count = pods.length + others.length;
  if (remaining?.status === 'False' && count > 0) {
    const left = `status.conditions: NamespaceContentRemaining: False, yet the namespace still contains ${kindsOf([...pods, ...others])}`;
    return [
      pods.length === 0
        ? left
        : `${left}: while it waits for pods, the namespace controller reports all content as deleted`,
    ];
  }
  if (remaining?.status === 'True' && count === 0 && content.unseen.length === 0) {
    return ['status.conditions: NamespaceContentRemaining: True, and yet nothing is left: it is out of date'];
  }
  return [];
}

/** Ends a sentence if content may be hidden: `; more may be in it that cannot be seen: …`. */
export function unseenClause({ content }: NamespaceCase, lead: string): string {
  return content.unseen.length === 0 ? '' : `${lead}: ${enumerated(content.unseen)} cannot be seen`;
}

/** `5 objects (3 ConfigMaps, 2 Widgets)`, `ConfigMap held`, `3 ConfigMaps`. */
export function amount(objects: readonly KubeObject[]): string {
  const [first, ...more] = objects;
  if (first !== undefined && more.length === 0) return `${first.type.kind} ${first.name}`;
  const kinds = kindsOf(objects);
  return kinds.includes(', ') ? `${counted(objects.length, 'object')} (${kinds})` : kinds;
}
