/** An entry's reason in a clause, and what its deletion waits for. */
import type { ActivityEntry, Ending, OwnerFate } from '../../activity/index.ts';
import type { Identity } from '../../graph/index.ts';
import {
  counted,
  FOREGROUND_FINALIZER,
  ORPHAN_FINALIZER,
  objectTitleIn,
  shownName,
} from '../../model/index.ts';
import { formatShortDuration, timeText } from '../terminal/age.ts';

const NAMED = 3;

/** Returns a sanitised clause: `its only owner ReplicaSet api-658b was deleted 0.4s before`. */
export function becauseClause(entry: ActivityEntry): string {
  const { because, holds } = entry;
  const waits = holds === undefined ? '' : holdsClause(holds, entry);
  if (because.code === 'Waits') return waits === '' ? 'nothing that was seen holds it' : waits;
  return [reasonClause(entry, because), waits].filter(clause => clause !== '').join('; ');
}

function reasonClause(
  entry: ActivityEntry,
  because: Exclude<ActivityEntry['because'], { code: 'Waits' }>,
): string {
  const { object, at } = entry;
  const title = (identity: Identity): string => objectTitleIn(identity, object.namespace);
  switch (because.code) {
    case 'OwnersGone':
      return ownersGone(because.owners, entry);
    case 'OwnersWait': {
      const waiting = because.owners.filter(({ state }) => state === 'WaitingForDependents');
      return `its ${waiting.length === 1 ? 'owner' : 'owners'} ${listed(waiting.map(({ owner }) => title(owner)))} ${waiting.length === 1 ? 'is' : 'are'} being deleted in the foreground`;
    }
    case 'EmptiedWith': {
      const also = because.owners === undefined ? '' : `; and ${ownersGone(because.owners, entry)}`;
      return `${title(because.within)} is being deleted${also}`;
    }
    case 'Asked':
      return askedClause(entry, because.owners);
    case 'Ended':
      return endedClause(entry, because.marked, because.by);
    case 'AnotherOwner': {
      const lost = because.owners.map(fate => fateClause(fate, entry)).join(', ');
      return because.stay.length === 0 ? lost : `${lost}; it still has ${listed(because.stay.map(title))}`;
    }
    case 'OwnerOrphans':
      return `its owner ${title(because.owner)} is deleted with the policy orphan`;
    case 'Controller':
      return controllerClause(entry, title(because.owner), because.selects);
    case 'OtherOwners':
      return entry.what === 'Unblocked'
        ? `it no longer blocks the deletion of ${listed(because.owners.map(title))}`
        : `${listed(because.owners.map(title))} became its owner`;
    case 'Cycle':
      return `it and ${listed(because.owners.map(title))} wait for each other, so it no longer blocks that deletion`;
    case 'Finalizers':
      return `${finalizerWords(because.removed)} removed`;
    case 'SameName':
      return because.goneAt === undefined
        ? 'another object came under this name'
        : `another object came under this name, ${formatShortDuration(at - because.goneAt)} after the one before was deleted`;
  }
}

function ownersGone(owners: readonly OwnerFate[], entry: ActivityEntry): string {
  const [only] = owners;
  if (owners.length === 1 && only !== undefined) return fateClause(only, entry, 'its only owner');
  const latest = [...owners].sort((a, b) => (b.at ?? 0) - (a.at ?? 0))[0];
  const last =
    latest?.state === 'Deleted' ? `; the last one, ${fateClause(latest, entry, '').trimStart()}` : '';
  return `none of its ${owners.length} owners is there${last}`;
}

export function fateClause(fate: OwnerFate, { object, at }: ActivityEntry, lead = 'its owner'): string {
  const owner = `${lead} ${objectTitleIn(fate.owner, object.namespace)}`;
  switch (fate.state) {
    case 'Deleted':
      return `${owner} was deleted${fate.at === undefined ? '' : ` ${before(at - fate.at)}`}`;
    case 'GoneByNow':
      return `${owner} is gone by now; which of them was deleted first was not seen`;
    case 'Absent':
      return `${owner} does not exist`;
    case 'Mismatched':
      return `${owner} does not exist: its uid is that of another object`;
    case 'OtherNamespace':
      return `${owner} is in another namespace, where it cannot own this one`;
    case 'WaitingForDependents':
      return `${owner} is being deleted in the foreground`;
    case 'ClusterScopeViolation':
    case 'Unresolvable':
    case 'Unknown':
      return `${owner} cannot be looked up`;
    case 'Solid':
      return `${owner} is there`;
  }
}

