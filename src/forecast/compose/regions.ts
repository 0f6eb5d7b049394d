/** Divides the objects under way into regions that can't meet, so that small actions simulate only those they reach. */
import type { ClusterView } from '../../graph/index.ts';
import {
  controllerOf,
  type KubeObject,
  objectState,
  podFacts,
  type Uid,
  workloadFacts,
} from '../../model/index.ts';
import { PodGcRules } from '../../podgc/index.ts';
import { SnapshotComponents, useProtections } from '../../simulation/index.ts';
import type { Ends } from '../plan/run-ends.ts';

/** A key; objects that share one are simulated together. */
type MeetingPoint = string;

/** Reaches all regions. */
const EVERYWHERE = 'everywhere';

/** PodGC compares finished pods of all namespaces. */
const FINISHED_PODS = 'finished pods';

/** The objects under way that the action meets, extended as it reaches further. */
export interface Meeting {
  objects(): readonly KubeObject[];
  readonly meets: (object: KubeObject) => boolean;
  /** `deciding`: objects on which handlers depend. */
  extend(ends: Ends, deciding?: ReadonlySet<Uid>): boolean;
}

interface Connections {
  /** Ends without an action. */
  readonly withoutAction: Ends;
  /** Objects whose handlers depend on others, by these. Not joined, because many objects share a handler. */
  readonly deciding: ReadonlyMap<Uid, ReadonlySet<Uid>>;
}

export class Regions {
  readonly #view: ClusterView;
  readonly #underWay: readonly KubeObject[];
  readonly #parents = new Map<MeetingPoint, MeetingPoint>();
  readonly #around = new Map<Uid, readonly MeetingPoint[]>();
  readonly #members: ReadonlyMap<MeetingPoint, readonly KubeObject[]>;
  readonly #byNamespace: ReadonlyMap<string, readonly KubeObject[]>;
  readonly #deciding: Connections['deciding'];
  readonly #manyFinished: boolean;
  /** Namespaces with pods, ReplicaSets etc. that a workload could adopt. */
  readonly #adoptable = new Set<string>();
  readonly #terminating = new Set<string>();

  constructor(view: ClusterView, underWay: readonly KubeObject[], { withoutAction, deciding }: Connections) {
    this.#view = view;
    this.#deciding = deciding;
    this.#underWay = underWay;
    this.#byNamespace = Map.groupBy(underWay, ({ namespace }) => namespace);
    const { threshold } = PodGcRules.atWork(view);
    this.#manyFinished = threshold > 0 && underWay.filter(objectState.isTerminated).length > threshold;
    for (const object of underWay) {
      if (isAdoptable(object)) this.#adoptable.add(object.namespace);
      if (object.facts?.kind === 'Namespace') this.#terminating.add(object.name);
    }
    this.#joinComponents();
    this.#joinTerminatingNamespaces(withoutAction);
    this.#members = Map.groupBy(underWay, object => this.#rootOf(own(object))).set(EVERYWHERE, [...underWay]);
  }

