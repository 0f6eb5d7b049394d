/** Random manifests whose metadata is as it should be, or has one or two things in it that people get wrong. */
import fc from 'fast-check';
import { stringify } from 'yaml';

type Json = Readonly<Record<string, unknown>>;
type Metadata = Readonly<Record<string, unknown>>;

export interface OddManifest {
  /** A file's name, with its extension. */
  readonly file: string;
  readonly text: string;
}

const podSpec = { containers: [{ name: 'main', image: 'registry.example.com/main' }] };
const template = { metadata: { labels: { app: 'web' } }, spec: podSpec };
const selector = { matchLabels: { app: 'web' } };

/** Good but for their metadata. `widget` is the apiVersion of a custom kind that is served. */
const bodies: readonly Json[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } },
  { apiVersion: 'v1', kind: 'Secret', stringData: { a: 'b' } },
  { apiVersion: 'v1', kind: 'ServiceAccount' },
  { apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 80 }] } },
  { apiVersion: 'v1', kind: 'Namespace' },
  { apiVersion: 'apps/v1', kind: 'Deployment', spec: { selector, template } },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    spec: { template: { ...template, spec: { ...podSpec, restartPolicy: 'Never' } } },
  },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', rules: [] },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', rules: [] },
  { apiVersion: 'example.com/v1', kind: 'Widget', spec: { size: 1 } },
];

/** The kind `Widget` of the bodies above. */
export const widgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`;

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'a1b2c3' };
const otherTypes: readonly unknown[] = [5, 0, true, 'text', '', null, [], {}, ['a'], { a: 'b' }, [null], 1.5];
const words: readonly unknown[] = [
  'a',
  'REDACTED',
  '',
  ' ',
  'two words',
  '-a',
  'a-',
  'a_b',
  'A.b',
  'x'.repeat(63),
  'x'.repeat(64),
  'x'.repeat(254),
  'ü',
  'a/b',
  'a/b/c',
  '/a',
  'a/',
  'example.com/a',
  'Example.com/a',
  'exa_mple.com/a',
  'example.com/a b',
  `example.com/${'x'.repeat(64)}`,
  `${'x'.repeat(254)}/a`,
  'v1',
  'foregroundDeletion',
  'orphan',
  'kubernetes',
];

const oddOwner = fc.oneof(
  // One field is missing, of another type, or says something odd.
  fc
    .record({
      field: fc.constantFrom('apiVersion', 'kind', 'name', 'uid'),
      value: fc.constantFrom(undefined, undefined, ...otherTypes, ...words),
    })
    .map(({ field, value }) => ({ ...owner, [field]: value })),
  fc
    .record({
      field: fc.constantFrom('controller', 'blockOwnerDeletion'),
      value: fc.constantFrom(true, false, ...otherTypes),
    })
    .map(({ field, value }) => ({ ...owner, [field]: value })),
  fc.constantFrom(...otherTypes),
  fc.constantFrom(
    { ...owner, apiVersion: 'v1', kind: 'Event' },
    { ...owner, apiVersion: 'events.k8s.io/v1', kind: 'Event' },
    { ...owner, uuid: 'a1b2c3' },
    { ...owner, namespace: 'default' },
    { ...owner, apiVersion: 'a/b/c' },
    { ...owner, apiVersion: '/v1' },
    { ...owner, apiVersion: 'apps/' },
    { ...owner, kind: 'replicaset' },
    { ...owner, UID: 'a1b2c3', uid: undefined },
  ),
);

const owners = fc.oneof(
  oddOwner.map(each => [each]),
  fc.tuple(oddOwner).map(([each]) => [owner, each]),
  fc.constantFrom<unknown>(
    [],
    owner,
    { '0': owner },
    [owner, owner],
    [
      { ...owner, controller: true },
      { ...owner, uid: 'd4e5f6', controller: true },
    ],
    [
      { ...owner, controller: true },
      { ...owner, uid: 'd4e5f6', controller: false },
    ],
  ),
  fc.constantFrom(...otherTypes),
);

const finalizers = fc.oneof(
  fc.array(fc.constantFrom(...words, 'example.com/a', 'example.com/a'), { minLength: 1, maxLength: 2 }),
  fc.array(fc.constantFrom(...otherTypes), { minLength: 1, maxLength: 2 }),
  fc.constantFrom<unknown>(['foregroundDeletion', 'orphan'], ['orphan', 'foregroundDeletion']),
  fc.constantFrom(...otherTypes),
);

const pairs = fc.oneof(
  fc
    .record({
      key: fc.constantFrom(...words),
      value: fc.constantFrom<unknown>('a', 'a', ...otherTypes, ...words),
    })
    .map(({ key, value }) => ({ good: 'a', [String(key)]: value })),
  fc.constantFrom(...otherTypes),
);

/** Each changes the metadata of a manifest that was never applied. */
const faults: fc.Arbitrary<Metadata> = fc.oneof(
  { weight: 4, arbitrary: owners.map(value => ({ ownerReferences: value })) },
  { weight: 2, arbitrary: finalizers.map(value => ({ finalizers: value })) },
  { weight: 2, arbitrary: pairs.map(value => ({ labels: value })) },
  { weight: 2, arbitrary: pairs.map(value => ({ annotations: value })) },
  { weight: 1, arbitrary: fc.constantFrom({ annotations: { blob: 'x'.repeat(262_200) } }) },
  { weight: 2, arbitrary: fc.constantFrom(...otherTypes, ...words, undefined).map(name => ({ name })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...otherTypes, 'Default', 'a_b', 'x'.repeat(64))
      .map(namespace => ({ namespace })),
  },
  { weight: 1, arbitrary: fc.constantFrom(...otherTypes, ...words).map(value => ({ generateName: value })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Metadata>(
      { ownerReference: [owner] },
      { finalizer: 'example.com/a' },
      { lables: { a: 'b' } },
      { creationTimestamp: null },
      { creationTimestamp: 5 },
      { generation: 'first' },
      { generation: -1 },
      { selfLink: 5 },
      { deletionGracePeriodSeconds: 'soon' },
      { managedFields: 'none' },
    ),
  },
);

const written = fc.record({
  body: fc.constantFrom(...bodies),
  faults: fc.array(faults, { minLength: 1, maxLength: 2 }),
  whole: fc.oneof(
    { weight: 30, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...otherTypes) },
  ),
  style: fc.constantFrom('json', 'yaml', 'yaml', 'flow'),
});

/** Always the same for the same seed. The names of the objects are those of their files where nothing is wrong with them. */
export function oddManifests(seed: number, count: number): OddManifest[] {
  return fc.sample(written, { seed, numRuns: count }).map(({ body, faults: found, whole, style }, index) => {
    const name = `m${String(index).padStart(4, '0')}`;
    const metadata = whole === undefined ? Object.assign({ name }, ...found) : whole;
    const { apiVersion, kind, ...rest } = body;
    const json = { apiVersion, kind, metadata, ...rest };
    const text =
      style === 'json'
        ? JSON.stringify(json, null, 2)
        : stringify(JSON.parse(JSON.stringify(json)), {
            collectionStyle: style === 'flow' ? 'flow' : 'block',
            lineWidth: 0,
          });
    return { file: `${name}.${style === 'json' ? 'json' : 'yaml'}`, text };
  });
}
