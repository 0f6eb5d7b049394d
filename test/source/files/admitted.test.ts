/** Manifests count as what the API server makes of them. */
import { describe, expect, test } from 'vitest';
import { command } from '../../cli/console.ts';
import { type Read, readText } from './reading.ts';

function finalizersOf({ view }: Read, name: string): readonly string[] {
  for (const { object } of view.graph.nodes())
    if (object?.name === name)
      return [
        ...object.finalizers,
        ...(object.facts?.kind === 'Namespace' ? object.facts.specFinalizers : []),
      ];
  throw new Error(`no ${name}`);
}

const manifest = (kind: string, more = '', rest = ''): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: {name: it${more}}\n${rest}`;

describe('the finalizers of a new object', () => {
  test.each([
    ['PersistentVolume', ['kubernetes.io/pv-protection']],
    ['PersistentVolumeClaim', ['kubernetes.io/pvc-protection']],
    ['Namespace', ['kubernetes']],
    ['ConfigMap', []],
  ])('are those that the API server gives it: %s', async (kind, finalizers) => {
    expect(finalizersOf(await readText(manifest(kind)), 'it')).toEqual(finalizers);
    // What was in a cluster has what it has.
    expect(finalizersOf(await readText(manifest(kind, ', uid: u')), 'it')).toEqual([]);
    const deleting = ', deletionTimestamp: "2026-11-01T00:00:00Z"';
    expect(finalizersOf(await readText(manifest(kind, deleting)), 'it')).toEqual([]);
  });

  test('stand beside its own, once', async () => {
    const own = ', finalizers: [kubernetes.io/pvc-protection, example.com/x]';
    expect(finalizersOf(await readText(manifest('PersistentVolumeClaim', own)), 'it')).toEqual([
      'kubernetes.io/pvc-protection',
      'example.com/x',
    ]);
    const spec = 'spec: {finalizers: [example.com/y]}\n';
    expect(finalizersOf(await readText(manifest('Namespace', '', spec)), 'it')).toEqual([
      'example.com/y',
      'kubernetes',
    ]);
  });
});

test('what deleting a definition without status takes with it is named', async () => {
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Gear, plural: gears, singular: gear}
  versions:
  - {name: v1, served: true, storage: true}
`;
  const gear = (name: string, more = ''): string =>
    `---\napiVersion: example.org/v1\nkind: Gear\nmetadata: {name: ${name}, namespace: shop${more}}\n`;
  for (const text of [definition, definition.replace('example.org}', 'example.org, uid: u}')]) {
    const stdin = `${text}${gear('a')}${gear('b', ', finalizers: [example.org/drain]')}`;
    const { out } = await command('plan delete crd/gears.example.org -f -', { stdin });
    expect(out).toContain('deleted      1  Gear shop/a');
    expect(out).toContain('waits for Gear shop/b, held by finalizer example.org/drain');
  }
});

test('the status of a definition that has one stands', async () => {
  const refused =
    'status: {conditions: [{type: NamesAccepted, status: "False", reason: KindConflict}, {type: Established, status: "False"}]}\n';
  const text = `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: it, uid: u}\n${refused}`;
  const { view } = await readText(text);
  const [facts] = [...view.graph.nodes()].map(({ object }) => object?.facts);
  expect(facts).toMatchObject({
    conditions: [
      { type: 'NamesAccepted', status: 'False' },
      { type: 'Established', status: 'False' },
    ],
  });
  expect(finalizersOf(await readText(text), 'it')).toEqual([]);
});