function askedClause(entry: ActivityEntry, owners: readonly OwnerFate[]): string {
  const what =
    entry.what === 'PolicyChanged'
      ? `deleted again with the policy ${entry.policy ?? 'background'}`
      : entry.what === 'ReferenceRemoved'
        ? 'the reference was removed by a request'
        : entry.policy === undefined || entry.policy === 'background'
          ? 'by a request'
          : `by a request with the policy ${entry.policy}`;
  // An object that owns itself explains nothing.
  const others = owners.filter(({ owner }) => owner.uid !== entry.object.uid);
  const there = others.filter(({ state }) => state === 'Solid');
  const [first] = there.length > 0 ? there : others;
  return first === undefined ? what : `${what}: ${fateClause(first, entry)}`;
}

function endedClause(entry: ActivityEntry, marked: number | undefined, by: Ending): string {
  const { at, object } = entry;
  const since =
    marked === undefined
      ? ''
      : `${isAtOnce(at - marked) ? 'just' : formatShortDuration(at - marked)} after it was marked`;
  const how = endingWords(by, entry, object.namespace);
  return [since, how].filter(words => words !== '').join(': ');
}

function endingWords(by: Ending, { at }: ActivityEntry, namespace: string): string {
  switch (by.how) {
    case 'finalizers':
      return `${finalizerWords(by.finalizers)} removed`;
    case 'dependents':
      return by.last === undefined
        ? 'no dependent held it up any more'
        : `the last dependent that held it up, ${objectTitleIn(by.last, namespace)}, was deleted ${before(at - (by.at ?? at))}`;
    case 'orphaned':
      return by.count === 0
        ? 'it had no dependents to orphan'
        : by.count === 1
          ? 'its dependent was orphaned first'
          : `its ${counted(by.count, 'dependent')} were orphaned first`;
    case 'namespace':
      return 'it was emptied';
    case 'pod':
    case 'unseen':
      return '';
  }
}

function controllerClause({ what }: ActivityEntry, owner: string, selects: boolean | undefined): string {
  if (what === 'Adopted')
    return selects === true ? `${owner} selects its labels` : `${owner} became its controller`;
  return selects === false
    ? `${owner} no longer selects its labels`
    : `${owner} is still there, and no longer its controller`;
}

function finalizerWords(finalizers: readonly string[]): string {
  return `${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${listed(finalizers.map(shownName))} ${finalizers.length === 1 ? 'was' : 'were'}`;
}

/** Returns `''` if nothing was seen to hold the deletion. */
function holdsClause(
  { finalizers, dependents, node, graceEnds }: NonNullable<ActivityEntry['holds']>,
  { object, at, what }: ActivityEntry,
): string {
  const foreign = finalizers.filter(each => each !== FOREGROUND_FINALIZER && each !== ORPHAN_FINALIZER);
  const parts = [
    dependents.length === 0
      ? ''
      : `${counted(dependents.length, 'dependent')}, ${listed(dependents.map(each => objectTitleIn(each, object.namespace)))}`,
    finalizers.includes(ORPHAN_FINALIZER) ? 'the garbage collector to orphan its dependents' : '',
    foreign.length === 0
      ? ''
      : `${foreign.length === 1 ? 'finalizer' : 'finalizers'} ${listed(foreign.map(shownName))}`,
    node === undefined || finalizers.length > 0
      ? ''
      : `node ${shownName(node)}${what !== 'Marked' || graceEnds === undefined || graceEnds <= at ? '' : ` until ${timeText.clock(graceEnds)}`}`,
  ].filter(part => part !== '');
  return parts.length === 0 ? '' : `waits for ${parts.join(' and ')}`;
}

function listed(words: readonly string[]): string {
  const more = words.length - NAMED;
  const named = words.slice(0, more > 1 ? NAMED : undefined).join(', ');
  return more > 1 ? `${named} and ${more} more` : named;
}

/** Returns true for less than a displayed tenth of a second. */
function isAtOnce(milliseconds: number): boolean {
  return milliseconds < 50;
}

function before(milliseconds: number): string {
  return isAtOnce(milliseconds) ? 'just before' : `${formatShortDuration(milliseconds)} before`;
}
