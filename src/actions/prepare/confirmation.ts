/** Decides how strong a confirmation must be, by the extent of an action and by its losses. */
import { isForMany } from '../../diagnosis/index.ts';
import { expected, Forecast, requestWords } from '../../forecast/index.ts';
import { type ClusterView, type Identity, isDeleting } from '../../graph/index.ts';
import { objectTitle, podFacts, shownName } from '../../model/index.ts';
import { Intent } from './action-intent.ts';
import type { Loss } from './losses.ts';

/**
 * - `key`: one key or `y` is enough: at most one object changes, and an undo or its controller restores it.
 * - `typed`: the user types the word, because many objects are affected or something is lost for good.
 */
export type Confirmation =
  | { readonly kind: 'key' }
  | { readonly kind: 'typed'; readonly word: string; readonly because: string };

export interface ActionScope {
  readonly intent: Intent;
  readonly forecast: Forecast;
  readonly concerned: readonly Identity[];
  /** Objects deleted, or possibly deleted, without being requested. */
  readonly along: readonly Identity[];
  readonly losses: readonly Loss[];
  /** Deleted objects the backup can't read, apart from `losses`. */
  readonly unread: readonly Loss[];
}

/** `view` is the state before the action. */
export function confirmationOf(extent: ActionScope, view: ClusterView): Confirmation {
  const reasons = [reasonOf(extent, view), lossWords([...extent.losses, ...extent.unread])].filter(
    each => each !== undefined,
  );
  if (reasons.length === 0) return { kind: 'key' };
  return { kind: 'typed', word: wordOf(extent.intent), because: reasons.join(', and ') };
}

function wordOf(intent: Intent): string {
  const [target] = Intent.targets(intent);
  const several = intent.verb === 'delete' ? intent.targets.length : manyIn(intent);
  return several > 1 ? String(several) : (target?.name ?? '');
}

function manyIn(intent: Intent): number {
  if (intent.verb !== 'unblock' || !isForMany(intent.remedy.id)) return 1;
  return new Set(intent.remedy.requests.map(({ path }) => path)).size;
}

function reasonOf(
  { intent, forecast, concerned, along }: ActionScope,
  view: ClusterView,
): string | undefined {
  const [target] = Intent.targets(intent);
  if (intent.verb !== 'delete' && intent.remedy.risk === 'dangerous') return 'this is dangerous';
  const forced = forcedPod(intent);
  if (forced !== undefined)
    return `the containers of Pod ${forced} may run on: its kubelet is not waited for`;
  const gone = Forecast.own(Forecast.deletedAtMost(forecast)).length;
  const beside = expected(forecast.logical ?? [], 'deleted').length;
  const tools = `tools that manage objects are assumed to delete ${beside}${gone === 0 ? '' : ' more'}`;
  if (gone > 1) return `${gone} objects are deleted${beside === 0 ? '' : `, and ${tools}`}`;
  if (beside > 0) return tools;
  const fresh = newDeletion(intent, concerned, view);
  if (fresh !== undefined)
    return `${shownName(fresh.kind)} ${shownName(fresh.name)} is not being deleted yet`;
  const [other] = along.filter(({ uid }) => uid !== target?.uid);
  if (other !== undefined) return `${shownName(other.kind)} ${shownName(other.name)} may be deleted with it`;
  if (concerned.length > 1 && intent.verb === 'delete')
    return `${concerned.length} objects are deleted or altered`;
  if (manyIn(intent) > 1) return `${manyIn(intent)} objects are altered`;
  if (intent.verb === 'undo' && intent.requests.length > 1)
    return `${intent.requests.length} objects are recreated or altered`;
  const broken = brokenBy(forecast);
  if (broken !== undefined) return broken;
  if (forecast.timingDependent.some(({ mayNotEnd }) => mayNotEnd)) return 'a deletion may never end';
  if (forecast.timingDependent.length > 0) return 'what becomes of some objects depends on timing';
  return undefined;
}

/** Names a user that fails at once or at its next start; a later failure or an unknown one is no reason. */
function brokenBy({ breaks = [] }: Forecast): string | undefined {
  const users = breaks.flatMap(({ user, when, certainty }) =>
    certainty === 'exact' && (when === 'atOnce' || when === 'nextStart') ? objectTitle(user) : [],
  );
  const [first, ...others] = new Set(users);
  if (first === undefined) return undefined;
  return others.length === 0 ? `${first} breaks` : `${first} and ${others.length} more break`;
}

/** Its processes may outlive it (CheckGracefulDelete in pkg/registry/core/pod/strategy.go, v1.36). */
function forcedPod(intent: Intent): string | undefined {
  if (intent.verb !== 'delete' || intent.gracePeriodSeconds !== 0) return undefined;
  return intent.targets.find(target => (podFacts(target)?.nodeName ?? '') !== '')?.name;
}

/** Finds an object the remedy deletes that isn't being deleted yet. */
function newDeletion(
  intent: Intent,
  concerned: readonly Identity[],
  { graph }: ClusterView,
): Identity | undefined {
  if (intent.verb !== 'unblock') return undefined;
  const asked = new Set(
    intent.remedy.requests.flatMap(({ verb, path }) => (verb === 'DELETE' ? [path] : [])),
  );
  return concerned.find(({ uid }) => {
    const object = graph.get(uid)?.object;
    return object !== undefined && asked.has(requestWords.objectPath(object)) && !isDeleting(object);
  });
}

/** `undo cannot bring back the data of Secret key and 2 more` */
function lossWords(losses: readonly Loss[]): string | undefined {
  const [first, ...others] = losses;
  if (first === undefined) return undefined;
  return `undo cannot bring back ${first.what}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}
