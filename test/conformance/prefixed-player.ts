/** Plays a scenario with a prefix, so that many fit on one cluster: in its namespaces, and in cluster-scoped names. */
import { type JsonRecord, list, record, text } from '../../src/model/json/json.ts';
import { type ObjectAddress, Player, type World, type WorldAnswer } from '../../src/source/demo/player.ts';
import type { ObjectName, PlayedStep, Scenario, ScenarioManifest } from '../../src/source/demo/scenario.ts';

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

type Shuffle = (manifests: readonly ScenarioManifest[]) => readonly ScenarioManifest[];

/** Definitions and API services have fixed groups, so all runs share them. */
const shared: ReadonlySet<string> = new Set(['APIService', 'CustomResourceDefinition', 'Node']);

/** Maps symbolic names to real ones, equally for the simulation and for a real cluster. */
export class Placement {
  readonly prefix: string;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  namespace(symbolic: string): string {
    return `${this.prefix}-${symbolic}`;
  }

  name(kind: string, namespace: string, name: string): string {
    return namespace !== '' || shared.has(kind) ? name : this.namespace(name);
  }

  place({ apiVersion, kind, namespace, name }: ObjectAddress): ObjectAddress {
    return {
      apiVersion,
      kind,
      namespace: namespace === '' ? '' : this.namespace(namespace),
      name: this.name(kind, namespace, name),
    };
  }

  /** Returns the manifest as sent, but with its owner references as they are. */
  manifest(manifest: JsonRecord): JsonRecord {
    const { namespace, name, ...metadata } = record(manifest['metadata']);
    return {
      ...manifest,
      ...this.#spec(manifest),
      metadata: {
        ...metadata,
        name: this.name(text(manifest['kind']), text(namespace), text(name)),
        ...(namespace === undefined ? {} : { namespace: this.namespace(text(namespace)) }),
      },
    };
  }

  /** Renames a volume's claim, and a claim's volume and attributes class, in the spec. */
  #spec({ kind, spec }: JsonRecord): { readonly spec?: JsonRecord } {
    const given = record(spec);
    const claimRef = record(given['claimRef']);
    if (kind === 'PersistentVolume' && typeof claimRef['namespace'] === 'string')
      return {
        spec: { ...given, claimRef: { ...claimRef, namespace: this.namespace(claimRef['namespace']) } },
      };
    if (kind !== 'PersistentVolumeClaim') return {};
    const names = ['volumeName', 'volumeAttributesClassName'].flatMap(key => {
      const name = given[key];
      return typeof name === 'string' ? [[key, this.namespace(name)]] : [];
    });
    return { spec: { ...given, ...Object.fromEntries(names) } };
  }
}

class PrefixedWorld implements World {
  readonly #world: World;
  readonly #placement: Placement;
  /** Symbolic and real names of the objects made, by uid, and by kind and symbolic name. */
  readonly #names = new Map<string, { readonly symbolic: string; readonly real: string }>();

  constructor(world: World, placement: Placement) {
    this.#world = world;
    this.#placement = placement;
  }

  async create(manifest: JsonRecord): Promise<WorldAnswer> {
    const placed = this.#placement.manifest(this.#renamed(manifest));
    const answer = await this.#world.create(placed);
    const { name } = record(manifest['metadata']);
    const names = { symbolic: text(name), real: text(record(placed['metadata'])['name']) };
    if (answer.uid !== undefined) this.#names.set(answer.uid, names);
    this.#names.set(`${text(manifest['kind'])} ${names.symbolic}`, names);
    return answer;
  }

  patch(place: ObjectAddress, patch: JsonRecord, ...rest: [('status' | 'finalize')?]): Promise<WorldAnswer> {
    return this.#world.patch(this.#placement.place(place), this.#renamed(patch), ...rest);
  }

  delete(place: ObjectAddress, request: Parameters<World['delete']>[1]): Promise<WorldAnswer> {
    return this.#world.delete(this.#placement.place(place), request);
  }

  /** Gives owner references the real names of the objects that they name. */
  #renamed(json: JsonRecord): JsonRecord {
    const metadata = record(json['metadata']);
    if (metadata['ownerReferences'] === undefined) return json;
    const ownerReferences = list(metadata['ownerReferences'])
      .map(record)
      .map(each => {
        const { uid, kind, name } = each;
        const known = this.#names.get(text(uid)) ?? this.#names.get(`${text(kind)} ${text(name)}`);
        return known?.symbolic === name ? { ...each, name: known?.real } : each;
      });
    return { ...json, metadata: { ...metadata, ownerReferences } };
  }
}

export class PrefixedPlayer extends Player {
  readonly placement: Placement;
  /** Statuses of deletions and patches, in order; compared too. */
  readonly statuses: number[] = [];

  constructor(scenario: Scenario, prefix: string, world: World) {
    const placement = new Placement(prefix);
    super(scenario, new PrefixedWorld(world, placement));
    this.placement = placement;
  }

  get naming(): RunNaming {
    const { prefix } = this.placement;
    return { prefix, made: this.made, statuses: new Set(this.scenario.statuses) };
  }

  /** `shuffle` reorders objects whose order of creation doesn't matter. */
  override async play(step: PlayedStep, shuffle?: Shuffle): Promise<WorldAnswer | undefined> {
    const played = shuffle !== undefined && 'create' in step ? { create: shuffle(step.create) } : step;
    const answer = await super.play(played);
    if (answer !== undefined) this.statuses.push(answer.status);
    return answer;
  }

  /** Locates an object on the cluster. */
  placed(name: ObjectName): ObjectAddress {
    return this.placement.place(this.place(name));
  }

  owns({ uid, kind, namespace, name }: Identified): boolean {
    const start = `${this.placement.prefix}-`;
    if (this.made.has(uid)) return true;
    return namespace === '' ? kind !== 'Namespace' && name.startsWith(start) : namespace.startsWith(start);
  }
}
