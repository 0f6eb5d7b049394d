/** JSON that an API server sends: AdmissionReviews, and discovery in both of its forms. */

import { Review } from '../../../src/cli/servers/guard/admission-review.ts';
import { actionOf, isUnasked } from '../../../src/cli/servers/guard/reviewed-action.ts';
import { createHandledForecaster } from '../../../src/diagnosis/waits/aftermath.ts';
import { documentsOfAggregated } from '../../../src/kube/discovery/kubectl-documents.ts';
import { readAggregated, readLegacyGroups, readResources } from '../../../src/kube/discovery/read-groups.ts';
import { CatalogueBuilder } from '../../../src/kube/discovery/type-catalogue.ts';
import { jsonValue, record } from '../../../src/model/json/json.ts';
import { guardLines } from '../../../src/text/plan/guard-lines.ts';
import { reviewOf } from '../../cli/servers/guard/reviewing.ts';
import { now, viewOf } from '../../forecast/fixtures.ts';
import { fail, type Target } from '../target.ts';

const punctuation = ['{', '}', '[', ']', ',', ':', '"', 'null', 'true', '-1', '1e9', '"\\u001b[2J"'];

const view = viewOf(`
- {kind: Deployment, name: web, namespace: shop, uid: web}
- {kind: Pod, name: web-1, namespace: shop, uid: web-1, owners: [apps/v1 Deployment web web +c]}
- {kind: ConfigMap, name: held, namespace: shop, uid: held, finalizers: [example.com/hold]}`);

const admissionReview: Target = {
  name: 'admission-review',
  words: [
    ...punctuation,
    '"operation":"DELETE"',
    '"operation":"UPDATE"',
    '"propagationPolicy":"Foreground"',
    '"orphanDependents":true',
    '"gracePeriodSeconds":0',
    '"subResource":"eviction"',
    '"uid":"web"',
    '"uid":"web-1"',
    '"finalizers":[]',
    '"ownerReferences":[]',
  ],
  seeds: () =>
    [
      { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1', options: { propagationPolicy: 'Orphan' } },
      { kind: 'Pod', name: 'web-1', operation: 'CREATE', subresource: 'eviction' },
      { kind: 'ConfigMap', name: 'held', operation: 'UPDATE', before: { finalizers: ['example.com/hold'] } },
    ].map(asked => Buffer.from(JSON.stringify(reviewOf(asked)))),
  check: input => {
    const review = Review.parse(input.toString('utf8'));
    if (typeof review === 'string') {
      if (review.length > 100 || review.includes('\n')) fail(`a long error: ${review}`);
      return;
    }
    const action = isUnasked(review) ? 'unasked' : actionOf(review, view);
    const warnings = typeof action === 'string' ? [] : warningsOf(action);
    for (const line of warnings) if (line.length > 120 || /\p{Cc}/u.test(line)) fail(`a warning: ${line}`);
    const answer = record(jsonValue(Review.answerTo(review, { allowed: true, warnings })));
    if (record(answer['response'])['uid'] !== review.uid) fail('the answer is about another request');
  },
};

function warningsOf(action: Exclude<ReturnType<typeof actionOf>, string>): readonly string[] {
  const forecast = createHandledForecaster(view, { now, scope: 'action' }).forecast(action);
  return guardLines(forecast, { seesAll: true, mayName: () => true });
}

const resource = {
  name: 'things',
  singularName: 'thing',
  kind: 'Thing',
  namespaced: true,
  verbs: ['list', 'delete'],
  shortNames: ['th'],
};

const aggregated = {
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: { name: 'example.com' },
      versions: [
        {
          version: 'v1',
          freshness: 'Stale',
          resources: [
            {
              resource: 'things',
              responseKind: { group: 'example.com', version: 'v1', kind: 'Thing' },
              scope: 'Namespaced',
              singularResource: 'thing',
              verbs: ['list', 'watch', 'delete'],
              subresources: [{ subresource: 'status', verbs: ['patch'] }],
            },
          ],
        },
      ],
    },
  ],
};

const discovery: Target = {
  name: 'discovery',
  words: [
    ...punctuation,
    '"versions":',
    '"resources":',
    '"verbs":',
    '"scope":"Cluster"',
    '"kind":',
    '"name":"things/status"',
  ],
  seeds: () =>
    [
      aggregated,
      {
        kind: 'APIGroupList',
        groups: [{ name: 'example.com', versions: [{ version: 'v1', groupVersion: 'example.com/v1' }] }],
      },
      { kind: 'APIResourceList', groupVersion: 'example.com/v1', resources: [resource] },
    ].map(each => Buffer.from(JSON.stringify(each))),
  check: input => {
    let json: unknown;
    try {
      json = jsonValue(input.toString('utf8'));
    } catch {
      return;
    }
    const builder = new CatalogueBuilder();
    const groups = readAggregated(json);
    const first = builder.build(groups, 'v1.36.3');
    if (builder.build(readAggregated(json), 'v1.36.3') !== first)
      fail('the same answer gives another catalogue');
    for (const { kind, resource: name, verbs } of first.types)
      if (typeof kind !== 'string' || typeof name !== 'string' || !Array.isArray(verbs))
        fail('a type without names');
    documentsOfAggregated(json);
    readLegacyGroups(json);
    readResources(json);
  },
};

export const servedTargets: readonly Target[] = [admissionReview, discovery];
