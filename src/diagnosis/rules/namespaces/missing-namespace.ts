/** Objects whose Namespace was finalized by force: nothing deletes them (docs/kubernetes.md §8, §10 row 45). */
import { enumerated, type KubeObject, objectTitle, type Uid } from '../../../model/index.ts';
import { fieldEvidence } from '../../engine/evidence.ts';
import { type Advice, advice, chainLink, type FindingDraft } from '../../engine/finding.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { deleteObject } from '../../remedies/deletion-remedies.ts';

/** Exists in every cluster: if it cannot be seen, this isn't a cluster or not all Namespaces are here. */
const ALWAYS_THERE = 'kube-system';

export const namespaceGoneRule: Rule = {
  // Nearly every object has its Namespace, so none subscribes to it; `affectedBy` finds the objects of a deleted one.
  appliesTo: ({ object: { namespace } }, { view }) => {
    const type = namespace === '' ? undefined : view.catalog.resolveKind('v1', 'Namespace');
    if (type === undefined || view.graph.find(type, '', namespace) !== undefined) return false;
    if (view.scope !== undefined) return true;
    return view.visibility(type) === 'visible' && view.graph.find(type, '', ALWAYS_THERE) !== undefined;
  },
  *judge({ object }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    const { namespace, finalizers } = object;
    if (!tracked.lacks(tracked.type('v1', 'Namespace'), '', namespace)) return;
    const held = finalizers.length > 0;
    const refused = held
      ? `; the API server refuses every change of it (404), so that ${enumerated(finalizers)} cannot be removed before there is a Namespace ${namespace} again`
      : '';
    yield {
      code: 'NamespaceGone',
      message: `${objectTitle(object)} is left in a namespace that no longer exists: Namespace ${namespace} was removed with content in it, which nothing deletes${refused}.`,
      brief: `Namespace ${namespace} doesn't exist`,
      evidence: [
        fieldEvidence(object, 'metadata.namespace', namespace),
        `there is no Namespace ${namespace}`,
      ],
      chain: [chainLink(object, '', `in a namespace that doesn't exist`)],
      remedies: () => [
        !held && deleteObject(tracked, object, 'background', { risk: 'caution' }),
        recreate(namespace),
      ],
    };
  },
  *affectedBy(gone: KubeObject, tracked: TrackedView): Iterable<Uid> {
    if (gone.type.kind !== 'Namespace' || gone.type.group !== '') return;
    for (const { uid } of tracked.contents(gone.name)) yield uid;
  },
};

function recreate(namespace: string): Advice {
  return advice(
    'recreate-namespace',
    `create Namespace ${namespace} again: what is stored there shows in it and can be changed; deleting the Namespace then deletes it all, in order`,
  );
}
