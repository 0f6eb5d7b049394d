/**
 * What is under way in a snapshot, by where it can meet something else: among objects that owner references connect,
 * that use the same claim or volume, that a controller could adopt or needs the name of, or whose namespace waits for
 * all of them. A forecast of one small action needn't simulate what goes on elsewhere.
 */
import type { ClusterView } from '../graph/cluster-view.ts';
import { claimsOfPod, controllerOf, type KubeObject, podFacts, workloadFacts } from '../model/object.ts';
import { isTerminated } from '../podgc/passes/passes.ts';
import { podGcSettings } from '../podgc/passes/rules-of-version.ts';
import { SnapshotComponents } from '../simulation/collector/garbage-collector.ts';
import type { Ends } from './plan/outcome.ts';

/** Whatever has a place in common is simulated together. */
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
  readonly #view: ClusterView;
  readonly #underWay: readonly KubeObject[];
  readonly #parents = new Map<Place, Place>();
  readonly #members = new Map<Place, KubeObject[]>();
  readonly #byNamespace: ReadonlyMap<string, readonly KubeObject[]>;
  readonly #manyFinished: boolean;
  /** Namespaces with pods, ReplicaSets and the like that a workload could adopt any moment. */
  readonly #adoptable = new Set<string>();
  readonly #terminating = new Set<string>();

  /** `withoutAction`: what becomes of it if nobody acts. */
  constructor(view: ClusterView, underWay: readonly KubeObject[], withoutAction: Ends) {
    this.#view = view;
    this.#underWay = underWay;
    this.#byNamespace = Map.groupBy(underWay, ({ namespace }) => namespace);
    const { threshold } = podGcSettings(view);
    this.#manyFinished = threshold > 0 && underWay.filter(isTerminated).length > threshold;
    for (const object of underWay) {
      if (isAdoptable(object)) this.#adoptable.add(object.namespace);
      if (object.facts?.kind === 'Namespace') this.#terminating.add(object.name);
    }
    this.#joinComponents();
    this.#joinTerminatingNamespaces(withoutAction);
    for (const object of underWay) {
      const place = this.#rootOf(own(object));
      const members = this.#members.get(place);
      if (members === undefined) this.#members.set(place, [object]);
      else members.push(object);
    }
  }

  /** What may meet an action on these objects. */
  meeting(targets: readonly KubeObject[]): Meeting {
    const roots = new Set<Place>();
    const found = new Set<KubeObject>();
    const takeAt = (place: Place): void => {
      const root = this.#rootOf(place);
      if (roots.has(root)) return;
      roots.add(root);
      for (const each of this.#members.get(root) ?? []) found.add(each);
    };
    const take = (object: KubeObject): void => {
      if (found.size === this.#underWay.length) return;
      if (isEverywhere(object)) for (const each of this.#underWay) found.add(each);
      for (const place of this.#placesOf(object)) takeAt(place);
      takeAt(within(object.namespace));
      if (object.facts?.kind !== 'Namespace') return;
      for (const each of this.#byNamespace.get(object.name) ?? []) takeAt(own(each));
    };
    const components = new SnapshotComponents(this.#view.graph);
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
          // A namespace that only waits for its content is part of every region in it.
          if (
            before?.facts?.kind === 'Namespace' &&
            this.#terminating.has(before.name) &&
            after !== undefined
          )
            continue;
          if (before !== undefined) take(before);
          if (after !== undefined) take(after);
        }
        const more = found.size > objects.length;
        if (more) objects = this.#underWay.filter(each => found.has(each));
        return more;
      },
    };
  }

  #joinComponents(): void {
    const components = new SnapshotComponents(this.#view.graph);
    for (const object of this.#underWay) {
      const places = this.#placesOf(object);
      for (const { object: member } of components.take(object.uid)) {
        if (member !== undefined) places.push(...this.#placesOf(member));
      }
      for (const place of places) this.#join(own(object), place);
    }
  }

  /**
   * A namespace that is being deleted waits for all that is in it, and deletes nothing else while pods remain (ordered
   * deletion, docs/kubernetes.md §8). Where what one region holds decides over either, its regions are one.
   */
  #joinTerminatingNamespaces(withoutAction: Ends): void {
    for (const name of this.#terminating) {
      const content = this.#byNamespace.get(name) ?? [];
      const left = content.filter(({ uid }) => {
        const end = withoutAction.get(uid);
        return end === undefined || end.after !== undefined;
      });
      const holding = new Set(left.map(object => this.#rootOf(own(object))));
      const holdingPods = new Set(
        left.filter(each => podFacts(each) !== undefined).map(object => this.#rootOf(own(object))),
      );
      if (holding.size > 1 && holdingPods.size !== 1) continue;
      for (const object of content) this.#join(within(name), own(object));
    }
  }

  #placesOf(object: KubeObject): Place[] {
    const { namespace, name, facts } = object;
    const places: Place[] = [own(object)];
    if (this.#manyFinished && isTerminated(object)) places.push(FINISHED_PODS);
    if (this.#adoptable.has(namespace) && (facts?.kind === 'Workload' || isAdoptable(object)))
      places.push(`adoptable in ${namespace}`);
    // Controllers name what they create after its owner, and wait for a name that is taken.
    const called = (prefix: string): Place => `name ${namespace}/${prefix}`;
    if (isCreatedByControllers(object))
      places.push(called(name.slice(0, Math.max(0, name.lastIndexOf('-')))));
    switch (facts?.kind) {
      case 'Namespace':
        places.push(within(name));
        break;
      case 'Pod':
        for (const claim of claimsOfPod(object)) places.push(claimed(namespace, claim));
        break;
      case 'PersistentVolumeClaim':
        places.push(claimed(namespace, name));
        if (facts.volumeName !== '') places.push(`volume ${facts.volumeName}`);
        break;
      case 'PersistentVolume':
        places.push(`volume ${name}`);
        if (facts.claimNamespace !== '') places.push(claimed(facts.claimNamespace, facts.claimName));
        break;
      case 'Workload':
        places.push(called(name));
        for (const template of workloadFacts(object)?.claimTemplates ?? [])
          places.push(called(`${template}-${name}`));
        break;
      case 'Node':
      case 'CustomResourceDefinition':
      case 'APIService':
      case undefined:
    }
    return places;
  }

  #rootOf(place: Place): Place {
    let root = place;
    for (let parent = this.#parents.get(root); parent !== undefined; parent = this.#parents.get(root))
      root = parent;
    return root;
  }

  #join(a: Place, b: Place): void {
    const [x, y] = [this.#rootOf(a), this.#rootOf(b)];
    if (x !== y) this.#parents.set(y, x);
  }
}

/** Nodes have pods of all namespaces, and definitions have objects in them. */
function isEverywhere({ facts }: KubeObject): boolean {
  return facts?.kind === 'Node' || facts?.kind === 'CustomResourceDefinition';
}

const controllersCreate: ReadonlySet<string> = new Set([
  'Pod',
  'ReplicaSet',
  'ControllerRevision',
  'Job',
  'PersistentVolumeClaim',
]);

function isCreatedByControllers({ type }: KubeObject): boolean {
  return controllersCreate.has(type.kind);
}

/** Nobody controls it, and a workload could take it for its own by its labels. */
function isAdoptable(object: KubeObject): boolean {
  if (object.deletionTimestamp !== undefined || object.labels.length === 0) return false;
  return isCreatedByControllers(object) && controllerOf(object) === undefined;
}

function own({ uid }: KubeObject): Place {
  return `object ${uid}`;
}

function within(namespace: string): Place {
  return `namespace ${namespace}`;
}

function claimed(namespace: string, name: string): Place {
  return `claim ${namespace}/${name}`;
}
