/** Plays a scenario's steps to a world, simulated or real, and remembers which object got which uid. */
import { type JsonRecord, list, record } from '../../model/json/json.ts';
import { builtInTypes } from '../built-in-types.ts';
import {
  type DeleteStep,
  manifestsOf,
  nameOf,
  namespacesOf,
  type ObjectName,
  type PatchedSubresource,
  type PlayedStep,
  parseName,
  type Scenario,
  ScenarioError,
  type ScenarioManifest,
  type SymbolicReference,
} from './scenario.ts';

/** Where an object is. */
export interface ObjectAddress {
  readonly apiVersion: string;
  readonly kind: string;
  /** `''` for what is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
}

export type PlayedDelete = Omit<DeleteStep, 'delete'>;

/** The status of an answer, and the uid of the object that it is about. */
export interface WorldAnswer {
  readonly status: number;
  readonly uid?: string | undefined;
}

/** An API server, simulated or real. */
export interface World {
  create(manifest: JsonRecord): Promise<WorldAnswer>;
  /** A JSON merge patch of the object or of a subresource. */
  patch(place: ObjectAddress, patch: JsonRecord, subresource?: PatchedSubresource): Promise<WorldAnswer>;
  delete(place: ObjectAddress, request: PlayedDelete): Promise<WorldAnswer>;
}

export type Shuffle = (manifests: readonly ScenarioManifest[]) => readonly ScenarioManifest[];

/** How a run's objects are told from others, and those that it made from those that controllers made. */
export interface RunNaming {
  readonly prefix: string;
  /** Symbolic names of the objects that the scenario made, by uid. */
  readonly made: ReadonlyMap<string, ObjectName>;
  /** Those among them whose status counts. */
  readonly statuses: ReadonlySet<ObjectName>;
}

interface Identified {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export class Player {
  readonly scenario: Scenario;
  readonly placement: Placement;
  /** Statuses of the answers to deletions and patches, in order; part of what is compared. */
  readonly statuses: number[] = [];
  readonly #world: World;
  readonly #manifests: ReadonlyMap<ObjectName, ScenarioManifest>;
  readonly #uids = new Map<ObjectName, string>();
  readonly #made = new Map<string, string>();

  constructor(scenario: Scenario, prefix: string, world: World) {
    this.scenario = scenario;
    this.placement = new Placement(prefix);
    this.#world = world;
    this.#manifests = manifestsOf(scenario);
  }

  get naming(): RunNaming {
    return {
      prefix: this.placement.prefix,
      made: this.#made,
      statuses: new Set(this.scenario.statuses),
    };
  }

