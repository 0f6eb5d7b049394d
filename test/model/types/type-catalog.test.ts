import { describe, expect, test } from 'vitest';
import { SimilarWord } from '../../../src/model/text/fuzzy.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import { TypeCatalog, typeNames } from '../../../src/model/types/type-catalog.ts';
import { served, type, types } from '../../graph/fixtures.ts';

const metricsPods = type({ group: 'metrics.k8s.io', kind: 'PodMetrics', resource: 'pods', singular: 'pod' });
const knativeService = type({
  group: 'serving.knative.dev',
  kind: 'Service',
  resource: 'services',
  shortNames: ['ksvc', 'cm'],
  categories: ['all', 'knative'],
});
const review = type({
  group: 'authorization.k8s.io',
  kind: 'AccessReview',
  resource: 'accessreviews',
  categories: ['all'],
  verbs: ['create'],
});
// A group that discovery lists before the core group.
const catalog = new TypeCatalog([metricsPods, knativeService, ...served, review]);

function named(word: string): string[] {
  const resolution = catalog.resolveWord(word);
  return resolution.known ? resolution.types.map(typeNames.full) : [];
}

describe('a word for a type', () => {
  test.each([
    ['plural', 'deployments', 'deployments.v1.apps'],
    ['singular', 'deployment', 'deployments.v1.apps'],
    ['short name', 'deploy', 'deployments.v1.apps'],
    ['kind', 'Deployment', 'deployments.v1.apps'],
    ['any case', 'REPLICASETS', 'replicasets.v1.apps'],
    ['resource and group', 'deployments.apps', 'deployments.v1.apps'],
    ['short name and group', 'deploy.apps', 'deployments.v1.apps'],
    ['kind, version and group', 'Deployment.v1.apps', 'deployments.v1.apps'],
    ['the beginning of a group', 'roles.rbac', 'roles.v1.rbac.authorization.k8s.io'],
    ['a version that is not preferred', 'hpa.v1.autoscaling', 'horizontalpodautoscalers.v1.autoscaling'],
    ['no version, so the preferred one', 'hpa', 'horizontalpodautoscalers.v2.autoscaling'],
    ['a group with dots', 'pods.metrics.k8s.io', 'pods.v1.metrics.k8s.io'],
    ['a version and a group with dots', 'pods.v1.metrics.k8s.io', 'pods.v1.metrics.k8s.io'],
    ['a resource of the empty group', 'pods.', 'pods'],
    ['a core resource with its version', 'pods.v1', 'pods'],
    ['a core resource with its version, as kubectl spells it', 'pods.v1.', 'pods'],
  ])('can be %s: %s', (_, word, expected) => {
    expect(named(word)).toEqual([expected]);
  });

  test('means the core group first, whatever the order of discovery, and tells the others', () => {
    const resolution = catalog.resolveWord('pods');
    expect(resolution).toEqual({ known: true, types: [types.pod], others: [metricsPods] });
  });

  test('means what goes by it as short name in the core group before another group', () => {
    expect(named('cm')).toEqual(['configmaps']);
    expect(named('ksvc')).toEqual(['services.v1.serving.knative.dev']);
  });

  test('means a resource of that name before one whose short name it is', () => {
    const shadow = type({ kind: 'Shadow', resource: 'shadows', shortNames: ['widgets'] });
    const shadowed = new TypeCatalog([shadow, types.widget]);
    expect(shadowed.resolveWord('widgets')).toMatchObject({ known: true, types: [types.widget] });
  });

  test('means a singular of that name before a short name, as in kubectl', () => {
    const taker = type({ kind: 'Taker', resource: 'takers', shortNames: ['widget'] });
    const taken = new TypeCatalog([taker, types.widget]);
    expect(taken.resolveWord('widget')).toMatchObject({ known: true, types: [types.widget] });
  });

  test('means a category before a type of that name, as in kubectl', () => {
    const part = type({ kind: 'Part', resource: 'parts', categories: ['widgets'] });
    const catalogue = new TypeCatalog([types.widget, part]);
    expect(catalogue.resolveWord('widgets')).toMatchObject({ known: true, types: [part] });
  });

  test('can be a kind unlike the singular with its group alone, as in kubectl', () => {
    const odd = type({ group: 'example.com', kind: 'Odd', resource: 'oddities', singular: 'oddity' });
    const oddities = new TypeCatalog([odd]);
    for (const word of ['Odd.example.com', 'odd.example.com', 'Odd.v1.example.com', 'oddity', 'ODDITIES'])
      expect(oddities.resolveWord(word)).toMatchObject({ known: true, types: [odd] });
    for (const word of ['Odd', 'odd', 'ODD.example.com'])
      expect(oddities.resolveWord(word)).toMatchObject({ known: false });
  });

  test('is none where it only begins like one, and then those are suggested', () => {
    for (const word of ['configm', 'dep', 'podt', 'deploym.apps', 'stateful'])
      expect(catalog.resolveWord(word).known).toBe(false);
    expect(catalog.resolveWord('deplo')).toEqual({ known: false, suggestions: ['deploy'] });
    expect(catalog.resolveWord('replic')).toMatchObject({
      suggestions: ['replicaset', 'replicasets', 'replicationcontroller'],
    });
  });

  test.each(['PO', 'Deploy', 'ALL', 'deployments.APPS'])(
    'is none where the case of a short name, category or group differs: %s',
    word => {
      expect(catalog.resolveWord(word).known).toBe(false);
    },
  );

  test('can be a category, which has the types that can be listed', () => {
    expect(named('all')).toEqual([
      'services.v1.serving.knative.dev',
      'pods',
      'deployments.v1.apps',
      'replicasets.v1.apps',
    ]);
  });

  test.each([
    ['deploymnts', 'deployments'],
    ['pdos', 'pods'],
    ['Secert', 'secret'],
    ['depolyment.apps', 'deployment'],
  ])('that is mistyped is unknown, with what was meant first: %s', (word, meant) => {
    const resolution = catalog.resolveWord(word);
    expect(resolution.known).toBe(false);
    if (!resolution.known) expect(resolution.suggestions[0]).toBe(meant);
  });

  test.each(['', '.', 'pods.nogroup', 'pods.v9', 'all.apps', 'zzzzzz', '__proto__'])(
    'that names nothing is unknown: %j',
    word => {
      expect(catalog.resolveWord(word).known).toBe(false);
    },
  );
});

