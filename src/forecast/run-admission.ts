/** Admission in a forecast: what the snapshot shows of webhooks and policies, and the refusals of a run. */
import type { ClusterView } from '../graph/index.ts';
import { type KubeObject, type ResourceType, shownName, type Uid } from '../model/index.ts';
import {
  type AdmissionRequest,
  type AdmissionWorld,
  type ApiStore,
  admissionKinds,
  type GraphBase,
  type LoggedRequest,
  type Objection,
  type SnapshotKnowledge,
} from '../simulation/index.ts';

/** `effectsOnly` requests no read of webhooks and policies. */
export function snapshotKnowledge(
  view: ClusterView,
  base: GraphBase,
  { now, effectsOnly = false }: { readonly now: number; readonly effectsOnly?: boolean },
): SnapshotKnowledge {
  const isRead = effectsOnly
    ? ({ group }: ResourceType): boolean => !admissionKinds.isGroup(group)
    : () => true;
  return {
    sees: (type, namespace) => isRead(type) && view.sees(type, namespace),
    lacks: (type, namespace, name) => {
      // An object of the snapshot was deleted in the run.
      if (view.graph.find(type, namespace, name)?.object !== undefined) return true;
      if (!isRead(type) || !view.seesAt(type, namespace, name)) return false;
      const { apiVersion, kind } = type;
      return view.absences.of({ apiVersion, kind, namespace, name, uid: '' }).state !== 'found';
    },
    lasted: (since, duration) => now - since >= duration,
    before: (type, namespace) => base.list(type, namespace),
  };
}

export function snapshotWorld(
  { catalog }: ClusterView,
  base: GraphBase,
  knowledge: SnapshotKnowledge,
): AdmissionWorld {
  return {
    types: () => catalog.types,
    type: (group, resource) => catalog.preferredOf({ group, resource }),
    find: (type, namespace, name) => base.find(type, namespace, name),
    list: (type, namespace) => base.list(type, namespace),
    sees: knowledge.sees,
    lacks: (type, namespace, name) =>
      base.find(type, namespace, name) === undefined && knowledge.lacks(type, namespace, name),
    lasted: knowledge.lasted,
    reached: () => false,
  };
}

/** A request about an existing object that admission refused every time. */
export interface Refusal {
  readonly object: KubeObject;
  readonly actor: string;
  readonly operation: Exclude<AdmissionRequest['operation'], 'CREATE'>;
  readonly objection: Objection;
}

export type Refusals = ReadonlyMap<Uid, Refusal>;

/** Keeps the last refused request per object, without those that only write a status. */
export function refusalsIn(log: readonly LoggedRequest[], store: ApiStore): Refusals {
  const found = new Map<Uid, Refusal>();
  for (const { actor, verb, uid, objection, subresource, status } of log) {
    if (uid === undefined || verb === 'create' || subresource === 'status') continue;
    const operation = verb === 'delete' ? 'DELETE' : 'UPDATE';
    const object = objection && store.byUid(uid);
    if (object !== undefined && objection !== undefined)
      found.set(uid, { object, actor, operation, objection });
    else if (status < 300 && found.size > 0) {
      const known = found.get(uid);
      if (known?.actor === actor && known.operation === operation) found.delete(uid);
    }
  }
  for (const uid of found.keys()) if (store.byUid(uid) === undefined) found.delete(uid);
  return found;
}

export function refusalKey({ object, actor, operation, objection }: Refusal): string {
  const { configuration, webhook } = objection;
  return `${object.uid} ${actor} ${operation} ${configuration.uid} ${webhook}`;
}

export interface RefusedBy {
  readonly kind: string;
  readonly name: string;
  /** `''` for a policy. */
  readonly webhook: string;
  /** `''` for a webhook. */
  readonly policy: string;
  /** `namespace/name` of the Service that doesn't answer; `''` for a policy. */
  readonly service: string;
}

export function refusedBy({ configuration, webhook, policy, service }: Objection): RefusedBy {
  return { kind: configuration.type.kind, name: configuration.name, webhook, policy, service };
}

/**
 * `ValidatingWebhookConfiguration keep must be called (webhook keep.example.com), and its Service tools/keep doesn't
 * exist`
 */
export function refusedWords({ kind, name, webhook, policy }: RefusedBy, because: string): string {
  return webhook === ''
    ? `${kind} ${shownName(name)} has it denied (policy ${shownName(policy)}): ${because}`
    : `${kind} ${shownName(name)} must be called (webhook ${shownName(webhook)}), and ${because}`;
}
