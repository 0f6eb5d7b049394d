import { describe, expect, test } from 'vitest';
import { parseScenarios } from '../../../src/source/demo/parse-scenario.ts';
import { ScenarioError } from '../../../src/source/demo/scenario.ts';

const parse = (text: string) => parseScenarios(text, 'story.yaml');

test('everything that a scenario can say is read', () => {
  const [scenario, ...others] = parse(`
title: All there is
about: |
  A paragraph.
namespace: shop
nodes: 2
scheduler: false
quiet: 9
patience: 90
statuses: [Pod shop/done]
steps:
  - controllerManager: start
  - create:
      - { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: shop } }
  - settle
  - wait: 1h30m
  - node: { name: node-1, state: tainted }
  - node: { name: node-2, state: tainted, effect: NoSchedule }
  - patch: Pod shop/done
    subresource: status
    with: { status: { phase: Succeeded } }
  - patch: ConfigMap shop/a
    with: { metadata: { finalizers: [example.com/hold] } }
  - delete: ConfigMap shop/a
    cascade: none
  - delete: Pod shop/web-0
    force: true
live:
  - wait: 5s
  - delete: { ownedBy: Deployment shop/api, kind: Pod, pick: oldest }
findings:
  - TerminatingHeldByFinalizer ConfigMap shop/a
`);
  expect(others).toEqual([]);
  expect(scenario).toEqual({
    title: 'All there is',
    about: 'A paragraph.',
    namespace: 'shop',
    nodes: 2,
    scheduler: false,
    quiet: 9,
    patience: 90,
    statuses: ['Pod shop/done'],
    steps: [
      { controllerManager: 'start' },
      { create: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } }] },
      'settle',
      { wait: 90 * 60_000 },
      { node: { name: 'node-1', state: 'tainted' } },
      { node: { name: 'node-2', state: 'tainted', effect: 'NoSchedule' } },
      { patch: 'Pod shop/done', with: { status: { phase: 'Succeeded' } }, subresource: 'status' },
      { patch: 'ConfigMap shop/a', with: { metadata: { finalizers: ['example.com/hold'] } } },
      { delete: 'ConfigMap shop/a', cascade: 'default' },
      { delete: 'Pod shop/web-0', cascade: 'background', gracePeriodSeconds: 0 },
    ],
    live: [
      { wait: 5000 },
      {
        delete: { ownedBy: 'Deployment shop/api', kind: 'Pod', pick: 'oldest' },
        cascade: 'background',
      },
    ],
    findings: [{ code: 'TerminatingHeldByFinalizer', object: 'ConfigMap shop/a' }],
  });
});

test('a file holds a scenario for each document, and for each combination of a document its variants', () => {
  const titles = parse(`
title: <a>, <b>
variants: { a: [1, 2], b: [x, y] }
steps: []
---
title: another
steps: []
`).map(({ title }) => title);
  expect(titles).toEqual(['1, x', '1, y', '2, x', '2, y', 'another']);
});

test('a placeholder that stands alone keeps the type of its value', () => {
  const [scenario] = parse(`
title: Grace of <seconds>
variants: { seconds: [5] }
steps:
  - { delete: Pod a/b, gracePeriodSeconds: <seconds> }
`);
  expect(scenario?.steps).toEqual([{ delete: 'Pod a/b', cascade: 'background', gracePeriodSeconds: 5 }]);
});

