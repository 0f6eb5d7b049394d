/** What can be done to many objects of a kind in one run, and the remedy for many that an id means. */
import type { ApplicableRemedy, UnblockAction } from '../../../forecast/action.ts';
import { kubectlType, objectPath } from '../../../forecast/requests.ts';
import { isDeleting } from '../../../graph/deletion.ts';
import type { KubeObject } from '../../../model/object.ts';
import type { Diagnosis } from '../../engine/diagnosis.ts';
import { byType, chosen, type Extent, extentOf, FINALIZER_FROM_ALL, isForMany } from './extent.ts';
import { finalizerOfMany, removeFromAll } from './finalizers.ts';
import { badReferencesBy, badReferencesOf, changeReferences, referenceChanges } from './references.ts';

/**
 * To what is beside an object and like it in this, where it isn't alone. Not among the remedies of its findings: as many
 * objects have one, and each would repeat all of them.
 */
export function remediesForAlike(diagnosis: Diagnosis, object: KubeObject): ApplicableRemedy[] {
  const extent = extentOf(diagnosis.tracked, object, object.type);
  return remediesIn(diagnosis, extent, [object]).filter(({ requests }) => requests.length > 1);
}

/** To objects that somebody has chosen, of whatever kinds. */
export function remediesForChosen(diagnosis: Diagnosis, objects: readonly KubeObject[]): ApplicableRemedy[] {
  return remediesIn(diagnosis, chosen(objects), objects);
}

/** The action of a remedy for the object. One for many is about those of the chosen ones that it changes, and no others. */
export function unblocking(
  target: KubeObject,
  remedy: ApplicableRemedy,
  chosenOnes?: readonly KubeObject[],
): UnblockAction {
  if (chosenOnes === undefined || !isForMany(remedy.id)) return { verb: 'unblock', target, remedy };
  const paths = new Set(remedy.requests.map(({ path }) => path));
  const among = chosenOnes.filter(each => paths.has(objectPath(each)));
  return { verb: 'unblock', target: among.at(-1) ?? target, remedy, among };
}

/** In an extent, about whatever is the matter with `concerned`. */
function remediesIn(
  diagnosis: Diagnosis,
  extent: Extent,
  concerned: readonly KubeObject[],
): ApplicableRemedy[] {
  const found = new Map<string, () => ApplicableRemedy | undefined>();
  for (const object of concerned) {
    const { type } = object;
    const of = `${type.apiVersion} ${type.kind}`;
    for (const finalizer of isDeleting(object) ? object.finalizers : [])
      found.set(`${of} ${finalizer}`, () => removeFromAll(diagnosis.tracked, extent, { type, finalizer }));
    for (const bad of badReferencesOf(diagnosis, object))
      for (const change of referenceChanges)
        found.set(`${of} ${change.many} ${bad.status} ${bad.apiVersion} ${bad.kind}`, () =>
          changeReferences(diagnosis, extent, bad, change),
        );
  }
  return [...found.values()].flatMap(make => make() ?? []);
}

/**
 * The remedy for many of this id; undefined where there is no cause for it. `among`: objects that somebody has chosen, and
 * that it is limited to; left out, the object stands for what is beside it (`extentOf`).
 */
export function remedyForMany(
  diagnosis: Diagnosis,
  object: KubeObject,
  id: string,
  among?: readonly KubeObject[],
): ApplicableRemedy | undefined {
  const { tracked } = diagnosis;
  const slash = id.indexOf('/');
  const [word, rest] = [id.slice(0, slash), id.slice(slash + 1)];
  const extentFor = (type: KubeObject['type']): Extent =>
    among === undefined ? extentOf(tracked, object, type) : chosen(among);
  if (word === FINALIZER_FROM_ALL) {
    const asked = finalizerOfMany(tracked, rest);
    return asked && removeFromAll(tracked, extentFor(asked.type), asked);
  }
  const change = referenceChanges.find(({ many }) => many === word);
  const bad = change && badReferencesBy(diagnosis, rest);
  return bad && changeReferences(diagnosis, extentFor(bad.type), bad, change);
}

/** The id for many that stands for one object's where several of a kind are chosen: `remove-finalizer/NAME` alone. */
export function idForMany({ tracked }: Diagnosis, among: readonly KubeObject[], id: string): string {
  const one = 'remove-finalizer/';
  const [type, ...others] = byType(among).keys();
  return type === undefined || others.length > 0 || !id.startsWith(one)
    ? id
    : `${FINALIZER_FROM_ALL}/${kubectlType(tracked.view.catalog, type)}/${id.slice(one.length)}`;
}