  /** Makes the scenario's namespaces. */
  async prepare(): Promise<void> {
    for (const name of namespacesOf(this.scenario)) {
      const metadata = { name: this.placement.namespace(name) };
      expectMade(await this.#world.create({ apiVersion: 'v1', kind: 'Namespace', metadata }), name);
    }
  }

  /** `shuffle` changes the order of objects that nobody watches being made. */
  async play(step: PlayedStep, shuffle: Shuffle = manifests => manifests): Promise<void> {
    if ('create' in step) return this.#create(shuffle(step.create));
    if ('delete' in step) {
      const { cascade, gracePeriodSeconds, delete: target } = step;
      if (typeof target !== 'string') {
        throw new ScenarioError(`${this.scenario.title}: only live steps pick what to delete`);
      }
      const answer = await this.#world.delete(this.place(target), { cascade, gracePeriodSeconds });
      this.statuses.push(answer.status);
      return;
    }
    const answer = await this.#world.patch(this.place(step.patch), this.#placed(step.with), step.subresource);
    this.statuses.push(answer.status);
  }

  /** Whether an object belongs to this run. */
  owns(object: Identified): boolean {
    const { prefix } = this.placement;
    if (prefix === '' || this.#made.has(object.uid)) return true;
    if (object.namespace !== '') return object.namespace.startsWith(`${prefix}-`);
    return object.kind !== 'Namespace' && object.name.startsWith(`${prefix}-`);
  }

  async #create(manifests: readonly ScenarioManifest[]): Promise<void> {
    const late: ScenarioManifest[] = [];
    for (const manifest of manifests) {
      const name = nameOf(manifest);
      const owners = manifest.metadata.ownerReferences ?? [];
      const resolvable = owners.every(({ of }) => of === undefined || this.#uids.has(of));
      const placed = this.placement.place(manifest);
      const metadata = record(placed['metadata']);
      const body =
        resolvable && owners.length > 0
          ? { ...placed, metadata: { ...metadata, ownerReferences: owners.map(each => this.#owner(each)) } }
          : placed;
      const answer = expectMade(await this.#world.create(body), name);
      this.#uids.set(name, answer);
      this.#made.set(answer, name);
      if (!resolvable) late.push(manifest);
    }
    for (const manifest of late) {
      const ownerReferences = (manifest.metadata.ownerReferences ?? []).map(each => this.#owner(each));
      const patch = { metadata: { ownerReferences } };
      const answer = await this.#world.patch(this.place(nameOf(manifest)), patch);
      if (answer.status !== 200) {
        throw new ScenarioError(`${this.scenario.title}: owners of ${nameOf(manifest)}: ${answer.status}`);
      }
    }
  }

  #owner(reference: SymbolicReference): PlacedReference {
    return this.placement.reference(reference, name => {
      const manifest = this.#manifests.get(name);
      const uid = this.#uids.get(name);
      return manifest === undefined || uid === undefined ? undefined : { manifest, uid };
    });
  }

  /** A patch with its references resolved. */
  #placed(patch: JsonRecord): JsonRecord {
    const metadata = record(patch['metadata']);
    if (metadata['ownerReferences'] === undefined) return patch;
    const references = list(metadata['ownerReferences']) as readonly SymbolicReference[];
    return {
      ...patch,
      metadata: { ...metadata, ownerReferences: references.map(each => this.#owner(each)) },
    };
  }

  /** Also of an object that a controller made: then its kind is a built-in one, or one that the scenario defines. */
  place(name: ObjectName): ObjectAddress {
    const parts = parseName(name);
    const manifest = this.#manifests.get(name);
    const apiVersion = manifest?.apiVersion ?? this.#apiVersionOf(parts?.kind ?? '');
    if (parts === undefined || apiVersion === undefined) {
      throw new ScenarioError(`${this.scenario.title}: no object ${name}`);
    }
    const { kind, namespace } = parts;
    const metadata = { name: parts.name, ...(namespace === '' ? {} : { namespace }) };
    return {
      apiVersion,
      kind,
      namespace: namespace === '' ? '' : this.placement.namespace(namespace),
      name: this.placement.name({ kind, metadata }),
    };
  }

  #apiVersionOf(kind: string): string | undefined {
    const type = builtInTypes.find(each => each.preferred && each.kind === kind);
    if (type !== undefined) return type.apiVersion;
    return [...this.#manifests.values()].find(manifest => manifest.kind === kind)?.apiVersion;
  }
}

function expectMade(answer: WorldAnswer, name: string): string {
  if (answer.status !== 201 || answer.uid === undefined) {
    throw new ScenarioError(`${name} could not be made: ${answer.status}`);
  }
  return answer.uid;
}

/** An owner reference as it is sent. */
export type PlacedReference = Required<Pick<SymbolicReference, 'apiVersion' | 'kind' | 'name' | 'uid'>> &
  Pick<SymbolicReference, 'controller' | 'blockOwnerDeletion'>;

/** What of an object is asked for while references to it are resolved. */
export interface PlacedObject {
  readonly manifest: ScenarioManifest;
  readonly uid: string;
}

/** Definitions serve a group of fixed name, so they are as they are in every run, and so are API services. */
const shared: ReadonlySet<string> = new Set(['APIService', 'CustomResourceDefinition', 'Node']);

/**
 * A scenario's symbolic names as real ones: where a run's objects are, and what its owner references say. The same for
 * the simulation and for a real cluster, so that both are given the same objects.
 */
export class Placement {
  readonly prefix: string;

  /** With a prefix of `''`, as in the demo, every name is as the scenario has it. */
  constructor(prefix: string) {
    this.prefix = prefix;
  }

  namespace(symbolic: string): string {
    return this.prefix === '' ? symbolic : `${this.prefix}-${symbolic}`;
  }

  name(manifest: Pick<ScenarioManifest, 'kind' | 'metadata'>): string {
    const { namespace, name } = manifest.metadata;
    return namespace !== undefined || shared.has(manifest.kind) ? name : this.namespace(name);
  }

  /** The manifest as it is sent, without owner references: they may refer to what isn't there yet. */
  place(manifest: ScenarioManifest): JsonRecord {
    const { ownerReferences: _, namespace, ...metadata } = manifest.metadata;
    return {
      ...manifest,
      ...this.#spec(manifest),
      metadata: {
        ...metadata,
        name: this.name(manifest),
        ...(namespace === undefined ? {} : { namespace: this.namespace(namespace) }),
      },
    };
  }

  /** The fields of a spec that name what is placed: a volume's claim, and a claim's volume. */
  #spec({ kind, spec }: ScenarioManifest): { readonly spec?: JsonRecord } {
    const given = record(spec);
    const { namespace } = record(given['claimRef']);
    if (kind === 'PersistentVolume' && typeof namespace === 'string') {
      return {
        spec: { ...given, claimRef: { ...record(given['claimRef']), namespace: this.namespace(namespace) } },
      };
    }
    const { volumeName } = given;
    if (kind === 'PersistentVolumeClaim' && typeof volumeName === 'string') {
      return { spec: { ...given, volumeName: this.namespace(volumeName) } };
    }
    return {};
  }

  reference(
    reference: SymbolicReference,
    find: (name: ObjectName) => PlacedObject | undefined,
  ): PlacedReference {
    const { of, controller, blockOwnerDeletion, apiVersion, kind, name, uid } = reference;
    const owner = of === undefined ? undefined : find(of);
    if (of !== undefined && owner === undefined) throw new ScenarioError(`no object ${of} to refer to`);
    const given = owner?.manifest;
    return {
      apiVersion: apiVersion ?? given?.apiVersion ?? '',
      kind: kind ?? given?.kind ?? '',
      name: name ?? (given === undefined ? '' : this.name(given)),
      uid: uid ?? owner?.uid ?? '',
      ...(controller === undefined ? {} : { controller }),
      ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
    };
  }
}
