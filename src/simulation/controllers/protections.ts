/**
 * Finalizers that kube-controller-manager removes once nothing uses the object any more, for kinds that few clusters use
 * (v1.36). Claims and volumes have controllers of their own in `volumes.ts`.
 */
import {
  type KubeObject,
  Labels,
  objectState,
  podFacts,
  type ResourceType,
  type Uid,
} from '../../model/index.ts';
import type { Controller, ControllerContext } from '../runtime/controller.ts';
import type { SyncResult } from '../runtime/work-queue.ts';
import { settleFinalizer } from './volumes.ts';

interface World {
  readonly type: (apiVersion: string, kind: string) => ResourceType | undefined;
  readonly find: (type: ResourceType, namespace: string, name: string) => KubeObject | undefined;
  readonly all: (type: ResourceType, namespace?: string) => Iterable<KubeObject>;
}

export interface Protection {
  readonly controller: string;
  readonly finalizer: string;
  readonly group: string;
  readonly kind: string;
  /** apiVersions and kinds of users. */
  readonly usedBy: readonly (readonly [apiVersion: string, kind: string])[];
  readonly users: (world: World, object: KubeObject) => Iterable<KubeObject>;
  /** A clause for documentation. */
  readonly keeps: string;
  /** Milliseconds that the controller waits after the deletion. */
  readonly patience?: number;
  readonly source: string;
}

export const POD_GROUP_PROTECTION = 'scheduling.k8s.io/podgroup-protection';

const SERVICE_CIDR = ['networking.k8s.io/v1', 'ServiceCIDR'] as const;
const IP_ADDRESS = ['networking.k8s.io/v1', 'IPAddress'] as const;
const CLAIM = ['v1', 'PersistentVolumeClaim'] as const;
const VOLUME = ['v1', 'PersistentVolume'] as const;
const POD = ['v1', 'Pod'] as const;

function all(
  { type, all: list }: World,
  [apiVersion, kind]: readonly [string, string],
  namespace?: string,
): Iterable<KubeObject> {
  const found = type(apiVersion, kind);
  return found === undefined ? [] : list(found, namespace);
}

const protections: readonly Protection[] = [
  {
    controller: 'volumeattributesclass-protection-controller',
    finalizer: 'kubernetes.io/vac-protection',
    group: 'storage.k8s.io',
    kind: 'VolumeAttributesClass',
    usedBy: [CLAIM, VOLUME],
    *users(world, { name }) {
      for (const user of [...all(world, CLAIM), ...all(world, VOLUME)])
        if (classesOf(user).includes(name)) yield user;
    },
    keeps: 'a claim or volume names it, in spec or status',
    source: 'pkg/controller/volume/vacprotection/vac_protection_controller.go',
  },
  {
    controller: 'resourceclaim-controller',
    finalizer: 'resource.kubernetes.io/delete-protection',
    group: 'resource.k8s.io',
    kind: 'ResourceClaim',
    usedBy: [POD],
    *users({ type, find }, { namespace, facts }) {
      const pods = type(...POD);
      if (facts?.kind !== 'ResourceClaim' || pods === undefined) return;
      for (const { group, resource, name, uid } of facts.reservedFor) {
        const pod = group === '' && resource === 'pods' ? find(pods, namespace, name) : undefined;
        if (pod?.uid === uid && !isDone(pod)) yield pod;
      }
    },
    keeps: '`status.reservedFor` names an unfinished pod or something else',
    source: 'pkg/controller/resourceclaim/controller.go (syncClaim)',
  },
  {
    controller: 'service-cidr-controller',
    finalizer: 'networking.k8s.io/service-cidr-finalizer',
    group: 'networking.k8s.io',
    kind: 'ServiceCIDR',
    usedBy: [IP_ADDRESS, SERVICE_CIDR],
    *users(world, range) {
      const others = [...all(world, SERVICE_CIDR)].filter(({ uid }) => uid !== range.uid).flatMap(rangesOf);
      const own = rangesOf(range);
      // Each range lies in another one.
      if (own.every(each => others.some(other => other.contains(each)))) return;
      for (const address of all(world, IP_ADDRESS)) {
        const number = Range.address(address.name);
        const isManaged = Labels.value(address.labels, MANAGED_BY) === 'ipallocator.k8s.io';
        if (number === undefined || !isManaged || !own.some(each => each.allocates(number))) continue;
        if (!others.some(other => other.allocates(number))) yield address;
      }
    },
    keeps: 'an address that the API server allocated lies in no other range; and for 10 s',
    patience: 10_000,
    source: 'pkg/controller/servicecidrs/servicecidrs_controller.go (canDeleteCIDR)',
  },
  {
    controller: 'podgroup-protection-controller',
    finalizer: POD_GROUP_PROTECTION,
    group: 'scheduling.k8s.io',
    kind: 'PodGroup',
    usedBy: [POD],
    *users(world, { namespace, name }) {
      for (const pod of all(world, POD, namespace))
        if (podFacts(pod)?.schedulingGroup === name && !objectState.isFinished(pod)) yield pod;
    },
    keeps: 'an unfinished pod names it in `spec.schedulingGroup`',
    source: 'pkg/controller/scheduling/podgroupprotection/podgroup_protection_controller.go',
  },
];

const MANAGED_BY = 'ipaddress.kubernetes.io/managed-by';

function classesOf({ facts }: KubeObject): readonly string[] {
  if (facts?.kind === 'PersistentVolume') return [facts.attributesClassName];
  if (facts?.kind !== 'PersistentVolumeClaim') return [];
  return [facts.attributesClassName, facts.currentAttributesClassName, facts.targetAttributesClassName];
}

