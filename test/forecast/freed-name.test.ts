import { describe, expect, it } from 'vitest';
import { nodes, planDelete, pod, titles, viewOf } from './fixtures.ts';

const cluster = (labels: string): string => `${nodes}
- {kind: StatefulSet, name: web, generation: 1, spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}, status: {replicas: 1}}
${pod('web-0', 'apps/v1 StatefulSet web web +c +b', ', labels: {app: web}')}
${pod('web-1', '', `, labels: ${labels}`)}
${pod('other-1', '', ', labels: {app: other}')}
`;

describe('a pod that has the name which a StatefulSet needs', () => {
  it('is followed by one of the set when it goes', () => {
    const forecast = planDelete(viewOf(cluster('{app: aside}')), 'web-1');
    expect(titles(forecast.deleted)).toEqual(['Pod web-1']);
    expect(forecast.recreated).toMatchObject([
      { by: { kind: 'StatefulSet', name: 'web' }, kind: 'Pod', count: 1 },
    ]);
  });

  it('is not where it has the name of no set', () => {
    expect(planDelete(viewOf(cluster('{app: aside}')), 'other-1').recreated).toEqual([]);
  });
});
