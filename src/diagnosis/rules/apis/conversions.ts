/** Definitions whose conversion webhook is dead (docs/kubernetes.md §5). */
import {
  callTo,
  conversionEvidence,
  conversionRemedies,
  listFailure,
} from '../../cluster/broken-conversions.ts';
import { deadBackend } from '../../cluster/dead-backends.ts';
import { chainLink } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';

export const conversionRule: Rule = {
  appliesTo: ({ object, deleting }) =>
    !deleting && object.facts?.kind === 'CustomResourceDefinition' && object.facts.conversion !== '',
  *judge({ object }, tracked) {
    const { facts, name } = object;
    if (facts?.kind !== 'CustomResourceDefinition') return;
    const resource = `${facts.plural}.${facts.group}`;
    const said = listFailure(tracked.view.statusOf({ group: facts.group, resource: facts.plural }));
    // With one version there is nothing to convert.
    if (facts.versions.length < 2 && said === undefined) return;
    const dead = deadBackend(tracked, facts.conversion);
    if (dead === undefined) return;
    const { service, why, related } = dead;
    const what =
      said === undefined
        ? `whatever reads ${resource} in another version than the stored one fails`
        : `${resource} cannot be listed`;
    yield {
      code: 'ConversionWebhookUnreachable',
      message: `CustomResourceDefinition ${name} has its objects converted by a webhook that is dead, so that ${what}: the Service ${service} ${why}. What cannot be listed is never collected, and keeps its namespace from being deleted.`,
      brief: `conversion webhook is dead: Service ${service} ${why}`,
      evidence: [
        conversionEvidence(object, service),
        ...dead.evidence,
        said !== undefined && `list of ${resource}: ${said}`,
      ],
      related,
      chain: [chainLink(object, '', `its conversion webhook ${service} ${why}`)],
      remedies: () => conversionRemedies(tracked, { resource, call: callTo(service) }),
    };
  },
};
