/**
 * How strong the question before an action is, the same for command line and screen: it follows what the action
 * takes away, and what of that nobody brings back.
 */
import { isForMany } from '../../diagnosis/remedies/many/extent.ts';
import { expected } from '../../forecast/plan/assumed.ts';
import { deletedAtMost, type Forecast, own } from '../../forecast/plan/plan.ts';
import { objectPath } from '../../forecast/requests.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { isDeleting } from '../../graph/deletion.ts';
import type { Identity } from '../../graph/node.ts';
import { podFacts } from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import { type Intent, targetsOf } from './intent.ts';
import type { Loss } from './losses.ts';

/**
 * - `key`: one key, or `y`: at most one object is deleted or altered, and an undo or its controller brings it back.
 * - `typed`: the word has to be typed, because many objects are concerned or something is lost for good.
 */
export type Confirmation =
  | { readonly kind: 'key' }
  | { readonly kind: 'typed'; readonly word: string; readonly because: string };

export interface ActionScope {
  readonly intent: Intent;
  readonly forecast: Forecast;
  /** Objects that the forecast deletes or alters. */
  readonly concerned: readonly Identity[];
  /** What is deleted, or may be, without having been requested. */
  readonly along: readonly Identity[];
  readonly losses: readonly Loss[];
  /** What is deleted and may not be read first, beside what is lost anyway. */
  readonly unread: readonly Loss[];
}

/** `view` as it is before the action. */
export function confirmationOf(extent: ActionScope, view: ClusterView): Confirmation {
  const reasons = [reasonOf(extent, view), lossWords([...extent.losses, ...extent.unread])].filter(
    each => each !== undefined,
  );
  if (reasons.length === 0) return { kind: 'key' };
  return { kind: 'typed', word: wordOf(extent.intent), because: reasons.join(', and ') };
}

function wordOf(intent: Intent): string {
  const [target] = targetsOf(intent);
  const several = intent.verb === 'delete' ? intent.targets.length : manyIn(intent);
  return several > 1 ? String(several) : (target?.name ?? '');
}

/** How many objects a remedy for many is about; 1 for any other intent. */
function manyIn(intent: Intent): number {
  if (intent.verb !== 'unblock' || !isForMany(intent.remedy.id)) return 1;
  return new Set(intent.remedy.requests.map(({ path }) => path)).size;
}

/** Why a key isn't enough whatever can be brought back: the first that holds. */
function reasonOf(
  { intent, forecast, concerned, along }: ActionScope,
  view: ClusterView,
): string | undefined {
  const [target] = targetsOf(intent);
  if (intent.verb !== 'delete' && intent.remedy.risk === 'dangerous') return 'this is dangerous';
  const forced = forcedPod(intent);
  if (forced !== undefined)
    return `the containers of Pod ${forced} may run on: its kubelet is not waited for`;
  const gone = own(deletedAtMost(forecast)).length;
  const beside = expected(forecast.logical ?? [], 'deleted').length;
  const tools = `tools that manage objects are taken to delete ${beside}${gone === 0 ? '' : ' more'}`;
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
  if (forecast.timingDependent.length > 0) return 'what becomes of some objects depends on timing';
  return undefined;
}

/** Its processes may go on while another one takes its name (CheckGracefulDelete in pkg/registry/core/pod/strategy.go, v1.36). */
function forcedPod(intent: Intent): string | undefined {
  if (intent.verb !== 'delete' || intent.gracePeriodSeconds !== 0) return undefined;
  return intent.targets.find(target => (podFacts(target)?.nodeName ?? '') !== '')?.name;
}

/** What a remedy deletes that nobody has asked to delete yet. */
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
    return object !== undefined && asked.has(objectPath(object)) && !isDeleting(object);
  });
}

/** `undo cannot bring back the data of Secret key and 2 more` */
function lossWords(losses: readonly Loss[]): string | undefined {
  const [first, ...others] = losses;
  if (first === undefined) return undefined;
  return `undo cannot bring back ${first.what}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}
