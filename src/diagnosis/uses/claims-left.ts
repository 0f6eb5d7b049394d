/** Claims that an action leaves without a pod. Kubernetes keeps them, and so their volumes and data. */
import type { Forecast } from '../../forecast/index.ts';
import { type ClusterView, type Identity, identityOfObject, isDeleting } from '../../graph/index.ts';
import { type KubeObject, objectState, podFacts, type Uid, workloadFacts } from '../../model/index.ts';
import { MOST_OWNERS } from './users.ts';

interface Deleted {
  readonly objects: readonly KubeObject[];
  goes(uid: Uid): boolean;
  goesAt(identity: Identity): boolean;
  isSure(uid: Uid): boolean;
  isReplaced(identity: Identity): boolean;
}

/** Lists claims of deleted pods that no controller replaces, and of deleted StatefulSets. */
export function claimsLeft(view: ClusterView, end: Deleted): NonNullable<Forecast['breaks']> {
  const claims = view.catalog.resolveKind('v1', 'PersistentVolumeClaim');
  if (claims === undefined) return [];
  const left = new Map<Uid, NonNullable<Forecast['breaks']>[number]>();
  for (const object of end.objects) {
    for (const name of claimsOf(object)) {
      const claim = view.graph.find(claims, object.namespace, name)?.object;
      if (claim === undefined || left.has(claim.uid) || end.goes(claim.uid) || isDeleting(claim)) continue;
      const user = identityOfObject(claim);
      const mounting = podsOf(claim);
      if (end.goesAt(user) || mounting === 'some') continue;
      const certainty = mounting === 'none' && end.isSure(object.uid) ? 'exact' : 'assumed';
      const because = 'no pod is left; the volume stays';
      const fields = { object: identityOfObject(topmost(object)), user, pods: 0, how: 'of it', because };
      left.set(claim.uid, { ...fields, when: 'leftBehind', certainty });
    }
  }
  return [...left.values()];

  function claimsOf(object: KubeObject): readonly string[] {
    if (podFacts(object) !== undefined) {
      const isOver = objectState.isFinished(object) || end.isReplaced(identityOfObject(object));
      return isOver ? [] : objectState.claims(object);
    }
    const templates = workloadFacts(object)?.claimTemplates ?? [];
    if (templates.length === 0 || claims === undefined) return [];
    const starts = templates.map(template => `${template}-${object.name}-`);
    return [...view.graph.inNamespace(claims, object.namespace)]
      .map(({ identity }) => identity.name)
      .filter(name =>
        starts.some(start => name.startsWith(start) && /^\d+$/u.test(name.slice(start.length))),
      );
  }

  /** Reports if a pod that stays mounts the claim. */
  function podsOf({ name, namespace }: KubeObject): 'some' | 'none' | 'unseen' {
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
  function topmost(object: KubeObject): KubeObject {
    let top = object;
    for (let steps = 0; steps < MOST_OWNERS; steps += 1) {
      const uid = top.owners.find(({ controller }) => controller === true)?.uid;
      const above = uid === undefined || !end.goes(uid) ? undefined : view.graph.get(uid)?.object;
      if (above === undefined) break;
      top = above;
    }
    return top;
  }
}
