/** The ActivityList document: entries of the history that name only objects that the caller may list. */
import { type ActivityEntry, type ActivityFilter, isWanted } from '../../../activity/index.ts';
import { ClusterView, type Identity } from '../../../graph/index.ts';
import { parseApiVersion } from '../../../model/index.ts';
import { timeText } from '../../../text/index.ts';
import { activityItem } from '../../documents/activity-document.ts';
import { API_VERSION, basisOf } from '../../documents/basis.ts';
import type { ActivityItem, ActivityList } from '../../documents/definitions.ts';
import { UsageError } from '../../runtime/errors.ts';
import { momentBefore } from '../../session/moment.ts';
import type { ClusterSession } from '../../session/session.ts';
import { knownTypes } from '../../targets/targets.ts';
import type { Permissions } from '../http/caller-permissions.ts';
import { RestrictedSource } from '../http/restricted-source.ts';
import type { History } from './history.ts';
import type { ServedRequest } from './requests.ts';

const MOST_ITEMS = 1_000;
/** Longer chains of causes are hidden. */
const DEEPEST = 50;

export interface HistoryQuestion {
  /** Undefined for all. */
  readonly namespace: string | undefined;
  readonly kind: string | undefined;
  readonly name: string | undefined;
  /** In milliseconds since the epoch. */
  readonly since: number;
}

const parameters = ['namespace', 'all-namespaces', 'kind', 'name', 'since'];

/** Returns a sentence for a malformed request. */
export function historyQuestion(query: URLSearchParams, now: number): HistoryQuestion | string {
  const unknown = [...query.keys()].find(key => !parameters.includes(key));
  if (unknown !== undefined)
    return `there is no parameter ${JSON.stringify(unknown)} here. There is ${parameters.join(', ')}.`;
  const twice = parameters.find(key => query.getAll(key).length > 1);
  if (twice !== undefined) return `give ${twice} once.`;
  const missing = missingScope(query);
  if (missing !== undefined) return missing;
  const since = query.get('since');
  try {
    return {
      namespace: query.get('namespace') || undefined,
      kind: query.get('kind') || undefined,
      name: query.get('name') || undefined,
      since: since === null ? Number.NEGATIVE_INFINITY : momentBefore('since', since, now),
    };
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

/** Returns a sentence if a request names neither a namespace nor all of them. */
export function missingScope(query: URLSearchParams): string | undefined {
  if (query.get('all-namespaces') === 'true' || (query.get('namespace') ?? '') !== '') return undefined;
  return 'set namespace=NAME or all-namespaces=true.';
}

export function activityList(
  history: History,
  question: HistoryQuestion,
  { session, permissions }: { readonly session: ClusterSession; readonly permissions: Permissions },
): ActivityList {
  const { source, view } = session;
  const restricted = new RestrictedSource(view, source.info, permissions);
  const seen = new ClusterView();
  // Objects aren't needed to tell what is hidden.
  seen.apply({ ...restricted.visible, changes: [] }, session.now());
  const basis = basisOf(restricted.info, seen, session.now());
  const filter = filterOf(question, view);
  const found: ActivityEntry[] = [];
  let hidden = 0;
  for (const entry of history.entries) {
    if (entry.at < question.since || !isWanted(entry, filter)) continue;
    if (!maySee(entry.object, entry.at, { view, permissions })) continue;
    if (everyNamed(entry, named => maySee(named, entry.at, { view, permissions }))) found.push(entry);
    else hidden += 1;
  }
  return {
    apiVersion: API_VERSION,
    kind: 'ActivityList',
    basis,
    since: timeText.instant(Math.max(history.from, question.since)),
    omitted: Math.max(0, found.length - MOST_ITEMS),
    hidden,
    items: found.slice(-MOST_ITEMS).map(entry => ({
      ...activityItem(entry),
      ...requestsOf(history.requestsFor(entry)),
    })),
  };
}

function requestsOf(requests: readonly ServedRequest[]): Pick<ActivityItem, 'requests'> {
  if (requests.length === 0) return {};
  return { requests: requests.map(({ user, verb, at }) => ({ user, verb, at: timeText.instant(at) })) };
}

function filterOf({ namespace, kind, name }: HistoryQuestion, view: ClusterView): ActivityFilter {
  if (kind === undefined && name === undefined) return { namespace };
  const types = kind === undefined ? undefined : knownTypes(view.catalog, kind);
  const isKind = (object: Identity): boolean => {
    if (kind === undefined) return true;
    // The kind may no longer be served.
    if (types === undefined) return object.kind.toLowerCase() === kind.toLowerCase();
    const { group } = parseApiVersion(object.apiVersion);
    return types.some(type => type.kind === object.kind && type.group === group);
  };
  return { namespace, means: object => isKind(object) && (name === undefined || object.name === name) };
}

interface Visibility {
  readonly view: ClusterView;
  readonly permissions: Permissions;
}

function maySee(
  { apiVersion, kind, namespace }: Identity,
  at: number,
  { view, permissions }: Visibility,
): boolean {
  if (permissions.everything) return true;
  const type = view.catalog.resolveKind(apiVersion, kind);
  const extent = type === undefined ? 'none' : permissions.extentOf(type);
  if (extent !== 'namespace') return extent === 'all';
  if (namespace !== permissions.namespace) return false;
  // Rights in a namespace don't cover an earlier one of that name.
  const namespaces = view.catalog.resolveKind('v1', 'Namespace');
  const created = namespaces && view.graph.find(namespaces, '', namespace)?.object?.creationTimestamp;
  return created !== undefined && created <= at;
}

/** Checks all objects that an entry and its causes name. */
function everyNamed(entry: ActivityEntry, test: (object: Identity) => boolean): boolean {
  let each: ActivityEntry | undefined = entry;
  for (let depth = 0; each !== undefined; depth += 1, each = each.cause) {
    if (depth > DEEPEST) return false;
    for (const named of identitiesIn([each.object, each.because, each.holds])) if (!test(named)) return false;
  }
  return true;
}

function* identitiesIn(value: unknown): Generator<Identity> {
  if (typeof value !== 'object' || value === null) return;
  if ('uid' in value && 'apiVersion' in value) yield value as Identity;
  else for (const each of Object.values(value)) yield* identitiesIn(each);
}
