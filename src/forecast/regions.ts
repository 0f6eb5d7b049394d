/**
 * What is under way in a snapshot, by where it can meet something else: in the same namespaces, or among objects
 * that owner references connect. A forecast of one small action needn't simulate what goes on elsewhere.
 */
import type { ClusterView } from '../graph/cluster-view.ts';
import type { KubeObject } from '../model/object.ts';
import { isTerminated } from '../podgc/passes.ts';
import { podGcSettings } from '../podgc/settings.ts';
import { SnapshotComponents } from '../simulation/garbage-collector-components.ts';
import type { Ends } from './outcome.ts';

/** A namespace's objects, or one object that is in none. */
type Place = string;

/** Pods that PodGC weighs against each other, wherever they are. */
const FINISHED_PODS = 'finished pods';

/** What goes on where the action is, and more once it is seen to reach further. */
export interface Meeting {
  readonly objects: readonly KubeObject[];
  /** Takes in what is under way where a run wrote something; false where that was all there already. */
  extend(ends: Ends): boolean;
}

export class Regions {
  private readonly view: ClusterView;
  private readonly underWay: readonly KubeObject[];
  private readonly parents = new Map<Place, Place>();
  private readonly members = new Map<Place, KubeObject[]>();
  private readonly manyFinished: boolean;

  constructor(view: ClusterView, underWay: readonly KubeObject[]) {
    this.view = view;
    this.underWay = underWay;
    const { threshold } = podGcSettings(view);
    this.manyFinished = threshold > 0 && underWay.filter(isTerminated).length > threshold;
    const components = new SnapshotComponents(view.graph);
    for (const object of underWay) {
      const places = this.placesOf(object);
      for (const { identity, object: member } of components.take(object.uid)) {
        if (member !== undefined) places.push(...this.placesOf(member));
        else if (identity.namespace !== '') places.push(namespace(identity.namespace));
      }
      for (const place of places) this.join(places[0] ?? place, place);
    }
    for (const object of underWay) {
      const place = this.rootOf(this.placesOf(object)[0] ?? '');
      const members = this.members.get(place);
      if (members === undefined) this.members.set(place, [object]);
      else members.push(object);
    }
  }

  /** What may meet an action on these objects. */
  meeting(targets: readonly KubeObject[]): Meeting {
    const roots = new Set<Place>();
    const found = new Set<KubeObject>();
    const take = (object: KubeObject): void => {
      if (found.size === this.underWay.length) return;
      if (isEverywhere(object)) for (const each of this.underWay) found.add(each);
      for (const place of this.placesOf(object)) {
        const root = this.rootOf(place);
        if (roots.has(root)) continue;
        roots.add(root);
        for (const each of this.members.get(root) ?? []) found.add(each);
      }
    };
    const components = new SnapshotComponents(this.view.graph);
    for (const target of targets) {
      take(target);
      for (const { object } of components.take(target.uid)) if (object !== undefined) take(object);
    }
    let objects = [...found];
    return {
      get objects() {
        return objects;
      },
      extend: ends => {
        for (const { before, after } of ends.values()) {
          if (before !== undefined) take(before);
          if (after !== undefined) take(after);
        }
        const more = found.size > objects.length;
        if (more) objects = this.underWay.filter(each => found.has(each));
        return more;
      },
    };
  }

  private placesOf(object: KubeObject): Place[] {
    const places: Place[] = [];
    if (object.namespace !== '') places.push(namespace(object.namespace));
    else places.push(`object ${object.uid}`);
    const { facts } = object;
    if (facts?.kind === 'Namespace') places.push(namespace(object.name));
    if (facts?.kind === 'PersistentVolume' && facts.claimNamespace !== '')
      places.push(namespace(facts.claimNamespace));
    if (this.manyFinished && isTerminated(object)) places.push(FINISHED_PODS);
    return places;
  }

  private rootOf(place: Place): Place {
    let root = place;
    for (let parent = this.parents.get(root); parent !== undefined; parent = this.parents.get(root))
      root = parent;
    return root;
  }

  private join(a: Place, b: Place): void {
    const [x, y] = [this.rootOf(a), this.rootOf(b)];
    if (x !== y) this.parents.set(y, x);
  }
}

/** Nodes have pods of all namespaces, and definitions have objects in them. */
function isEverywhere({ facts }: KubeObject): boolean {
  return facts?.kind === 'Node' || facts?.kind === 'CustomResourceDefinition';
}

function namespace(name: string): Place {
  return `namespace ${name}`;
}
