/** Explains how an object outlived its owner, and what happens next, for every way in docs/kubernetes.md §9. */

import { isDeleting } from '../../../graph/index.ts';
import {
  controllerOf,
  type KubeObject,
  objectTitle,
  statefulNames,
  workloadFacts,
} from '../../../model/index.ts';
import { formerOwnerOf, setNameOf } from '../../cluster/former-owner.ts';
import { namespaceGoing } from '../../cluster/namespace-content.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { survivalOfControlled } from './controlled.ts';
import { type Survival, survivalOfOwnerless } from './ownerless.ts';

/** Returns undefined for the usual case, an object without a visible sign of a former owner. */
export function survivalOf(tracked: TrackedView, object: KubeObject): Survival | undefined {
  const survival = survivalOfItsOwner(tracked, object);
  const going = isDeleting(object) ? '' : namespaceGoing(tracked, object);
  return survival === undefined || going === ''
    ? survival
    : { ...survival, next: `It will be deleted: ${going}.` };
}

function survivalOfItsOwner(tracked: TrackedView, object: KubeObject): Survival | undefined {
  if (controllerOf(object) !== undefined) return survivalOfControlled(tracked, object);
  if (object.type.group === '' && object.type.kind === 'PersistentVolumeClaim') {
    return object.owners.length === 0 && !isDeleting(object) ? survivalOfClaim(tracked, object) : undefined;
  }
  if (isDeleting(object) && object.finalizers.length === 0) return undefined;
  const former = formerOwnerOf(object);
  return former === undefined ? undefined : survivalOfOwnerless(tracked, object, former);
}

function survivalOfClaim(tracked: TrackedView, claim: KubeObject): Survival | undefined {
  const ordinal = statefulNames.ordinal(claim);
  if (ordinal < 0) return undefined;
  if (tracked.type('apps/v1', 'StatefulSet') === undefined) return undefined;
  for (const { template, set } of splits(setNameOf(claim.name))) {
    const found = tracked.findKind('apps/v1', 'StatefulSet', claim.namespace, set);
    if (found !== undefined) return ofLiveSet(claim, found, template, ordinal);
  }
  for (const { template, set } of splits(setNameOf(claim.name))) {
    const pod = tracked.findKind('v1', 'Pod', claim.namespace, `${set}-${ordinal}`);
    if (pod?.facts?.kind === 'Pod' && pod.facts.claims.includes(claim.name)) {
      return ofGoneSet(tracked, claim, { template, set, pod });
    }
  }
  return byNameAlone(tracked, claim);
}

/** Guesses from the name, and says so: neither set nor pod is left. */
function byNameAlone(tracked: TrackedView, claim: KubeObject): Survival | undefined {
  const [likely] = splits(setNameOf(claim.name));
  if (likely === undefined) return undefined;
  const { template, set } = likely;
  return {
    way: 'kept-claim',
    summary: `${objectTitle(claim)} is owned by nothing; by its name it may be what StatefulSet ${set} left behind, as a set's claims stay unless its retention policy says Delete`,
    because: [
      `its name could be that of template ${template}, set ${set}, ordinal ${statefulNames.ordinal(claim)}`,
      `no StatefulSet of a fitting name ${tracked.sees(tracked.type('apps/v1', 'StatefulSet'), claim.namespace) ? 'is' : 'can be seen'} in ${claim.namespace}`,
    ],
    next: 'Nothing: no controller deletes a claim without an owner.',
  };
}

/** Lists readings of a name: `data-my-web` is template `data` of set `my-web`, or `data-my` of `web`. */
function splits(name: string): { readonly template: string; readonly set: string }[] {
  const words = name.split('-');
  return words.slice(1).map((_, index) => ({
    template: words.slice(0, index + 1).join('-'),
    set: words.slice(index + 1).join('-'),
  }));
}

function ofLiveSet(
  claim: KubeObject,
  set: KubeObject,
  template: string,
  ordinal: number,
): Survival | undefined {
  const facts = workloadFacts(set);
  if (facts === undefined || !facts.claimTemplates.includes(template)) return undefined;
  // The set may start at another ordinal and still use the claim.
  if (ordinal < facts.desired) return undefined;
  return {
    way: 'kept-claim',
    summary: `${objectTitle(claim)} was kept when StatefulSet ${set.name} was scaled down: ${set.name} wants ${facts.desired}, and retains the claims of pods beyond`,
    because: [
      `its name is that of template ${template}, set ${set.name}, ordinal ${ordinal}`,
      `spec.persistentVolumeClaimRetentionPolicy.whenScaled: ${facts.claimsWhenScaled || 'Retain'}`,
    ],
    next: `Nothing, until ${set.name} is scaled up again: then its pod ${set.name}-${ordinal} mounts it, with the data that is on it.`,
  };
}

function ofGoneSet(
  tracked: TrackedView,
  claim: KubeObject,
  { template, set, pod }: { readonly template: string; readonly set: string; readonly pod: KubeObject },
): Survival {
  const seen = tracked.lacks(tracked.type('apps/v1', 'StatefulSet'), claim.namespace, set);
  const gone = seen ? `${set} is gone` : `no StatefulSet ${set} can be seen`;
  return {
    way: 'kept-claim',
    summary: `${objectTitle(claim)} survived its StatefulSet: ${gone}, and a set's claims stay unless its retention policy says Delete`,
    because: [
      `its name is that of template ${template}, set ${set}, ordinal ${statefulNames.ordinal(claim)}`,
      `Pod ${pod.name} mounts it`,
    ],
    next: `Nothing: no controller deletes a claim without an owner. A new StatefulSet ${set} with the template ${template} mounts it again, with the data that is on it.`,
  };
}
