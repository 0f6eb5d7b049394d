/**
 * Admission webhooks that have to be asked and behind which nothing answers, found before they stop a deletion: the API
 * server refuses whatever they would be asked about (docs/kubernetes.md §10 row 44).
 */
import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { AdmissionRule, AdmissionWebhook } from '../../../model/facts/facts.ts';
import { selects } from '../../../model/facts/label-selector.ts';
import type { KubeObject } from '../../../model/object.ts';
import { groupResource, type ResourceType } from '../../../model/types/resource-type.ts';
import { fieldEvidence } from '../../engine/evidence.ts';
import { advice, chainLink, type FindingDraft } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { enumerated } from '../../engine/words.ts';
import { deleteObject } from '../../remedies/deletion.ts';
import { type DeadBackend, deadBackend } from './backends.ts';

/** What somebody asks of the API server when something is deleted: of the object itself, or of those that it holds. */
export type DeletionStep = 'DELETE' | 'UPDATE';

const ofDeletions: readonly string[] = ['*', 'DELETE', 'UPDATE'];

interface DeadWebhook {
  readonly configuration: KubeObject;
  /** Its place in the configuration. */
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

function hasToAnswer({ service, failurePolicy }: AdmissionWebhook): boolean {
  return service !== '' && failurePolicy === 'Fail';
}

export const webhookRule: Rule = {
  codes: ['AdmissionWebhookUnreachable'],
  appliesTo: ({ object: { facts }, deleting }) =>
    !deleting && facts?.kind === 'WebhookConfiguration' && facts.webhooks.some(hasToAnswer),
  judge: ({ object }, tracked) => {
    const isServed = (webhook: AdmissionWebhook): boolean => kindsOf(tracked, webhook.rules).length > 0;
    const dead = [...deadWebhooks(tracked, object, isServed)];
    // Webhooks of one configuration are mostly of one program.
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
  const chosen = alike.every(each => isChoosy(each.webhook)) ? ' that its selectors choose' : '';
  const what = `${operationsOf(rules)} of ${kindWords(tracked, rules)}${chosen}`;
  const dead = `the Service ${backend.service} of its webhook ${webhook.name} ${backend.why}`;
  const path = `webhooks[${index}]`;
  return [
    {
      code: 'AdmissionWebhookUnreachable',
      severity: stops ? 'warning' : 'info',
      about: backend.service,
      message: `${configuration.type.kind} ${configuration.name} has the API server refuse every ${what}, because ${dead}, and its failurePolicy is Fail${stops ? '. Deletions that need such a request do not end' : ''}.`,
      brief: `refuses ${operationsOf(rules)}: Service ${backend.service} ${backend.why}`,
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
      chain: [
        chainLink(identityOfObject(configuration), '', `its Service ${backend.service} ${backend.why}`),
      ],
      remedies: () => [
        advice(
          `restore-webhook/${backend.service}`,
          `bring back what answers behind Service ${backend.service}: requests are admitted again then`,
        ),
        deleteObject(tracked, configuration, 'background', {
          risk: 'caution',
          title: `delete ${configuration.type.kind} ${configuration.name}, if what it belonged to is gone: what it was to refuse or to change is let through then`,
        }),
      ],
    },
  ];
}

function isChoosy({ namespaceSelector, objectSelector, matchConditions }: AdmissionWebhook): boolean {
  const chooses = (selector: AdmissionWebhook['objectSelector']): boolean =>
    selector !== undefined && selector.matchLabels.length + selector.matchExpressions.length > 0;
  return matchConditions > 0 || chooses(namespaceSelector) || chooses(objectSelector);
}

/** Kinds that are served and fall under one of the rules. */
function kindsOf({ view }: TrackedView, rules: readonly AdmissionRule[]): readonly ResourceType[] {
  return view.catalog.types.filter(type => rules.some(rule => covers(rule, type)));
}

/** As apiserver pkg/admission/plugin/webhook/predicates/rules (v0.36) has it, of requests without a subresource. */
function covers({ groups, resources, scope }: AdmissionRule, type: ResourceType): boolean {
  if (!groups.includes('*') && !groups.includes(type.group)) return false;
  if (scope !== '*' && (scope === 'Namespaced') !== type.namespaced) return false;
  return resources.some(each => {
    const [resource, subresource = ''] = each.split('/');
    return (resource === '*' || resource === type.resource) && (subresource === '' || subresource === '*');
  });
}

const NAMED = 3;

function kindWords(tracked: TrackedView, rules: readonly AdmissionRule[]): string {
  const isAll = rules.some(({ groups, resources }) => groups.includes('*') && resources[0]?.startsWith('*'));
  if (isAll) return 'any kind';
  const names = [...new Set(kindsOf(tracked, rules).map(type => groupResource(type)))];
  const more = names.length - NAMED;
  return enumerated(more > 0 ? [...names.slice(0, NAMED), `${more} more kinds`] : names);
}

function operationsOf(rules: readonly AdmissionRule[]): string {
  const operations = [...new Set(rules.flatMap(rule => rule.operations))];
  return operations.includes('*') ? 'change' : operations.join(' and ');
}

/** A webhook that keeps an object from being deleted, or from being let go of. */
export interface AdmissionStop {
  readonly configuration: KubeObject;
  readonly webhook: string;
  readonly backend: DeadBackend;
  /** Whether it is asked about this very object depends on what isn't known here. */
  readonly certain: boolean;
}

const configurationKinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const;

/** The first that would have to be asked about such a request for the object. */
export function admissionStop(
  tracked: TrackedView,
  object: KubeObject,
  steps: readonly DeletionStep[],
): AdmissionStop | undefined {
  const found: AdmissionStop[] = [];
  for (const kind of configurationKinds) {
    const type = tracked.type('admissionregistration.k8s.io/v1', kind);
    if (type === undefined) continue;
    const concerns = ({ rules }: AdmissionWebhook): boolean =>
      rules.some(
        rule =>
          covers(rule, object.type) && rule.operations.some(each => each === '*' || isStep(each, steps)),
      );
    for (const configuration of tracked.all(type))
      for (const { webhook, backend } of deadWebhooks(tracked, configuration, concerns)) {
        const chosen = isChosen(tracked, webhook, object);
        if (chosen !== false)
          found.push({ configuration, webhook: webhook.name, backend, certain: chosen === true });
      }
  }
  return found.find(({ certain }) => certain) ?? found[0];
}

function isStep(operation: string, steps: readonly string[]): boolean {
  return steps.includes(operation);
}

/** Undefined where a condition or a namespace that isn't seen decides. */
function isChosen(
  tracked: TrackedView,
  { namespaceSelector, objectSelector, matchConditions }: AdmissionWebhook,
  object: KubeObject,
): boolean | undefined {
  if (objectSelector !== undefined && !selects(objectSelector, object.labels)) return false;
  if (namespaceSelector !== undefined && object.namespace !== '') {
    const namespace = tracked.findKind('v1', 'Namespace', '', object.namespace);
    if (namespace === undefined) return undefined;
    if (!selects(namespaceSelector, namespace.labels)) return false;
  }
  return matchConditions > 0 ? undefined : true;
}
