/** Namespaces that are being deleted and still there (docs/kubernetes.md §8, and §10 rows 36 to 40). */
import type { FindingDraft } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import { namespaceCase } from './case.ts';
import { discoveryFinding } from './discovery.ts';
import { failureFinding } from './failure.ts';
import { leftoverFinding } from './leftovers.ts';
import { ownFinalizerFinding } from './own-finalizers.ts';
import { podsFinding } from './pods.ts';

const terminating: Rule = {
  codes: [
    'NamespaceWaitingForPods',
    'NamespaceContentFailure',
    'NamespaceContentStuck',
    'NamespaceDiscoveryFailure',
    'NamespaceHeldByOwnFinalizer',
  ],
  appliesTo: ({ object, deleting }) => deleting && object.facts?.kind === 'Namespace',
  judge: ({ object }, tracked) => {
    const at = namespaceCase(tracked, object);
    if (at === undefined) return [];
    const own = ownFinalizerFinding(tracked, at);
    // Without a finalizer in its spec it has been emptied, and isn't looked at any more.
    if (at.facts.specFinalizers.length === 0) return present(own);
    const discovery = discoveryFinding(tracked, at);
    const pods = podsFinding(tracked, at);
    const failure = failureFinding(tracked, at);
    const explained = present(own, discovery, failure).length > 0;
    const leftover = pods === undefined ? leftoverFinding(tracked, at, explained) : undefined;
    return present(own, discovery, pods, failure, leftover);
  },
};

function present(...drafts: readonly (FindingDraft | undefined)[]): FindingDraft[] {
  return drafts.filter(draft => draft !== undefined);
}

export const namespaceRules: readonly Rule[] = [terminating];
