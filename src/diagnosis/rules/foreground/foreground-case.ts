/** A foreground deletion in progress, with the path down to what it waits for; all foreground findings use it. */

import type { HoldStep } from '../../../forecast/index.ts';
import { type Identity, identityOfObject, objectDeletion } from '../../../graph/index.ts';
import {
  counted,
  FOREGROUND_FINALIZER,
  type KubeObject,
  objectTitle,
  objectTitleIn,
} from '../../../model/index.ts';
import { namespaceGoing } from '../../cluster/namespace-content.ts';
import {
  blockingReferences,
  deletionEvidence,
  evidenceOn,
  referenceEvidence,
} from '../../engine/evidence.ts';
import type { EvidenceLine, FindingDraft } from '../../engine/finding.ts';
import { pathsOf } from '../../engine/live-holds.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { linksOf } from '../../waits/chain.ts';

export interface ForegroundCase {
  readonly tracked: TrackedView;
  readonly object: KubeObject;
  readonly path: readonly HoldStep[];
  /** Dependents on the path: the object's blocker first, the deciding one last. Empty if the object itself decides. */
  readonly dependents: readonly KubeObject[];
  /** The first step that doesn't lead from an owner to a blocking dependent: the deciding object and its hold. */
  readonly decided: HoldStep;
  /** Dependents that block the object itself and won't be deleted without help, including the path's first one. */
  readonly stuck: readonly KubeObject[];
  readonly since: number | undefined;
}

export function foregroundCase(tracked: TrackedView, object: KubeObject): ForegroundCase | undefined {
  const paths = pathsOf(tracked, object, FOREGROUND_FINALIZER);
  const [hardest] = paths;
  const path = hardest?.steps ?? [];
  const at = path.findIndex(({ hold }) => hold.by !== 'dependent');
  const decided = path[at < 0 ? path.length - 1 : at];
  if (decided === undefined) return undefined;
  const dependents = path.slice(1, at + 1).map(step => step.object);
  const stuck = paths.flatMap(({ steps, stuck }) => {
    const hold = steps[0]?.hold;
    return stuck && hold?.by === 'dependent' ? [hold.object] : [];
  });
  return { tracked, object, path, dependents, decided, stuck, since: objectDeletion.requestedAt(object) };
}

export function onCase(at: ForegroundCase): Pick<FindingDraft, 'since' | 'chain' | 'related'> {
  return { since: at.since, chain: linksOf(at.tracked, at.path), related: relatedOf(at) };
}

/** `Pod web-2`, `ReplicaSet web-1, which waits for Pod web-1-x,`: to be followed by `which …`. */
export function way({ object, dependents, stuck }: ForegroundCase): string {
  const titles = dependents.map(each => objectTitleIn(each, object.namespace));
  const [first = '', ...rest] = titles;
  const last = rest.at(-1);
  const through = rest.length > 1 ? ` through ${counted(rest.length - 1, 'more object')}` : '';
  const path = last === undefined ? first : `${first}, which waits${through} for ${last}`;
  return stuck.length > 1 ? `${path} (and for ${counted(stuck.length - 1, 'other')})` : path;
}

/** Starts the sentence. In a terminating namespace it never says stuck: the namespace controller ends the wait. */
export function lead({ tracked, object }: ForegroundCase, stuck: boolean): string {
  return stuck && namespaceGoing(tracked, object) === ''
    ? `${objectTitle(object)} is stuck: its foreground deletion waits for`
    : `${objectTitle(object)} is being deleted in the foreground, and waits for`;
}

export function wayEvidence({ object, dependents }: ForegroundCase): EvidenceLine[] {
  const lines = deletionEvidence(object);
  let owner = object;
  for (const dependent of dependents) {
    const references = blockingReferences(dependent, owner).map(each => referenceEvidence(dependent, each));
    lines.push(...evidenceOn(dependent, ...references));
    owner = dependent;
  }
  return lines;
}

/** Lists the deciding object first, then the others on the path, then other blocking dependents. */
export function relatedOf(
  { dependents, stuck, decided }: ForegroundCase,
  ...more: readonly KubeObject[]
): Identity[] {
  const objects = new Set<KubeObject>([decided.object, ...more, ...dependents.toReversed(), ...stuck]);
  return [...objects].map(identityOfObject);
}
