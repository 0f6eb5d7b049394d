/** Plays a scenario's steps on a world, simulated or real, and records the objects' uids. */
import { type JsonRecord, list, record } from '../../model/index.ts';
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

export class Player {
  readonly scenario: Scenario;
  /** Names by uid of the objects that steps created. */
  readonly made = new Map<string, ObjectName>();
  readonly #world: World;
  readonly #manifests: ReadonlyMap<ObjectName, ScenarioManifest>;
  readonly #uids = new Map<ObjectName, string>();

  constructor(scenario: Scenario, world: World) {
    this.scenario = scenario;
    this.#world = world;
    this.#manifests = manifestsOf(scenario);
  }

  async prepare(): Promise<void> {
    for (const name of namespacesOf(this.scenario))
      expectMade(await this.#world.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }), name);
  }

  /** Returns the answer to a deletion or patch. */
  async play(step: PlayedStep): Promise<WorldAnswer | undefined> {
    if ('create' in step) return this.#create(step.create);
    if ('patch' in step)
      return this.#world.patch(this.place(step.patch), this.#resolved(step.with), step.subresource);
    const { cascade, gracePeriodSeconds, delete: target } = step;
    if (typeof target !== 'string')
      throw new ScenarioError(`${this.scenario.title}: only live steps pick what to delete`);
    return this.#world.delete(this.place(target), { cascade, gracePeriodSeconds });
  }

  /** Adds references last if their owners don't exist yet. */
  async #create(manifests: readonly ScenarioManifest[]): Promise<undefined> {
    const late: ScenarioManifest[] = [];
    for (const manifest of manifests) {
      const { ownerReferences, ...metadata } = manifest.metadata;
      const resolvable = ownerReferences?.every(({ of }) => of === undefined || this.#uids.has(of)) !== false;
      if (!resolvable) late.push(manifest);
      const name = nameOf(manifest);
      const body = resolvable ? this.#resolved(manifest) : { ...manifest, metadata };
      const uid = expectMade(await this.#world.create(body), name);
      this.#uids.set(name, uid);
      this.made.set(uid, name);
    }
    for (const manifest of late) {
      const name = nameOf(manifest);
      const { ownerReferences } = record(this.#resolved(manifest)['metadata']);
      const { status } = await this.#world.patch(this.place(name), { metadata: { ownerReferences } });
      if (status !== 200) throw new ScenarioError(`${this.scenario.title}: owners of ${name}: ${status}`);
    }
  }

  /** Resolves the owner references of a manifest or patch, and the pods that reserve a ResourceClaim. */
  #resolved(json: JsonRecord): JsonRecord {
    const metadata = record(json['metadata']);
    const status = record(json['status']);
    const references = (value: unknown) => list(value) as readonly SymbolicReference[];
    const { ownerReferences } = metadata;
    const { reservedFor } = status;
    return {
      ...json,
      ...(ownerReferences !== undefined && {
        metadata: {
          ...metadata,
          ownerReferences: references(ownerReferences).map(each => this.#owner(each)),
        },
      }),
      ...(reservedFor !== undefined && {
        status: { ...status, reservedFor: references(reservedFor).map(each => this.#reserving(each)) },
      }),
    };
  }

  #owner({ of, ...given }: SymbolicReference): JsonRecord {
    if (of === undefined) return { apiVersion: '', kind: '', name: '', uid: '', ...given };
    return { ...this.#identity(of), ...given };
  }

  #reserving({ of = '' }: SymbolicReference): JsonRecord {
    const { name, uid } = this.#identity(of);
    return { resource: 'pods', name, uid };
  }

  #identity(of: ObjectName): Required<Omit<SymbolicReference, 'of' | 'controller' | 'blockOwnerDeletion'>> {
    const manifest = this.#manifests.get(of);
    const uid = this.#uids.get(of);
    if (manifest === undefined || uid === undefined) throw new ScenarioError(`no object ${of} to refer to`);
    return { apiVersion: manifest.apiVersion, kind: manifest.kind, name: manifest.metadata.name, uid };
  }

  /** Locates an object, even one created by a controller, if its kind is built in or defined by the scenario. */
  place(name: ObjectName): ObjectAddress {
    const parts = parseName(name);
    const apiVersion = this.#manifests.get(name)?.apiVersion ?? this.#apiVersionOf(parts?.kind ?? '');
    if (parts === undefined || apiVersion === undefined)
      throw new ScenarioError(`${this.scenario.title}: no object ${name}`);
    return { apiVersion, ...parts };
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