describe('a type by apiVersion and kind', () => {
  test('is found in every served version, and leads to the preferred one', () => {
    const old = catalog.resolveKind('autoscaling/v1', 'HorizontalPodAutoscaler');
    expect(old).toBe(types.autoscalerV1);
    expect(catalog.preferredOf(types.autoscalerV1)).toBe(types.autoscaler);
  });

  test('is found by its kind all in lower case, as REST mappers find it', () => {
    expect(catalog.resolveKind('v1', 'pod')).toBe(types.pod);
    expect(catalog.resolveKind('autoscaling/v1', 'horizontalpodautoscaler')).toBe(types.autoscalerV1);
  });

  test.each(['POD', 'Pods', 'pods', 'po', 'pODS', 'podlist', 'podList', 'PodListList', 'Pod/status', ''])(
    'is not found by %j',
    kind => {
      expect(catalog.resolveKind('v1', kind)).toBeUndefined();
    },
  );

  test.each([
    ['extensions/v1beta1', 'Deployment'],
    ['v1', 'Deployment'],
    ['apps', 'Deployment'],
    ['apps/', 'Deployment'],
    ['apps/v1/', 'Deployment'],
    ['Apps/v1', 'Deployment'],
    ['', 'Pod'],
  ])('is not found at another group or version: %s %s', (apiVersion, kind) => {
    expect(catalog.resolveKind(apiVersion, kind)).toBeUndefined();
    expect(catalog.serves({ group: 'extensions', resource: 'deployments' })).toBe(false);
  });

  test('is found with an empty group before the slash, and at the version of objects in memory', () => {
    expect(catalog.resolveKind('/v1', 'Pod')).toBe(types.pod);
    expect(catalog.resolveKind('__internal', 'pod')).toBe(types.pod);
    expect(catalog.resolveKind('apps/__internal', 'Deployment')).toBe(types.deployment);
    expect(catalog.resolveKind('autoscaling/__internal', 'HorizontalPodAutoscaler')).toBe(types.autoscaler);
    expect(catalog.resolveKind('gone/__internal', 'Deployment')).toBeUndefined();
  });

  test('is of a resource that holds nothing where it is the kind of a list', () => {
    const pods = catalog.resolveKind('v1', 'PodList');
    expect(pods).toMatchObject({ group: '', version: 'v1', resource: 'podlists', namespaced: true });
    expect(pods && ResourceType.holdsNothing(pods)).toBe(true);
    expect(catalog.resolveKind('v1', 'PodList')).toBe(pods);
    expect(catalog.resolveKind('v1', 'NodeList')).toMatchObject({ resource: 'nodelists', namespaced: false });
    expect(catalog.resolveKind('apps/v1', 'List')).toMatchObject({ resource: 'lists', namespaced: false });
    expect(catalog.resolveKind('gone/v1', 'List')).toBeUndefined();
    expect(catalog.types).not.toContain(pods);
  });

  test('is of a kind itself where that ends like the kind of a list', () => {
    const list = type({ group: 'example.com', kind: 'WidgetList', resource: 'widgetlists' });
    expect(new TypeCatalog([list, types.widget]).resolveKind('example.com/v1', 'WidgetList')).toBe(list);
  });

  test('holds nothing where it can only be created', () => {
    expect(
      [review, types.pod, type({ kind: 'Old', resource: 'olds', verbs: [] })].map(ResourceType.holdsNothing),
    ).toEqual([true, false, false]);
  });

  test('is the one that can be listed where two resources of a version share a kind', () => {
    const twin = type({ group: 'example.com', kind: 'Widget', resource: 'widgetclaims', verbs: ['create'] });
    expect(new TypeCatalog([twin, types.widget]).resolveKind('example.com/v1', 'Widget')).toBe(types.widget);
  });
});

test('suggestions are the nearest words, and none where all are far', () => {
  expect(SimilarWord.closest('pod', ['pods', 'nodes', 'podtemplates', 'pdo'])).toEqual(['pdo', 'pods']);
  expect(SimilarWord.closest('x', ['deployments', 'pods'])).toEqual([]);
});
