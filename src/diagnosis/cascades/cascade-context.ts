/**
 * State shared by the rules about tools: the view, the forecast, the few objects read whole, and the effects so far.
 * The view keeps only the metadata of custom resources, so missing specs are noted, read by the caller, and the rules
 * run again.
 */

import { type Aftermath, type AssumedEffect, FinalizerHandler, Forecast } from '../../forecast/index.ts';
import type { ClusterView, GraphNode, Identity } from '../../graph/index.ts';
import {
  getOrInsert,
  type JsonRecord,
  type KubeObject,
  Labels,
  objectTitle,
  ResourceType,
  record,
  type Uid,
} from '../../model/index.ts';
import { TrackedView } from '../engine/tracked-view.ts';
import { catalogueOf } from '../finalizers/catalogue.ts';
import type { Handler } from '../finalizers/handler.ts';
import { lossOf } from '../finalizers/handler-losses.ts';
import { handlerOn } from '../finalizers/on-object.ts';
import type { WholeObject } from '../uses/users.ts';

export interface Wanted {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

export type WholeObjects = ReadonlyMap<string, WholeObject>;

export function keyOfWanted({ type, namespace, name }: Wanted): string {
  return JSON.stringify([type.group, type.resource, namespace, name]);
}

/** An object's place as a tool states it. */
export interface Place {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly version?: string;
}

/** An object that a tool names: `there`, certainly `absent`, or `unread` since the view lacks its kind. */
export interface Located {
  readonly state: 'there' | 'absent' | 'unread';
  readonly identity: Identity;
  readonly node: GraphNode | undefined;
}

/** An object by which a tool manages others. */
export interface Managing {
  readonly node: GraphNode;
  readonly object: KubeObject;
  /** `Argo CD Application argocd/shop` */
  readonly by: string;
  readonly json: JsonRecord;
}

/** What a tool does when an object by which it manages others is deleted. */
export interface CascadeRule {
  readonly tool: string;
  /** `argoproj.io/Application`, or a condition. */
  readonly of: string | ((object: KubeObject) => boolean);
  /** True if the object's fields needn't be read. */
  readonly unread?: true;
  readonly cascade: (context: CascadeContext, managing: Managing) => void;
}

export function isOfKind({ type }: KubeObject, kind: string): boolean {
  return `${type.group}/${type.kind}` === kind;
}

export class CascadeContext {
  readonly view: ClusterView;
  readonly forecast: Forecast;
  readonly effects: AssumedEffect[] = [];
  readonly unknown: { readonly by: string; readonly because: string }[] = [];
  /** Requested objects not read yet, by `keyOfWanted`. */
  readonly wanted = new Map<string, Wanted>();
  /** Checks if an object is deleted by the action or anyway, at the latest once handlers have acted. */
  readonly goes: (uid: Uid) => boolean;
  /** Objects that the forecast lists as deleted without any handler. */
  readonly #deleted: ReadonlySet<Uid>;
  readonly #whole: WholeObjects;
  readonly #told = new Set<string>();
  readonly #followed = new Map<Uid, { readonly node: GraphNode; readonly sure: boolean }>();
  /** False while the object in question may not be deleted. */
  #sure = true;
  readonly #indexes = new Map<string, Map<string, GraphNode[]>>();
  #kinds: Map<string, ResourceType> | undefined;
  readonly #tracked: TrackedView;

  constructor(view: ClusterView, forecast: Forecast, whole: WholeObjects) {
    this.view = view;
    this.forecast = forecast;
    this.#whole = whole;
    this.#tracked = new TrackedView(view, forecast.start);
    this.#deleted = new Set(forecast.deleted.map(({ object }) => object.uid));
    this.goes = Forecast.deletionCheck(forecast);
  }

  /** True if the action's targets are objects to delete. */
  get namesTargets(): boolean {
    return ['delete', 'uninstall', 'unblock'].includes(this.forecast.action.verb);
  }

  *occasion(): Generator<GraphNode> {
    const { forecast, view } = this;
    const seen = new Set<Uid>();
    const targets = this.namesTargets ? forecast.action.targets.filter(({ uid }) => this.goes(uid)) : [];
    const others = [...Forecast.own(Forecast.deletedAtMost(forecast)), ...Forecast.own(forecast.terminating)];
    for (const { uid } of [...targets, ...others.map(({ object }) => object)]) {
      const node = view.graph.get(uid);
      if (node?.object === undefined || seen.has(uid)) continue;
      seen.add(uid);
      yield node;
    }
  }

