/** Remedies for a wrong owner reference: repair it, remove it, or delete the object now. */

import type { ApplicableRemedy, Risk } from '../../../forecast/index.ts';
import { identityOfObject, isDeleting } from '../../../graph/index.ts';
import { enumerated, type KubeObject, type OwnerReference, objectTitleIn } from '../../../model/index.ts';
import {
  type AfterAdoption,
  adoptionsOf,
  afterAdoption,
  matches,
  withoutReference,
} from '../../cluster/adoption.ts';
import { type Advice, advice, compareRisk } from '../../engine/finding.ts';
import { ownerTitle } from '../../engine/kind-words.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { pruneReference, repairReference } from '../../remedies/change-reference.ts';
import { deleteObject } from '../../remedies/deletion-remedies.ts';
import { keepersOf, type OwnerSurvey, type SurveyedReference } from './owner-survey.ts';

export function restartAdvice(): Advice {
  return advice(
    'plan-restart',
    'see what a restart of kube-controller-manager would delete: kubectl gc-tree plan restart',
  );
}

/** Offers nothing if the owner is being deleted: the object would follow it. `nth` keeps several repairs apart. */
export function repairTo(
  survey: OwnerSurvey,
  { reference }: SurveyedReference,
  owner: KubeObject | undefined,
  nth = 0,
): readonly ApplicableRemedy[] {
  const { object, tracked } = survey;
  // An object that owns itself would wait for itself.
  if (owner === undefined || owner === object || isDeleting(owner)) return [];
  const repair = repairReference(tracked, object, reference, identityOfObject(owner));
  const id = nth === 0 ? repair.id : `${repair.id}/${owner.type.kind.toLowerCase()}/${owner.name}`;
  const { risk, cost } = controlledBy(tracked, object, reference, owner);
  return [{ ...repair, id, risk, title: `${repair.title}${cost}` }];
}

/** A controller counts the objects it controls and deletes surplus ones. */
function controlledBy(
  tracked: TrackedView,
  object: KubeObject,
  reference: OwnerReference,
  owner: KubeObject,
): { readonly risk: Risk; readonly cost: string } {
  if (reference.controller !== true || !matches(owner, object)) return { risk: 'safe', cost: '' };
  const after = afterAdoption(tracked, owner, withoutReference(object, reference));
  const risk = adoptionRisk(after);
  return { risk, cost: risk === 'safe' ? '' : `; ${after.words}` };
}

function adoptionRisk({ fate, others }: AfterAdoption): Risk {
  if (fate === 'kept') return others ? 'dangerous' : 'safe';
  return fate === 'scaled' ? 'caution' : 'dangerous';
}

/** Removes the reference: then the object may stay for good, be deleted for its other owners, or be adopted. */
export function prune(
  survey: OwnerSurvey,
  { reference }: SurveyedReference,
  risk: Risk = 'caution',
): ApplicableRemedy {
  const { object, tracked } = survey;
  const off = `remove the reference to ${ownerTitle(reference)} from ${object.name}`;
  const adoption = reference.controller === true ? adoptionWithout(tracked, object, reference) : undefined;
  if (adoption !== undefined) {
    const worse = compareRisk(adoption, { risk }) > 0 ? adoption.risk : risk;
    return pruneReference(tracked, object, reference, { risk: worse, title: `${off}: ${adoption.words}` });
  }
  if (object.owners.length === 1) {
    const title = `${off}, which then stays until a user deletes it`;
    return pruneReference(tracked, object, reference, { risk, title });
  }
  return keepersOf(survey).length > 0
    ? pruneReference(tracked, object, reference, { risk })
    : pruneReference(tracked, object, reference);
}

/** Predicts who adopts the object once its controller reference is removed, and the result; undefined if none does. */
function adoptionWithout(
  tracked: TrackedView,
  object: KubeObject,
  reference: OwnerReference,
): { readonly risk: Risk; readonly words: string } | undefined {
  const free = withoutReference(object, reference);
  const { by } = adoptionsOf(tracked, free);
  const [first] = by;
  if (first === undefined) return undefined;
  const after = by.length === 1 ? afterAdoption(tracked, first, free) : undefined;
  const adopters = enumerated(by.map(each => objectTitleIn(each, object.namespace)));
  return {
    risk: after === undefined ? 'dangerous' : adoptionRisk(after),
    words:
      after === undefined
        ? `one of ${adopters} adopts it, and then does with it as it sees fit`
        : `${adopters} adopts it, and then ${after.words}`,
  };
}

export function deleteNow({ tracked, object }: OwnerSurvey): ApplicableRemedy {
  return deleteObject(tracked, object, 'background', {
    risk: 'caution',
    title: `delete ${object.name} now, if it is not needed`,
  });
}