  meeting(targets: readonly KubeObject[]): Meeting {
    const roots = new Set<MeetingPoint>();
    const found = new Set<KubeObject>();
    const take = (met: readonly MeetingPoint[]): void => {
      if (found.size === this.#underWay.length) return;
      for (const root of met) {
        if (roots.has(root)) continue;
        roots.add(root);
        for (const each of this.#members.get(root) ?? []) found.add(each);
      }
    };
    for (const target of targets) {
      take(this.#rootsAt(target));
      take(this.#rootsAround(target));
    }
    let objects = [...found];
    return {
      objects: () => objects,
      meets: object => this.#rootsAt(object).some(root => roots.has(root)),
      extend: (ends, deciding = new Set()) => {
        for (const [uid, { before, after }] of ends) {
          take(this.#rootsOf(this.#deciding.get(uid) ?? []));
          // A namespace waiting for its content is part of every region in it.
          if (
            before?.facts?.kind === 'Namespace' &&
            this.#terminating.has(before.name) &&
            after !== undefined
          )
            continue;
          if (before !== undefined) take(this.#rootsAt(before));
          if (after !== undefined) take(this.#rootsAt(after));
        }
        take(this.#rootsOf(deciding));
        const more = found.size > objects.length;
        if (more) objects = this.#underWay.filter(each => found.has(each));
        return more;
      },
    };
  }

  #joinComponents(): void {
    const components = new SnapshotComponents(this.#view.graph);
    for (const object of this.#underWay) {
      const points = this.#pointsOf(object);
      for (const { object: member } of components.take(object.uid)) {
        if (member !== undefined) points.push(...this.#pointsOf(member));
      }
      for (const point of points) this.#join(own(object), point);
    }
  }

  /** Joins a deleting namespace's regions if one can decide over another (ordered deletion, docs/kubernetes.md §8). */
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

  /** Returns the roots of regions that the object meets, without empty ones. */
  #rootsAt(object: KubeObject): readonly MeetingPoint[] {
    const points = [...this.#pointsOf(object), within(object.namespace)];
    if (isEverywhere(object)) points.unshift(EVERYWHERE);
    if (object.facts?.kind === 'Namespace')
      points.push(...(this.#byNamespace.get(object.name) ?? []).map(own));
    return points.map(point => this.#rootOf(point)).filter(root => this.#members.has(root));
  }

  /** Like `#rootsAt`, for everything that owner references connect with the object. */
  #rootsAround({ uid }: KubeObject): readonly MeetingPoint[] {
    const known = this.#around.get(uid);
    if (known !== undefined) return known;
    const members = new SnapshotComponents(this.#view.graph).take(uid);
    const roots = [
      ...new Set(members.flatMap(({ object }) => (object === undefined ? [] : this.#rootsAt(object)))),
    ];
    for (const { identity } of members) this.#around.set(identity.uid, roots);
    return roots;
  }

  #pointsOf(object: KubeObject): MeetingPoint[] {
    const { namespace, name, facts } = object;
    const points: MeetingPoint[] = [own(object)];
    if (this.#manyFinished && objectState.isTerminated(object)) points.push(FINISHED_PODS);
    if (this.#adoptable.has(namespace) && (facts?.kind === 'Workload' || isAdoptable(object)))
      points.push(`adoptable in ${namespace}`);
    // Controllers name new objects after their owner, and wait for a taken name.
    const called = (prefix: string): MeetingPoint => `name ${namespace}/${prefix}`;
    if (isCreatedByControllers(object))
      points.push(called(name.slice(0, Math.max(0, name.lastIndexOf('-')))));
    switch (facts?.kind) {
      case 'Namespace':
        points.push(within(name));
        break;
      case 'Pod':
        for (const claim of objectState.claims(object)) points.push(claimed(namespace, claim));
        if (facts.schedulingGroup !== '') points.push(podGroup(namespace, facts.schedulingGroup));
        break;
      case 'PersistentVolumeClaim':
        points.push(claimed(namespace, name));
        if (facts.volumeName !== '') points.push(`volume ${facts.volumeName}`);
        points.push(...useProtections.usedClasses(object).map(attributesClass));
        break;
      case 'PersistentVolume':
        points.push(`volume ${name}`);
        points.push(...useProtections.usedClasses(object).map(attributesClass));
        if (facts.claimNamespace !== '') points.push(claimed(facts.claimNamespace, facts.claimName));
        break;
      case 'Workload':
        points.push(called(name));
        for (const template of workloadFacts(object)?.claimTemplates ?? [])
          points.push(called(`${template}-${name}`));
        break;
      case 'ResourceClaim':
        points.push(...facts.reservedFor.map(({ uid }) => `object ${uid}`));
        break;
      case 'Service':
      case 'ServiceCIDR':
        points.push(SERVICE_ADDRESSES);
        break;
      case 'Node':
      case 'CustomResource':
      case 'CustomResourceDefinition':
      case 'APIService':
      case 'EndpointSlice':
      case 'WebhookConfiguration':
      case 'Role':
      case 'RoleBinding':
      case 'AdmissionPolicy':
      case 'AdmissionBinding':
      case 'Lease':
      case 'PodDisruptionBudget':
      case 'HorizontalPodAutoscaler':
      case 'VolumeAttachment':
      case undefined:
    }
    if (object.type.kind === 'IPAddress') points.push(SERVICE_ADDRESSES);
    if (object.type.kind === 'PodGroup') points.push(podGroup(namespace, name));
    if (object.type.kind === 'VolumeAttributesClass') points.push(attributesClass(name));
    return points;
  }

  #rootOf(point: MeetingPoint): MeetingPoint {
    let root = point;
    for (let parent = this.#parents.get(root); parent !== undefined; parent = this.#parents.get(root))
      root = parent;
    // Later questions are answered in one step.
    if (root !== point) this.#parents.set(point, root);
    return root;
  }

  #rootsOf(uids: Iterable<Uid>): readonly MeetingPoint[] {
    return Array.from(uids, uid => this.#rootOf(own({ uid })));
  }

  #join(a: MeetingPoint, b: MeetingPoint): void {
    const [x, y] = [this.#rootOf(a), this.#rootOf(b)];
    if (x !== y) this.#parents.set(y, x);
  }
}

/** Nodes and definitions concern objects in all namespaces. */
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

/** Checks if a workload could adopt it by its labels. */
function isAdoptable(object: KubeObject): boolean {
  if (object.deletionTimestamp !== undefined || object.labels.length === 0) return false;
  return isCreatedByControllers(object) && controllerOf(object) === undefined;
}

function own({ uid }: Pick<KubeObject, 'uid'>): MeetingPoint {
  return `object ${uid}`;
}

function within(namespace: string): MeetingPoint {
  return `namespace ${namespace}`;
}

/** Joins ServiceCIDRs and their addresses, because an address may lie in several ServiceCIDRs. */
const SERVICE_ADDRESSES = 'service addresses';

function attributesClass(name: string): MeetingPoint {
  return `attributes class ${name}`;
}

function podGroup(namespace: string, name: string): MeetingPoint {
  return `pod group ${namespace}/${name}`;
}

function claimed(namespace: string, name: string): MeetingPoint {
  return `claim ${namespace}/${name}`;
}
