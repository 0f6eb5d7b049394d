/** Answers the collector's look-ups from what is known of the cluster, in place of live GETs. */
import type { ClusterView } from '../graph/cluster-view.ts';
import { isForeground } from '../graph/deletion.ts';
import type { Identity } from '../graph/node.ts';
import type { KubeObject } from '../model/object.ts';
import type { ResourceType } from '../model/types/resource-type.ts';
import type { KindScope, OwnerAnswer, OwnerLookup } from './decide.ts';

const absent: OwnerAnswer = { state: 'absent' };
const unknown: OwnerAnswer = { state: 'unknown' };

export class LiveLookup implements OwnerLookup {
  /** Owners that were answered to be absent because no list holds them. */
  readonly absent: Identity[] = [];
  /** Of these, the ones that nothing has confirmed yet. */
  readonly assumed: Identity[] = [];
  readonly #view: ClusterView;

  constructor(view: ClusterView) {
    this.#view = view;
  }

  scopeOf(apiVersion: string, kind: string): KindScope {
    const type = this.#view.catalog.resolveKind(apiVersion, kind);
    if (type === undefined) return 'unresolvable';
    return type.namespaced ? 'namespaced' : 'cluster';
  }

  /**
   * By uid first, because what goes by the uid cannot go by other coordinates too. An object of another uid at
   * these coordinates and none at all are the same to the collector, and both are `absent` here: for certain where a
   * look-up has confirmed it, else as the lists have it.
   */
  getOwner(identity: Identity): OwnerAnswer {
    const type = this.#view.catalog.resolveKind(identity.apiVersion, identity.kind);
    if (type === undefined) return unknown;
    const object = this.#view.graph.get(identity.uid)?.object;
    if (object !== undefined) {
      return isAt(object, type, identity)
        ? { state: 'found', uid: object.uid, foreground: isForeground(object) }
        : absent;
    }
    if (!this.#view.sees(type, identity.namespace)) return unknown;
    const absence = this.#view.absences.of(identity);
    if (absence.state === 'found') return absence;
    this.absent.push(identity);
    if (absence.state === 'assumed') this.assumed.push(identity);
    return absent;
  }

  /**
   * Only asked for the sake of kinds that are no longer served: a collector that runs as long as this view
   * remembers their deleted objects, where a restarted one would not (docs/kubernetes.md §2.3).
   */
  remembersAbsent(identity: Identity): boolean {
    return (
      this.#view.graph.absent.peek(identity) &&
      this.#view.catalog.resolveKind(identity.apiVersion, identity.kind) === undefined
    );
  }

  rememberAbsent(): void {
    // The view is an onlooker: what it finds absent is not the collector's memory.
  }
}

/** Whether a GET by these coordinates returns this object: the same stored resource in whatever version. */
function isAt(object: KubeObject, type: ResourceType, identity: Identity): boolean {
  return (
    object.name === identity.name && object.namespace === identity.namespace && sameStorage(object.type, type)
  );
}

/** Groups through which older API servers serve one stored object (cohabitating resources, up to v1.21). */
const cohabitants: ReadonlySet<string> = new Set(['extensions', 'apps', 'networking.k8s.io', 'policy']);

function sameStorage(a: ResourceType, b: ResourceType): boolean {
  if (a.resource !== b.resource) return false;
  if (a.group === b.group) return true;
  if (a.resource === 'events') return isEventGroup(a.group) && isEventGroup(b.group);
  const throughExtensions = a.group === 'extensions' || b.group === 'extensions';
  return throughExtensions && cohabitants.has(a.group) && cohabitants.has(b.group);
}

function isEventGroup(group: string): boolean {
  return group === '' || group === 'events.k8s.io';
}
