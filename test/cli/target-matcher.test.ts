import { expect, test } from 'vitest';
import { findTargets, namesOneObject, parseTargets, targetMatcher } from '../../src/cli/targets/targets.ts';
import { viewOf } from './documents/cluster.ts';

const view = viewOf(`
- { kind: Deployment, name: api, labels: { app: api } }
- { kind: StatefulSet, name: web, labels: { app: web } }
- { kind: StatefulSet, name: db, labels: { app: db } }
- { kind: StatefulSet, name: web, namespace: other, uid: web-other, labels: { app: web } }
- { kind: Pod, name: web-0, labels: { app: web } }
- { kind: Node, name: node-1, namespace: '' }
`);

test.each([
  [['sts'], {}],
  [['sts', 'web', 'db'], {}],
  [['sts/web', 'deploy/api'], {}],
  [['deploy,sts'], {}],
  [['nodes'], {}],
  [['all'], {}],
  [['sts'], { selector: 'app=web' }],
])('%j %j matches the very objects that are found', (targets, flags) => {
  for (const namespace of ['shop', 'other', undefined]) {
    if (namespace === undefined && targets.length > 1) continue;
    const query = parseTargets(targets, flags);
    const matches = targetMatcher(view, query, namespace);
    const matched = [...view.graph.nodes()].filter(matches);
    const found = findTargets(view, query, namespace, 'skip');
    expect(new Set(matched)).toEqual(found);
  }
});

test('labels alone match in every type', () => {
  const matches = targetMatcher(view, parseTargets([], { selector: 'app=web' }), 'shop');
  const names = [...view.graph.nodes()].filter(matches).map(({ identity }) => identity.name);
  expect(names.sort()).toEqual(['web', 'web-0']);
});

test.each([
  [['sts/web'], true],
  [['sts', 'web'], true],
  [['sts'], false],
  [['sts', 'web', 'db'], false],
  [['sts,deploy', 'web'], false],
])('%j names one object: %j', (targets, expected) => {
  expect(namesOneObject(parseTargets(targets, {}))).toBe(expected);
});
