/**
 * A scenario's symbolic names as real ones: where a run's objects are, and what its owner references say. The
 * same for the simulation and for a real cluster, so that both are given the same objects.
 */
import { type JsonRecord, record } from '../../../model/json/json.ts';
import {
  type ObjectName,
  ScenarioError,
  type ScenarioManifest,
  type SymbolicReference,
} from '../scenario.ts';

/** An owner reference as it is sent. */
export interface PlacedReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** What of an object is asked for while references to it are resolved. */
export interface PlacedObject {
  readonly manifest: ScenarioManifest;
  readonly uid: string;
}

/** Definitions serve a group of fixed name, so they are as they are in every run, and so are API services. */
const shared: ReadonlySet<string> = new Set(['APIService', 'CustomResourceDefinition', 'Node']);

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
