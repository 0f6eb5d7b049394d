/** What can be done about one object, from its findings and from what it is, and the remedy that an id means. */
import type { ApplicableRemedy } from '../../forecast/action.ts';
import type { KubeObject } from '../../model/object.ts';
import type { Diagnosis } from '../engine/diagnosis.ts';
import { isApplicable, type OfferedRemedy } from '../engine/finding.ts';
import { genericRemedies, genericRemedy } from './generic.ts';
import { bySafety, compareRisk } from './safety.ts';

/**
 * What the object's findings offer, in order of safety; where two findings disagree about the risk of the same remedy,
 * the warier one counts.
 */
export function remediesOf(diagnosis: Diagnosis, object: KubeObject): OfferedRemedy[] {
  const byId = new Map<string, OfferedRemedy>();
  for (const finding of diagnosis.of(object.uid)) {
    for (const remedy of finding.remedies()) {
      const known = byId.get(remedy.id);
      if (known === undefined || compareRisk(remedy, known) > 0) byId.set(remedy.id, remedy);
    }
  }
  return bySafety([...byId.values()]);
}

/** The same, and whatever else could be done about the object as it is. */
export function everyRemedyOf(diagnosis: Diagnosis, object: KubeObject): OfferedRemedy[] {
  const offered = remediesOf(diagnosis, object);
  const ids = new Set(offered.map(({ id }) => id));
  const others = genericRemedies(diagnosis.tracked, object).filter(({ id }) => !ids.has(id));
  return bySafety([...offered, ...others]);
}

/** The remedy of this id for the object; undefined where the object gives no cause for it. */
export function remedyFor(
  diagnosis: Diagnosis,
  object: KubeObject,
  id: string,
): ApplicableRemedy | undefined {
  const offered = remediesOf(diagnosis, object).find(remedy => remedy.id === id);
  if (offered !== undefined && isApplicable(offered)) return offered;
  const generic = genericRemedy(diagnosis.tracked, object, id);
  if (generic === undefined || generic.id === id) return generic;
  // An id can be written in several ways; what a finding says of the remedy goes first.
  const same = remediesOf(diagnosis, object).find(remedy => remedy.id === generic.id);
  return same !== undefined && isApplicable(same) ? same : generic;
}
