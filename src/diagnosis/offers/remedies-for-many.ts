/** Remedies for many objects in one run, and the remedy for many that an id names. */
import { type ApplicableRemedy, requestWords, type UnblockAction } from '../../forecast/index.ts';
import { isDeleting } from '../../graph/index.ts';
import type { KubeObject } from '../../model/index.ts';
import type { Diagnosis } from '../engine/diagnosis.ts';
import type { OfferedRemedy } from '../engine/finding.ts';
import {
  badReferencesBy,
  badReferencesOf,
  changeReferences,
  referenceChanges,
} from '../remedies/many/bad-references.ts';
import {
  byType,
  chosen,
  type Extent,
  extentOf,
  FINALIZER_FROM_ALL,
  isForMany,
  UNBLOCK_ALL,
} from '../remedies/many/extent.ts';
import { finalizerOfMany, removeFromAll } from '../remedies/many/finalizers.ts';
import { unblockAll } from './unblock-all.ts';

/** Lists remedies for an object and similar ones. Findings omit them, because each finding would repeat them. */
export function remediesForAlike(diagnosis: Diagnosis, object: KubeObject): ApplicableRemedy[] {
  const extent = extentOf(diagnosis.tracked, object, object.type);
  return remediesIn(diagnosis, extent, [object]).filter(({ requests }) => requests.length > 1);
}

function remediesForChosen(diagnosis: Diagnosis, objects: readonly KubeObject[]): ApplicableRemedy[] {
  const found = remediesIn(diagnosis, chosen(objects), objects);
  return [...found, ...remedyForAll(diagnosis, objects, found)];
}

/** Returns the remedy for everything that the objects wait for, unless another one sends the same requests. */
export function remedyForAll(
  diagnosis: Diagnosis,
  objects: readonly KubeObject[],
  others: readonly OfferedRemedy[],
): ApplicableRemedy[] {
  const all = unblockAll(diagnosis, objects);
  return all === undefined || others.some(each => sendsSame(each, all)) ? [] : [all];
}

export function sendsSame(a: OfferedRemedy, b: OfferedRemedy): boolean {
  const [ofA, ofB] = [a, b].map(({ requests }) =>
    requests
      .map(each => JSON.stringify(each))
      .sort()
      .join(),
  );
  return ofA === ofB;
}

/** Builds the action of a remedy for the object. A remedy for many covers only the chosen objects that it changes. */
function unblocking(
  target: KubeObject,
  remedy: ApplicableRemedy,
  chosenOnes?: readonly KubeObject[],
): UnblockAction {
  if (chosenOnes === undefined || !isForMany(remedy.id)) return { verb: 'unblock', target, remedy };
  if (remedy.id === UNBLOCK_ALL) return { verb: 'unblock', target, remedy, among: chosenOnes };
  const paths = new Set(remedy.requests.map(({ path }) => path));
  const among = chosenOnes.filter(each => paths.has(requestWords.objectPath(each)));
  return { verb: 'unblock', target: among.at(-1) ?? target, remedy, among };
}

/** Lists remedies in an extent for the problems of `concerned`. */
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

/** Returns undefined if nothing calls for the remedy. `among` limits it to chosen objects instead of an extent. */
export function remedyForMany(
  diagnosis: Diagnosis,
  object: KubeObject,
  id: string,
  among?: readonly KubeObject[],
): ApplicableRemedy | undefined {
  if (id === UNBLOCK_ALL) return unblockAll(diagnosis, among ?? [object]);
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

/** Translates one object's id, `remove-finalizer/NAME` alone, if several objects of one kind are chosen. */
export function idForMany({ tracked }: Diagnosis, among: readonly KubeObject[], id: string): string {
  const one = 'remove-finalizer/';
  const [type, ...others] = byType(among).keys();
  return type === undefined || others.length > 0 || !id.startsWith(one)
    ? id
    : `${FINALIZER_FROM_ALL}/${requestWords.kubectlType(tracked.view.catalog, type)}/${id.slice(one.length)}`;
}

export const remediesForMany = { ALL: UNBLOCK_ALL, forChosen: remediesForChosen, action: unblocking };