function isDone(pod: KubeObject): boolean {
  return (
    objectState.isFinished(pod) || (pod.deletionTimestamp !== undefined && podFacts(pod)?.nodeName === '')
  );
}

interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** A range of addresses in CIDR notation. */
class Range {
  readonly #first: Address;
  readonly #length: number;

  constructor(first: Address, length: number) {
    this.#first = first;
    this.#length = length;
  }

  static of(cidr: string): Range | undefined {
    const [text = '', length = ''] = cidr.split('/');
    const address = Range.address(text);
    return address && /^\d+$/u.test(length) ? new Range(address, Number(length)) : undefined;
  }

  static address(text: string): Address | undefined {
    const numbers = text.includes(':') ? groupsOf(text) : text.split('.').map(Number);
    const bits = text.includes(':') ? 128 : 32;
    const size = bits === 32 ? 8 : 16;
    if (numbers.length !== bits / size) return undefined;
    if (!numbers.every(each => Number.isInteger(each) && each >= 0 && each < 2 ** size)) return undefined;
    return { bits, value: numbers.reduce((sum, each) => (sum << BigInt(size)) | BigInt(each), 0n) };
  }

  contains(other: Range): boolean {
    return this.#length <= other.#length && this.#covers(other.#first);
  }

  /** The network's address and, for IPv4, its broadcast address are never allocated. */
  allocates(address: Address): boolean {
    const host = BigInt(address.bits - this.#length);
    const rest = address.value & ((1n << host) - 1n);
    const isLast = address.bits === 32 && rest === (1n << host) - 1n;
    return this.#covers(address) && rest !== 0n && !isLast;
  }

  #covers({ bits, value }: Address): boolean {
    const host = BigInt(bits - this.#length);
    return bits === this.#first.bits && value >> host === this.#first.value >> host;
  }
}

function groupsOf(text: string): number[] {
  const [head = '', tail] = text.split('::');
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map(group => Number.parseInt(group, 16));
  const [before, after] = [read(head), read(tail ?? '')];
  return tail === undefined
    ? before
    : [...before, ...Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

function rangesOf({ facts }: KubeObject): Range[] {
  return facts?.kind === 'ServiceCIDR' ? facts.cidrs.flatMap(cidr => Range.of(cidr) ?? []) : [];
}

/** Checks if a claim is reserved for something other than a pod: only that object's controller knows when it ends. */
function hasUnknownUser({ facts }: KubeObject): boolean {
  return (
    facts?.kind === 'ResourceClaim' &&
    facts.reservedFor.some(({ group, resource }) => group !== '' || resource !== 'pods')
  );
}

/** Returns the protection by this finalizer or, if it is omitted, by any finalizer of the object. */
function protectionOf({ type, finalizers }: KubeObject, finalizer?: string): Protection | undefined {
  return protections.find(
    each =>
      each.kind === type.kind &&
      each.group === type.group &&
      finalizers.includes(each.finalizer) &&
      (finalizer === undefined || finalizer === each.finalizer),
  );
}

function usersOf(world: World, object: KubeObject, finalizer?: string): KubeObject[] {
  return [...(protectionOf(object, finalizer)?.users(world, object) ?? [])];
}

class UseProtectionController implements Controller {
  readonly name: string;
  readonly #protection: Protection;
  /** Objects being deleted that wait for their last user; undefined until a user changes. */
  #waiting: Set<Uid> | undefined;

  constructor(protection: Protection) {
    this.name = protection.controller;
    this.#protection = protection;
  }

  start(context: ControllerContext): void {
    const { usedBy, kind, group } = this.#protection;
    const queue = context.queue<Uid>('queue', uid => this.#sync(context, uid));
    const isUser = ({ type }: KubeObject): boolean =>
      usedBy.some(([apiVersion, user]) => type.kind === user && type.apiVersion === apiVersion);
    const notice = (object: KubeObject): void => {
      if (isUser(object)) for (const uid of this.#deleting(context)) queue.add(uid);
      if (object.type.kind !== kind || object.type.group !== group) return;
      if (object.deletionTimestamp === undefined) return;
      this.#waiting?.add(object.uid);
      queue.add(object.uid);
    };
    context.informer('all', { added: notice, updated: notice, deleted: notice });
  }

  #deleting({ cache, discovery }: ControllerContext): Iterable<Uid> {
    if (this.#waiting !== undefined) return this.#waiting;
    const { kind, group } = this.#protection;
    const type = discovery.catalog.types.find(each => each.kind === kind && each.group === group);
    const found = type === undefined ? [] : cache.list(type);
    this.#waiting = new Set(
      found.filter(({ deletionTimestamp }) => deletionTimestamp !== undefined).map(({ uid }) => uid),
    );
    return this.#waiting;
  }

  #sync(context: ControllerContext, uid: Uid): SyncResult {
    const object = context.cache.byUid(uid);
    if (object === undefined) return 'done';
    const world: World = {
      type: (apiVersion, kind) => context.discovery.catalog.resolveKind(apiVersion, kind),
      find: (type, namespace, name) => context.cache.find(type, namespace, name),
      all: (type, namespace) => context.cache.list(type, namespace),
    };
    if (usersOf(world, object).length > 0 || hasUnknownUser(object)) return 'done';
    const { finalizer, patience = 0 } = this.#protection;
    const left = (object.deletionTimestamp ?? 0) + patience - context.clock.now;
    if (left > 0) return { after: left };
    return settleFinalizer(context, object, finalizer) ? 'done' : 'retry';
  }
}

export const useProtections = {
  list: protections,
  usedClasses: (object: KubeObject) => classesOf(object).filter(name => name !== ''),
  of: protectionOf,
  users: usersOf,
  hasUnknownUser,
  controllers: (): Controller[] => protections.map(each => new UseProtectionController(each)),
};