describe('what is wrong is said in a line, with the file', () => {
  test.each([
    ['steps: []', 'no title'],
    ['title: t', 'no steps'],
    ['title: t\nsteps: []\nnode: 1', 'the scenario: unknown field node'],
    ['title: t\nsteps: [rest]', 'steps[0] has no fields'],
    ['title: t\nsteps: [{ rest: 1 }]', 'steps[0] is not a step: {"rest":1}'],
    ['title: t\nsteps: [{ wait: 1s, create: [] }]', 'steps[0] is not a step: {"wait":"1s","create":[]}'],
    ['title: t\nsteps: [{ wait: 12 }]', 'steps[0].wait is not a duration such as 90s, 12m, 1h30m or 2d'],
    ['title: t\nsteps: [{ wait: 12m, for: x }]', 'steps[0]: unknown field for'],
    ['title: t\nsteps: [{ delete: web }]', 'steps[0].delete is not "Kind namespace/name" or "Kind name"'],
    [
      'title: t\nsteps: [{ delete: { ownedBy: Pod a/b, kind: Pod, pick: oldest } }]',
      'steps[0].delete is not "Kind namespace/name" or "Kind name"',
    ],
    [
      'title: t\nsteps: [{ delete: Pod a/b, cascade: all }]',
      'steps[0].cascade is none of background, foreground, orphan, default, none',
    ],
    [
      'title: t\nsteps: [{ node: { name: n, state: gone } }]',
      'steps[0].node.state is none of stopped, started, deleted, deaf, cordoned, tainted',
    ],
    [
      'title: t\nsteps: [{ node: { name: n, state: stopped, effect: NoExecute } }]',
      'steps[0].node.effect is for a node that is tainted',
    ],
    [
      'title: t\nsteps: [{ patch: Pod a/b, subresource: scale, with: {} }]',
      'steps[0].subresource is none of status',
    ],
    ['title: t\nsteps: []\nstatuses: [Node a]', 'statuses[0] is not a pod'],
    ['title: t\nsteps: [{ create: [{ kind: Pod }] }]', 'steps[0].create[0].metadata has no fields'],
    [
      'title: t\nsteps: [{ create: [{ apiVersion: v1, kind: Pod, metadata: { name: a, ownerReferences: [{ off: b }] } }] }]',
      'steps[0].create[0].metadata.ownerReferences[0]: unknown field off',
    ],
    ['title: t\nsteps: []\nfindings: [Pod]', 'findings[0] is not "Code Kind namespace/name"'],
    ['title: t\nsteps: []\nlive: [settle]', 'live has no wait, so its steps would be repeated in no time'],
    ['title: t\nsteps: []\nvariants: { a: [] }', 'variants.a has no values'],
    [
      'title: [',
      'Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 9:',
    ],
    ['', 'no scenario in it'],
  ])('%j', (text, message) => {
    expect(() => parse(text)).toThrow(ScenarioError);
    expect(() => parse(text)).toThrow(`story.yaml: ${message}`);
  });
});

describe('repeated objects', () => {
  const created = (entry: string) => {
    const [scenario] = parse(`title: many\nsteps:\n  - create:\n      - ${entry}\n`);
    const [step] = scenario?.steps ?? [];
    if (step === undefined || step === 'settle' || !('create' in step)) throw new Error('no create');
    return step.create.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  };
  const objects =
    'objects: [{ apiVersion: v1, kind: Secret, metadata: { name: "s-<n>", namespace: "in-<m>" } }]';

  test('are there once for each combination of numbers of one width', () => {
    const names = created(`{ repeat: { m: 2, n: 10 }, ${objects} }`);
    expect(names).toHaveLength(20);
    expect(names.slice(0, 2)).toEqual(['in-1/s-01', 'in-1/s-02']);
    expect(names.at(-1)).toBe('in-2/s-10');
  });

  test('are refused where they are too many, none, or something besides', () => {
    expect(() => created(`{ repeat: { m: 200, n: 51 }, ${objects} }`)).toThrow(
      'story.yaml: steps[0].create[0] repeats 10200 objects, more than 10000',
    );
    expect(() => created(`{ repeat: { n: 0 }, ${objects} }`)).toThrow('repeat.n has no values');
    expect(() => created(`{ repeat: { n: 1 }, metadata: {}, ${objects} }`)).toThrow('unknown field metadata');
    expect(() => created(`{ repeat: { n: 1e9 }, ${objects} }`)).toThrow('more than 10000');
  });
});

test('what to try names one thing to do, and what that shows', () => {
  const story = (trial: string) => parse(`title: a\ntry: [${trial}]\nsteps: []`)[0]?.try;
  expect(story('{ delete: Secret a/b, shows: what goes }')).toEqual([
    { verb: 'delete', of: 'Secret a/b', shows: 'what goes' },
  ]);
  expect(() => story('{ why: Secret a/b, delete: Secret a/b, shows: x }')).toThrow('try[0] is none of');
  expect(() => story('{ why: nobody, shows: x }')).toThrow('try[0].why is not "Kind namespace/name"');
  expect(() => story('{ why: Secret a/b }')).toThrow('try[0].shows is not a text');
});
