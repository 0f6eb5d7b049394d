/**
 * Owner references as people and operators write them who never read a REST mapper: kinds in other cases, plural, of
 * lists, with a group too few or too many, and uids that no API server gives. It admits all of them.
 */
import type { Random } from '../../../src/simulation/runtime/random.ts';
import type { ScenarioManifest, SymbolicReference } from '../../../src/source/demo/scenario.ts';

type Kind = Required<Pick<SymbolicReference, 'apiVersion' | 'kind'>>;

/** Spellings of an owner's kind, the ones that the REST mapper knows as often as the others. */
const spellings: readonly ((owner: Kind) => Partial<Kind>)[] = [
  ({ kind }) => ({ kind: kind.toLowerCase() }),
  ({ kind }) => ({ kind: kind.toLowerCase() }),
  ({ kind }) => ({ kind: kind.toLowerCase() }),
  ({ kind }) => ({ kind: `${kind}List` }),
  ({ kind }) => ({ kind: `${kind}List` }),
  () => ({ kind: 'List' }),
  ({ kind }) => ({ kind: kind.toUpperCase() }),
  ({ kind }) => ({ kind: kind.charAt(0) + kind.slice(1).toLowerCase() }),
  ({ kind }) => ({ kind: `${kind.toLowerCase()}s` }),
  ({ kind }) => ({ kind: `${kind}s` }),
  ({ kind }) => ({ kind: `${kind.toLowerCase()}list` }),
  ({ kind }) => ({ kind: `${kind.toLowerCase()}List` }),
  // Of a group no more than its version, and of none an empty one.
  ({ apiVersion }) => ({ apiVersion: apiVersion.slice(apiVersion.indexOf('/') + 1) }),
  ({ apiVersion, kind }) => ({
    apiVersion: apiVersion.slice(apiVersion.indexOf('/') + 1),
    kind: kind.toLowerCase(),
  }),
  ({ apiVersion }) => ({ apiVersion: `/${apiVersion.slice(apiVersion.indexOf('/') + 1)}` }),
  ({ apiVersion }) => ({ apiVersion: `${apiVersion.slice(0, apiVersion.indexOf('/') + 1)}__internal` }),
  () => ({ apiVersion: 'extensions/v1beta1' }),
  // Kinds that can only be created, and one whose objects can be read and not watched.
  () => ({ apiVersion: 'v1', kind: 'Binding' }),
  () => ({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' }),
  () => ({ apiVersion: 'v1', kind: 'componentstatus' }),
  () => ({ apiVersion: 'v1', kind: 'event' }),
];

/** Several owners can have the same one of these. */
const uids: readonly string[] = ['REDACTED', '0', ' ', '__proto__', 'Ünïcode/uid', 'x'.repeat(300)];

/** `percent` of the references that are as they should be get an odd kind, or now and then an odd uid. */
export function withOddReferences(
  manifests: readonly ScenarioManifest[],
  random: Random,
  percent: number,
): ScenarioManifest[] {
  const kinds = new Map<string, Kind>();
  for (const { apiVersion, kind } of manifests) kinds.set(kind, { apiVersion, kind });
  const odd = (reference: SymbolicReference): SymbolicReference => {
    const owner = kinds.get(reference.of?.split(' ')[0] ?? '');
    const isRight = reference.kind === undefined && reference.uid === undefined;
    if (owner === undefined || !isRight || random.below(100) >= percent) return reference;
    if (random.below(8) === 0) return { ...reference, uid: picked(uids, random) };
    return { ...reference, ...picked(spellings, random)(owner) };
  };
  return manifests.map(manifest => {
    const { ownerReferences } = manifest.metadata;
    if (ownerReferences === undefined) return manifest;
    return { ...manifest, metadata: { ...manifest.metadata, ownerReferences: ownerReferences.map(odd) } };
  });
}

function picked<T>(from: readonly T[], random: Random): T {
  const chosen = from[random.below(from.length)];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
}