  /** Returns true if the action itself removes one of its finalizers. */
  loses(uid: Uid): boolean {
    return this.#deleted.has(uid);
  }

  /** Returns a clause on why the finalizer's handler may not remove it; undefined if the handler is running. */
  unhandled(uid: Uid, finalizer: string): string | undefined {
    const asked = this.#asked(uid, finalizer);
    if (asked !== undefined) {
      const { state, words } = asked;
      return state === 'running' || state === 'outside' ? undefined : words;
    }
    // The forecast lacks what a tool deletes in turn.
    const object = this.view.graph.get(uid)?.object;
    if (object === undefined) return undefined;
    const { presence, outside, words } = this.#handlerOn(object, finalizer);
    return presence === 'present' || outside === true ? undefined : words;
  }

  /**
   * Returns a clause on what the tools' deletions so far take from the finalizer's handler, which may be any of several
   * candidate workloads; undefined if nothing.
   */
  lossOf(object: KubeObject, finalizer: string): string | undefined {
    if (this.#followed.size === 0) return undefined;
    const { workloads } = this.#handlerOn(object, finalizer);
    const aftermath: Aftermath = {
      after: each => (this.follows(each.uid) ? undefined : each),
      namespace: () => undefined,
    };
    const lost = workloads.values().map(each => lossOf(this.#tracked, each, object, aftermath));
    return lost.find(each => each !== undefined);
  }

  /** Returns the object as the API server has it; requests it if it was never read. */
  whole(wanted: Wanted): WholeObject {
    const key = keyOfWanted(wanted);
    const known = this.#whole.get(key);
    if (known !== undefined) return known;
    this.wanted.set(key, wanted);
    return { state: 'unread', reason: 'it was not read' };
  }

  /** Like `whole` for a node; if it can't be read, notes that `by`'s effect is unknown. */
  wholeOf({ object }: GraphNode, by: string): JsonRecord | undefined {
    if (object === undefined) return undefined;
    const { type, namespace, name } = object;
    const whole = this.whole({ type, namespace, name });
    if (whole.state === 'read' && isOf(whole.json, object)) return whole.json;
    const reason = whole.state === 'unread' ? whole.reason : 'it has changed meanwhile';
    this.cannotTell(by, `its spec cannot be seen (${reason}), so what it deletes and leaves is not known`);
    return undefined;
  }

  cannotTell(by: string, because: string): void {
    if (!this.unknown.some(each => each.by === by && each.because === because))
      this.unknown.push({ by, because });
  }

  /** Records an effect once per object and kind, even if named twice. */
  tell(effect: AssumedEffect, node?: GraphNode): void {
    const { apiVersion, kind, namespace, name } = effect.object;
    const group = apiVersion.slice(0, apiVersion.lastIndexOf('/') + 1);
    const key = JSON.stringify([
      group,
      kind,
      namespace,
      name,
      effect.cluster,
      effect.part,
      effect.effect === 'deleted' ? 'kept' : effect.effect,
    ]);
    if (this.#told.has(key)) return;
    this.#told.add(key);
    const when = this.#sure || effect.when !== 'automatically' ? effect.when : 'unknown';
    this.effects.push({ ...effect, when });
    const leads = effect.effect === 'deleted' && when !== 'onRequest' && effect.part === undefined;
    if (leads && node !== undefined && effect.cluster === undefined)
      this.#followed.set(node.uid, { node, sure: when === 'automatically' && !this.#isHeld(node) });
  }

  /** Returns the fate after the action and the effects so far; a held object may stay. */
  endOf(uid: Uid): 'goes' | 'may go' | 'stays' {
    const isDeleted = this.#deleted.has(uid) || this.forecast.endElsewhere?.(uid) === 'deleted';
    if (isDeleted || this.#followed.get(uid)?.sure === true) return 'goes';
    return this.goes(uid) || this.#followed.has(uid) ? 'may go' : 'stays';
  }

  follows(uid: Uid): boolean {
    return this.#followed.has(uid);
  }

  /** Returns true if a finalizer may hold it: a likely handler may lack the permission to remove it. */
  #isHeld({ uid, object }: GraphNode): boolean {
    return (
      object?.finalizers.some(
        each => FinalizerHandler.isForeign(each) && !this.#isRemoved(uid, object, each),
      ) === true
    );
  }

  #isRemoved(uid: Uid, object: KubeObject, finalizer: string): boolean {
    const asked = this.#asked(uid, finalizer);
    if (asked !== undefined) return asked.state === 'running';
    // The permissions of other handlers are not asked for, and answers to other forecasts must change nothing here.
    return (
      catalogueOf(this.view).isBuiltIn(finalizer) && this.#handlerOn(object, finalizer).presence === 'present'
    );
  }

  #handlerOn(object: KubeObject, finalizer: string): Handler {
    return handlerOn(this.#tracked, object, finalizer);
  }

  #asked(uid: Uid, finalizer: string): FinalizerHandler | undefined {
    return this.forecast.terminating
      .find(({ object }) => object.uid === uid)
      ?.handlers.find(each => each.finalizer === finalizer);
  }

  /** Yields objects recorded as deleted, in order, so that rules can add what follows. */
  *follow(): Generator<GraphNode> {
    for (const { node, sure } of this.#followed.values()) {
      this.#sure = sure;
      yield node;
    }
    this.#sure = true;
  }

  locate(place: Place): Located {
    const type = this.typeOf(place);
    const { group, kind, name, version } = place;
    const namespace = type?.namespaced === false ? '' : place.namespace;
    const node = type && this.view.graph.find(type, namespace, name);
    if (node?.object !== undefined) return { state: 'there', identity: node.identity, node };
    const apiVersion = type?.apiVersion ?? [group, version ?? '?'].filter(part => part !== '').join('/');
    const identity = { apiVersion, kind, namespace, name, uid: '' as Uid };
    const isKnown = type !== undefined && ResourceType.isMonitored(type) && this.view.reads(type, namespace);
    return { state: isKnown ? 'absent' : 'unread', identity, node: undefined };
  }

  /** Like `locate`, without an object that is certainly absent. On another cluster any may exist. */
  present(place: Place, cluster?: string): Located | [] {
    const located = this.locate(place);
    if (cluster === undefined) return located.state === 'absent' ? [] : located;
    return { state: 'unread', identity: { ...located.identity, uid: '' as Uid }, node: undefined };
  }

  typeOf({ group, kind, version }: Pick<Place, 'group' | 'kind' | 'version'>): ResourceType | undefined {
    const { catalog } = this.view;
    const named =
      version === undefined
        ? undefined
        : catalog.resolveKind(group === '' ? version : `${group}/${version}`, kind);
    if (named !== undefined) return catalog.preferredOf(named) ?? named;
    if (this.#kinds === undefined) {
      this.#kinds = new Map();
      for (const type of catalog.types)
        if (type.preferred) this.#kinds.set(JSON.stringify([type.group, type.kind]), type);
    }
    return this.#kinds.get(JSON.stringify([group, kind]));
  }

  labelled(key: string, value: string): readonly GraphNode[] {
    return this.#index('label', key).get(value) ?? [];
  }

  /** Covers only annotations that are kept. */
  annotated(key: string, value: string): readonly GraphNode[] {
    return this.#index('annotation', key).get(value) ?? [];
  }

  annotations(key: string): ReadonlyMap<string, readonly GraphNode[]> {
    return this.#index('annotation', key);
  }

  #index(what: 'label' | 'annotation', key: string): Map<string, GraphNode[]> {
    return getOrInsert(this.#indexes, `${what} ${key}`, () => {
      const index = new Map<string, GraphNode[]>();
      for (const node of this.view.graph.nodes()) {
        const { object } = node;
        if (object === undefined) continue;
        const value = Labels.value(what === 'label' ? object.labels : object.annotations, key);
        if (value !== undefined) getOrInsert(index, value, () => []).push(node);
      }
      return index;
    });
  }

  notRead(rest: string): string {
    const wider = this.view.scope === undefined ? '' : ' (-A reads everything)';
    return `the objects were not read${wider}, so ${rest}`;
  }

  /** Returns a note if objects are found by marks and not all were read; otherwise undefined. */
  get unseen(): string | undefined {
    const { scope, settings } = this.view;
    if (settings.standsStill === true) return 'only what it manages in the files is listed';
    if (scope !== undefined) return 'only objects that were read are listed: -A reads everything';
    return this.view.complete ? undefined : 'only what it manages of the kinds that can be seen is listed';
  }
}

/** Excludes namesakes; a manifest without a uid matches. */
function isOf(json: JsonRecord, { uid }: KubeObject): boolean {
  const found = record(json['metadata'])['uid'];
  return found === undefined || found === '' || found === uid;
}

export function located(node: GraphNode): Located {
  return { state: 'there', identity: node.identity, node };
}

export function byTitle(tool: string, node: GraphNode): string {
  return `${tool} ${objectTitle(node.identity)}`;
}
