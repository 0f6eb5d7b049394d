/** APIServices whose pods are ready and that the API server cannot reach (docs/kubernetes.md §10 row 53). */
import { failingApis } from '../../cluster/failing-apis.ts';
import { chainLink } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import { apiRemedies } from './api-remedies.ts';

export const unreachedApiRule: Rule = {
  appliesTo: ({ object: { facts }, deleting }) =>
    !deleting &&
    facts?.kind === 'APIService' &&
    facts.conditions.some(({ reason }) => reason === 'FailedDiscoveryCheck'),
  *judge({ object }, tracked) {
    const failing = failingApis(tracked).find(({ service }) => service?.uid === object.uid);
    if (failing?.unreached === undefined) return;
    const { why, since, evidence, related } = failing;
    yield {
      code: 'ApiServiceUnreachable',
      since,
      message: `APIService ${object.name} isn't available: ${why}. As long as that is so, no namespace can be deleted.`,
      brief: why,
      evidence,
      related: related.slice(1),
      chain: [chainLink(object, '', why, since)],
      remedies: () => apiRemedies(tracked, failing),
    };
  },
};
