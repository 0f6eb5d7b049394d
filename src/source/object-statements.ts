/** Collects messages about an object from the cheapest origin: its facts, a file, or one request. */

import { type KubeObject, record, type Said, statementJson } from '../model/index.ts';
import { type JsonObject, type Source, SourceError } from './source.ts';

/** Reads its status, ignoring another object with its name. `read` gets the whole object; rejects as that does. */
async function saidOf(
  source: Pick<Source, 'content'>,
  object: KubeObject,
  read: () => Promise<JsonObject | undefined>,
): Promise<readonly Said[]> {
  const { facts, uid } = object;
  if (facts !== undefined && 'conditions' in facts) return statementJson.by(facts.conditions);
  const known = source.content?.(object);
  const json = known?.partial === true ? await read() : (known?.json ?? (await read()));
  return json !== undefined && record(json['metadata'])['uid'] === uid ? statementJson.in(json) : [];
}

/** Reads events; `unseen` says why they can't be read, for example if the signal aborts. */
async function eventsOf(
  source: Pick<Source, 'events'>,
  { namespace, uid }: KubeObject,
  signal?: AbortSignal,
): Promise<{ readonly said: readonly Said[]; readonly unseen?: string }> {
  if (source.events === undefined) return { said: [] };
  try {
    return { said: await source.events({ namespace, uid }, signal) };
  } catch (error) {
    if (error instanceof SourceError) return { said: [], unseen: String(error.status ?? 'no answer') };
    if (signal?.aborted === true) return { said: [], unseen: 'no answer' };
    throw error;
  }
}

export interface WholeAndSaid<O> {
  readonly statements: readonly (Said & { readonly object: O })[];
  readonly unseen: string | undefined;
}

/** `own`: read their status. `events`: read their events, mostly warnings. `since`: ignore earlier successes. */
export async function hear<O>(
  source: Pick<Source, 'content' | 'events'>,
  {
    own,
    events,
    since = 0,
  }: {
    readonly own: readonly KubeObject[];
    readonly events: readonly KubeObject[];
    readonly since?: number | undefined;
  },
  how: {
    readonly read: (object: KubeObject) => Promise<JsonObject | undefined>;
    readonly identityOf: (object: KubeObject) => O;
    readonly signal: AbortSignal;
  },
): Promise<WholeAndSaid<O>> {
  const [told, observed] = await Promise.all([
    Promise.all(own.map(each => saidOf(source, each, () => how.read(each)))),
    Promise.all(events.map(each => eventsOf(source, each, how.signal))),
  ]);
  const by = (object: KubeObject, said: readonly Said[]): (Said & { readonly object: O })[] =>
    said.map(each => ({ ...each, object: how.identityOf(object) }));
  const all = [
    ...own.flatMap((object, index) => by(object, told[index] ?? [])),
    ...events.flatMap((object, index) => {
      const said = (observed[index]?.said ?? []).filter(each => !isOvercome(object, each));
      return by(
        object,
        said.filter(({ failing, at = since }) => failing || (index === 0 && at >= since)),
      );
    }),
  ];
  return {
    statements: all.sort((a, b) => Number(b.failing) - Number(a.failing)),
    unseen: observed.find(({ unseen }) => unseen !== undefined)?.unseen,
  };
}

/** Kubelet events before a pod's first container starts (pkg/kubelet/events/event.go, v1.36). */
const beforeStart: ReadonlySet<string> = new Set([
  'FailedMount',
  'FailedAttachVolume',
  'FailedMapVolume',
  'FailedCreatePodSandBox',
]);
/** Kubelet events of containers until they run. */
const beforeReady: ReadonlySet<string> = new Set(['BackOff', 'Failed', 'ErrImageNeverPull', 'InspectFailed']);

/** Checks if the object has overcome an event's cause: events stay for an hour. */
function isOvercome({ facts }: KubeObject, { reason }: Said): boolean {
  if (facts?.kind === 'Pod') {
    if (reason === 'FailedScheduling') return facts.nodeName !== '';
    const isReady = facts.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    if (beforeReady.has(reason)) return isReady;
    return beforeStart.has(reason) && facts.phase !== '' && facts.phase !== 'Pending';
  }
  if (facts?.kind === 'Workload')
    return reason === 'FailedCreate' && facts.desired > 0 && facts.current >= facts.desired;
  const isUnbound = reason === 'ProvisioningFailed' || reason === 'FailedBinding';
  return facts?.kind === 'PersistentVolumeClaim' && isUnbound && facts.phase === 'Bound';
}
