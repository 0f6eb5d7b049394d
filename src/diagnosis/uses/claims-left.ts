/** Claims that an action leaves without a pod. Kubernetes keeps them, and so their volumes and data. */
import type { Forecast } from '../../forecast/index.ts';
import { type ClusterView, type Identity, identityOfObject, isDeleting } from '../../graph/index.ts';
import {
  controllerOf,
  type KubeObject,
  objectState,
  podFacts,
  type ResourceType,
  type Uid,
  workloadFacts,
} from '../../model/index.ts';
import { MOST_OWNERS } from './users.ts';

type Break = NonNullable<Forecast['breaks']>[number];

interface Deleted {
  readonly objects: readonly KubeObject[];
  goes(uid: Uid): boolean;
  goesAt(identity: Identity): boolean;
  isSure(uid: Uid): boolean;
  isReplaced(identity: Identity): boolean;
}

/** Lists claims of deleted pods that no controller replaces, and of deleted StatefulSets. */
export function claimsLeft(view: ClusterView, end: Deleted): readonly Break[] {
  const type = view.catalog.resolveKind('v1', 'PersistentVolumeClaim');
  if (type === undefined) return [];
  const left = new Map<Uid, Break>();
  for (const object of end.objects) {
    for (const name of claimNames(view, end, { object, type })) {
      const claim = view.graph.find(type, object.namespace, name)?.object;
      if (claim === undefined || left.has(claim.uid)) continue;
      const found = breakOf(view, end, { object, claim });
      if (found !== undefined) left.set(claim.uid, found);
    }
  }
  return [...left.values()];
}

/** Names the claims of a pod, or those in the graph that a StatefulSet created. */
function claimNames(
  view: ClusterView,
  end: Deleted,
  { object, type }: { readonly object: KubeObject; readonly type: ResourceType },
): readonly string[] {
  if (podFacts(object) !== undefined) {
    const isOver = objectState.isFinished(object) || end.isReplaced(identityOfObject(object));
    return isOver ? [] : objectState.claims(object);
  }
  const templates = workloadFacts(object)?.claimTemplates ?? [];
  if (templates.length === 0) return [];
  const starts = templates.map(template => `${template}-${object.name}-`);
  return [...view.graph.inNamespace(type, object.namespace)]
    .map(({ identity }) => identity.name)
    .filter(name => starts.some(start => name.startsWith(start) && /^\d+$/u.test(name.slice(start.length))));
}

function breakOf(
  view: ClusterView,
  end: Deleted,
  { object, claim }: { readonly object: KubeObject; readonly claim: KubeObject },
): Break | undefined {
  const user = identityOfObject(claim);
  if (isDeleting(claim) || end.goes(claim.uid) || end.goesAt(user)) return undefined;
  const mounting = podsLeft(view, end, claim);
  if (mounting === 'some') return undefined;
  return {
    object: identityOfObject(topmost(view, end, object)),
    user,
    pods: 0,
    how: 'of it',
    when: 'leftBehind',
    because: 'no pod is left; the volume stays',
    certainty: mounting === 'none' && end.isSure(object.uid) ? 'exact' : 'assumed',
  };
}

/** Reports if a pod that stays mounts the claim. */
function podsLeft(
  view: ClusterView,
  end: Deleted,
  { name, namespace }: KubeObject,
): 'some' | 'none' | 'unseen' {
  const pods = view.catalog.resolveKind('v1', 'Pod');
  if (pods === undefined) return 'unseen';
  const mounts = [...view.graph.inNamespace(pods, namespace)].some(
    ({ object }) =>
      object !== undefined &&
      !end.goes(object.uid) &&
      !objectState.isFinished(object) &&
      objectState.claims(object).includes(name),
  );
  if (mounts) return 'some';
  return view.reads(pods, namespace) ? 'none' : 'unseen';
}

/** Climbs the controllers that are deleted too. */
function topmost(view: ClusterView, end: Deleted, object: KubeObject): KubeObject {
  let top = object;
  for (let steps = 0; steps < MOST_OWNERS; steps += 1) {
    const uid = controllerOf(top)?.uid;
    const above = uid === undefined || !end.goes(uid) ? undefined : view.graph.get(uid)?.object;
    if (above === undefined) break;
    top = above;
  }
  return top;
}
