/** Dead webhooks with failurePolicy Fail, found before they stop a deletion (docs/kubernetes.md §10 row 44). */

import type { AdmissionWebhook, KubeObject } from '../../../model/index.ts';
import { ruleWords } from '../../../simulation/index.ts';
import { type DeadBackend, deadBackend } from '../../cluster/dead-backends.ts';
import { hasToAnswer } from '../../cluster/deletion-webhooks.ts';
import { fieldEvidence } from '../../engine/evidence.ts';
import { advice, chainLink, type FindingDraft } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { deleteObject } from '../../remedies/deletion-remedies.ts';

const ofDeletions: readonly string[] = ['*', 'DELETE', 'UPDATE'];

interface DeadWebhook {
  readonly configuration: KubeObject;
  readonly index: number;
  readonly webhook: AdmissionWebhook;
  readonly backend: DeadBackend;
}

function* deadWebhooks(
  tracked: TrackedView,
  configuration: KubeObject,
  isOfInterest: (webhook: AdmissionWebhook) => boolean,
): Iterable<DeadWebhook> {
  const { facts } = configuration;
  if (facts?.kind !== 'WebhookConfiguration') return;
  for (const [index, webhook] of facts.webhooks.entries()) {
    if (!hasToAnswer(webhook) || !isOfInterest(webhook)) continue;
    const backend = deadBackend(tracked, webhook.service);
    if (backend !== undefined) yield { configuration, index, webhook, backend };
  }
}

export const webhookRule: Rule = {
  appliesTo: ({ object: { facts }, deleting }) =>
    !deleting && facts?.kind === 'WebhookConfiguration' && facts.webhooks.some(hasToAnswer),
  judge: ({ object }, tracked) => {
    const isServed = (webhook: AdmissionWebhook): boolean =>
      ruleWords.kindsUnder(tracked.view.catalog.types, webhook.rules).length > 0;
    const dead = [...deadWebhooks(tracked, object, isServed)];
    // The webhooks of one configuration mostly belong to one program.
    const groups = Map.groupBy(dead, ({ backend }) => backend.service);
    return [...groups.values()].flatMap(alike => unreachable(tracked, object, alike));
  },
};

function unreachable(
  tracked: TrackedView,
  configuration: KubeObject,
  alike: readonly DeadWebhook[],
): FindingDraft[] {
  const [first] = alike;
  if (first === undefined) return [];
  const { backend, webhook, index } = first;
  const rules = alike.flatMap(each => each.webhook.rules);
  const stops = rules.some(({ operations }) => operations.some(each => ofDeletions.includes(each)));
  const chosen = alike.every(each => ruleWords.isChoosy(each.webhook)) ? ' that its selectors choose' : '';
  const what = `${ruleWords.operations(rules)} of ${ruleWords.kinds(tracked.view.catalog.types, rules)}${chosen}`;
  const dead = `the Service ${backend.service} of its webhook ${webhook.name} ${backend.why}`;
  const path = `webhooks[${index}]`;
  return [
    {
      code: 'AdmissionWebhookUnreachable',
      severity: stops ? 'warning' : 'info',
      about: backend.service,
      certainty: backend.certainty,
      message: `${configuration.type.kind} ${configuration.name} has the API server refuse every ${what}, because ${dead}, and its failurePolicy is Fail${stops ? '. Deletions that need such a request do not end' : ''}.`,
      brief: `refuses ${ruleWords.operations(rules)}: Service ${backend.service} ${backend.why}`,
      evidence: [
        fieldEvidence(configuration, `${path}.name`, webhook.name),
        fieldEvidence(
          configuration,
          `${path}.clientConfig.service.name`,
          backend.service.split('/')[1] ?? '',
          `${path}.clientConfig.service: ${backend.service}`,
        ),
        fieldEvidence(configuration, `${path}.failurePolicy`, webhook.failurePolicy),
        ...backend.evidence,
      ],
      related: backend.related,
      chain: [chainLink(configuration, '', `its Service ${backend.service} ${backend.why}`)],
      remedies: () => [
        advice(
          `restore-webhook/${backend.service}`,
          `restore the backend of Service ${backend.service}: requests are admitted again then`,
        ),
        deleteObject(tracked, configuration, 'background', {
          risk: 'caution',
          title: `delete ${configuration.type.kind} ${configuration.name}, if what it belonged to is gone: what it was to refuse or to change is let through then`,
        }),
      ],
    },
  ];
}
