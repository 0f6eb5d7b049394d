/**
 * Finalizers on live objects whose controllers are missing (docs/kubernetes.md §10 row 50): a trap that shows once it
 * is too late. Only a hint: nothing is stuck, and the controller may return before the deletion.
 */
import { identityOfObject, objectDeletion } from '../../../graph/index.ts';
import { type KubeObject, objectTitle, type ResourceType, type Uid } from '../../../model/index.ts';
import { fieldEvidence } from '../../engine/evidence.ts';
import { type Advice, advice, chainLink, type FindingDraft } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { costOf, type Handler } from '../../finalizers/handler.ts';
import { handlerInCluster } from '../../finalizers/on-object.ts';
import { finalizerRemoval } from '../../remedies/deletion-remedies.ts';

export const latentRule: Rule = {
  appliesTo: ({ object, deleting }) =>
    !deleting && object.finalizers.length > 0 && objectDeletion.foreignFinalizers(object).length > 0,
  *judge({ object }, tracked, found) {
    if (found.some(({ code }) => code === 'NamespaceGone')) return;
    const isAbsent = (finalizer: string): boolean =>
      handlerInCluster(tracked, object, finalizer).presence === 'absent';
    // Recording these look-ups would judge every carrier again on each workload change; `affectedBy` covers lost signs.
    const trapped = tracked.unrecorded(() => objectDeletion.foreignFinalizers(object).filter(isAbsent));
    for (const finalizer of trapped.filter(isAbsent))
      yield absentDraft(tracked, object, handlerInCluster(tracked, object, finalizer));
  },
  *affectedBy({ type }, tracked) {
    if (isSign(type)) yield* carriers(tracked);
  },
};

/** Kinds that `controller-signs.ts` checks; a custom type is judged again with the types. */
const signs: ReadonlySet<string> = new Set([
  'apps/Deployment',
  'apps/StatefulSet',
  'apps/DaemonSet',
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
  'apiregistration.k8s.io/APIService',
]);

function isSign({ group, kind }: ResourceType): boolean {
  return signs.has(`${group}/${kind}`);
}

function* carriers({ view }: TrackedView): Iterable<Uid> {
  for (const { object } of view.graph.nodes())
    if (object !== undefined && object.finalizers.length > 0 && object.deletionTimestamp === undefined)
      yield object.uid;
}

function absentDraft(tracked: TrackedView, object: KubeObject, handler: Handler): FindingDraft {
  const { finalizer, words, evidence } = handler;
  const index = object.finalizers.indexOf(finalizer);
  return {
    code: 'FinalizerHandlerAbsent',
    about: finalizer,
    alike: `${finalizer} stays on each of them when it is deleted, because ${words}`,
    message: `${objectTitle(object)} carries the finalizer ${finalizer}, and ${words}: once it is deleted, it stays until a user removes that.`,
    brief: `carries ${finalizer}, which no controller would remove`,
    evidence: [fieldEvidence(object, `metadata.finalizers[${index}]`, finalizer), ...evidence],
    chain: [
      chainLink(object, '', 'not deleted'),
      { object: identityOfObject(object), by: 'will be held by', finalizer, because: words },
    ],
    remedies: () => remedies(tracked, object, handler),
  };
}

/**
 * Returns advice alone: removing the finalizer from a live object gains nothing, and breaks it for a controller that
 * returns. The command only tests the removal.
 */
function remedies(tracked: TrackedView, object: KubeObject, handler: Handler): readonly Advice[] {
  const { finalizer, name, gone = false } = handler;
  const command = finalizerRemoval(tracked, object, finalizer).kubectl;
  return [
    ...(gone
      ? []
      : [
          advice(`bring-back-controller/${finalizer}`, `bring ${name} back before ${object.name} is deleted`),
        ]),
    {
      ...advice(
        `remove-before-deletion/${finalizer}`,
        `if it is not brought back, remove ${finalizer} from ${object.name} when you delete it: ${costOf(handler)}`,
        'caution',
      ),
      kubectl: command === undefined ? [] : [{ words: [...command.words, '--dry-run=server'] }],
    },
  ];
}
