/** Plays a scenario's steps on a world, simulated or real, and records the objects' uids. */
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

export interface ObjectAddress {
  readonly apiVersion: string;
  readonly kind: string;
  /** `''` if cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
}

export type PlayedDelete = Omit<DeleteStep, 'delete'>;

export interface WorldAnswer {
  readonly status: number;
  readonly uid?: string | undefined;
}

export interface World {
  create(manifest: JsonRecord): Promise<WorldAnswer>;
  /** Applies a JSON merge patch to the object or a subresource. */
  patch(place: ObjectAddress, patch: JsonRecord, subresource?: PatchedSubresource): Promise<WorldAnswer>;
  delete(place: ObjectAddress, request: PlayedDelete): Promise<WorldAnswer>;
}

export type Shuffle = (manifests: readonly ScenarioManifest[]) => readonly ScenarioManifest[];

/** Distinguishes a run's objects from others, and created ones from the controllers'. */
export interface RunNaming {
  readonly prefix: string;
  readonly made: ReadonlyMap<string, ObjectName>;
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
  /** Statuses of deletions and patches, in order; compared too. */
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

  async prepare(): Promise<void> {
    for (const name of namespacesOf(this.scenario)) {
      const metadata = { name: this.placement.namespace(name) };
      expectMade(await this.#world.create({ apiVersion: 'v1', kind: 'Namespace', metadata }), name);
    }
  }

  /** `shuffle` reorders objects whose order of creation doesn't matter. */
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

  #placed(patch: JsonRecord): JsonRecord {
    const metadata = record(patch['metadata']);
    if (metadata['ownerReferences'] === undefined) return patch;
    const references = list(metadata['ownerReferences']) as readonly SymbolicReference[];
    return {
      ...patch,
      metadata: { ...metadata, ownerReferences: references.map(each => this.#owner(each)) },
    };
  }

  /** Locates an object, even one created by a controller, if its kind is built in or defined by the scenario. */
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

export type PlacedReference = Required<Pick<SymbolicReference, 'apiVersion' | 'kind' | 'name' | 'uid'>> &
  Pick<SymbolicReference, 'controller' | 'blockOwnerDeletion'>;

export interface PlacedObject {
  readonly manifest: ScenarioManifest;
  readonly uid: string;
}

/** Definitions and API services have fixed groups, so all runs share them. */
const shared: ReadonlySet<string> = new Set(['APIService', 'CustomResourceDefinition', 'Node']);

/** Maps symbolic names to real ones, equally for the simulation and for a real cluster. */
export class Placement {
  readonly prefix: string;

  /** With the prefix `''`, as in the demo, names stay as in the scenario. */
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

  /** Returns the manifest to send, without owner references: their owners may not exist yet. */
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

  /** Renames a volume's claim and a claim's volume in the spec. */
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
