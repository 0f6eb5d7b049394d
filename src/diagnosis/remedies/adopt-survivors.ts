/**
 * Creates a StatefulSet that is gone again, so that it adopts its pods without a restart: they stay if their label names
 * the ControllerRevision of the new set's template, which also adopts that revision (getStatefulSetRevisions and
 * processReplica in pkg/controller/statefulset/stateful_set_control.go, v1.36).
 */
import { type ApplicableRemedy, requestWords } from '../../forecast/index.ts';
import { isDeleting } from '../../graph/index.ts';
import {
  ActRequest,
  controllerOf,
  type KubeObject,
  Labels,
  podFacts,
  statefulNames,
} from '../../model/index.ts';
import { restRequests } from '../../simulation/index.ts';
import { type FormerOwner, namesakeOf, REVISION_HASH } from '../cluster/former-owner.ts';
import { changedLabels, templateLabels } from '../cluster/label-signs.ts';
import { kindAndNames } from '../engine/kind-words.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { remedy } from './remedy-requests.ts';

/**
 * Returns undefined unless all pods have one revision that nothing controls, its labels, and ordinals without a gap: only
 * then does the set neither restart nor create one. `pods` are in the order of their ordinals.
 */
export function adoptByNewSet(
  tracked: TrackedView,
  former: FormerOwner,
  pods: readonly KubeObject[],
): ApplicableRemedy | undefined {
  const [first] = pods;
  const type = tracked.type(former.apiVersion, former.kind);
  if (first === undefined || type === undefined) return undefined;
  const { name } = former;
  const { namespace } = first;
  const revision = commonRevision(tracked, former, pods);
  const start = statefulNames.ordinal(first);
  const isUnbroken = pods.every((pod, index) => statefulNames.ordinal(pod) === start + index);
  const { object: namesake, seen } = namesakeOf(tracked, former, namespace);
  if (revision === undefined || !isUnbroken || namesake !== undefined || !seen) return undefined;
  const labels = labelsJson(templateLabels(revision));
  const spec = {
    replicas: pods.length,
    ...(start > 0 && { ordinals: { start } }),
    selector: { matchLabels: labels },
    template: { metadata: { labels } },
    volumeClaimTemplates: claimTemplates(name, pods).map(each => ({ metadata: { name: each } })),
  };
  const body = { apiVersion: former.apiVersion, kind: former.kind, metadata: { name, namespace }, spec };
  const path = requestWords.objectPath({ type, namespace, name: '' });
  const contentType = 'application/json';
  const newUid = ActRequest.newUid(revision.uid);
  return remedy({
    id: `adopt/statefulset/${name}`,
    title: `create StatefulSet ${name} again from ControllerRevision ${revision.name}: it adopts ${kindAndNames(pods)}, and restarts none`,
    risk: 'caution',
    acts: [
      {
        request: { verb: 'POST', path, contentType, body, formerUid: revision.uid, revision: revision.name },
        apply: api =>
          restRequests.play(
            api,
            { method: 'POST', path, contentType, body },
            { types: tracked.view.catalog.types, newUid },
          ),
      },
    ],
  });
}

function commonRevision(
  tracked: TrackedView,
  former: FormerOwner,
  pods: readonly KubeObject[],
): KubeObject | undefined {
  const [first] = pods;
  const name = first && Labels.value(first.labels, REVISION_HASH);
  if (first === undefined || name === undefined) return undefined;
  const revision = tracked.findKind('apps/v1', 'ControllerRevision', first.namespace, name);
  if (revision === undefined || isDeleting(revision) || controllerOf(revision) !== undefined)
    return undefined;
  const isLike = (pod: KubeObject): boolean =>
    Labels.value(pod.labels, REVISION_HASH) === name && changedLabels(pod, former, revision) === undefined;
  return templateLabels(revision).length > 0 && pods.every(isLike) ? revision : undefined;
}

/** Returns the templates by whose names every pod has a claim: the controller writes to a pod that lacks one. */
function claimTemplates(set: string, pods: readonly KubeObject[]): string[] {
  const [first = new Set<string>(), ...others] = pods.map(pod => {
    const end = `-${set}-${statefulNames.ordinal(pod)}`;
    const claims = podFacts(pod)?.claims ?? [];
    return new Set(claims.filter(each => each.endsWith(end)).map(each => each.slice(0, -end.length)));
  });
  return [...first].filter(each => others.every(other => other.has(each)));
}

function labelsJson(labels: Labels): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  for (let i = 0; i < labels.length; i += 2) entries.push([labels[i] ?? '', labels[i + 1] ?? '']);
  return Object.fromEntries(entries);
}
