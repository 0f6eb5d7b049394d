/** Dead webhooks with failurePolicy Fail, found before they stop a deletion (docs/kubernetes.md §10 row 44). */
import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { AdmissionWebhook } from '../../../model/facts/facts.ts';
import type { KubeObject } from '../../../model/object.ts';
import type { Truth } from '../../../simulation/api/admission/expressions.ts';
import { type AdmissionWorld, isExempt, ruleMatch } from '../../../simulation/api/admission/matching.ts';
import { webhookAsked } from '../../../simulation/api/admission/objections.ts';
import type { AdmissionRequest } from '../../../simulation/api/admission/request.ts';
import {
  isChoosy,
  kindsUnder,
  kindWords,
  operationWords,
} from '../../../simulation/api/admission/rule-words.ts';
import { fieldEvidence } from '../../engine/evidence.ts';
import { advice, chainLink, type FindingDraft } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { deleteObject } from '../../remedies/deletion.ts';
import { admissionWorld, type DeadBackend, deadBackend } from './backends.ts';

/** A request in a deletion: DELETE for the object itself, UPDATE for it or the objects that it holds. */
export type DeletionStep = 'DELETE' | 'UPDATE';

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

function hasToAnswer({ service, failurePolicy }: AdmissionWebhook): boolean {
  return service !== '' && failurePolicy === 'Fail';
}

export const webhookRule: Rule = {
  codes: ['AdmissionWebhookUnreachable'],
  appliesTo: ({ object: { facts }, deleting }) =>
    !deleting && facts?.kind === 'WebhookConfiguration' && facts.webhooks.some(hasToAnswer),
  judge: ({ object }, tracked) => {
    const isServed = (webhook: AdmissionWebhook): boolean =>
      kindsUnder(tracked.view.catalog.types, webhook.rules).length > 0;
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
  const chosen = alike.every(each => isChoosy(each.webhook)) ? ' that its selectors choose' : '';
  const what = `${operationWords(rules)} of ${kindWords(tracked.view.catalog.types, rules)}${chosen}`;
  const dead = `the Service ${backend.service} of its webhook ${webhook.name} ${backend.why}`;
  const path = `webhooks[${index}]`;
  return [
    {
      code: 'AdmissionWebhookUnreachable',
      severity: stops ? 'warning' : 'info',
      about: backend.service,
      certainty: backend.certainty,
      message: `${configuration.type.kind} ${configuration.name} has the API server refuse every ${what}, because ${dead}, and its failurePolicy is Fail${stops ? '. Deletions that need such a request do not end' : ''}.`,
      brief: `refuses ${operationWords(rules)}: Service ${backend.service} ${backend.why}`,
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

/** A webhook that keeps an object from being deleted or released. */
export interface AdmissionStop {
  readonly configuration: KubeObject;
  readonly webhook: string;
  readonly backend: DeadBackend;
  /** False if facts not known here decide whether this object's requests reach the webhook. */
  readonly certain: boolean;
}

const configurationKinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const;

/** Returns the first dead webhook that such a request for the object needs, preferring a certain one. */
export function admissionStop(
  tracked: TrackedView,
  object: KubeObject,
  steps: readonly DeletionStep[],
): AdmissionStop | undefined {
  const found: AdmissionStop[] = [];
  for (const { configuration, webhook, certain } of webhooksToAnswer(tracked, object, steps)) {
    const backend = deadBackend(tracked, webhook.service);
    if (backend === undefined) continue;
    const isCertain = certain && backend.certainty === 'exact';
    found.push({ configuration, webhook: webhook.name, backend, certain: isCertain });
  }
  return found.find(({ certain }) => certain) ?? found[0];
}

/** A webhook that must answer before a request is accepted, or may have to if not `certain`. */
interface AskedWebhook extends Pick<AdmissionStop, 'configuration' | 'certain'> {
  readonly webhook: AdmissionWebhook;
}

export function* webhooksToAnswer(
  tracked: TrackedView,
  object: KubeObject,
  steps: readonly DeletionStep[],
): Iterable<AskedWebhook> {
  const world = admissionWorld(tracked);
  for (const configuration of configurationsOf(tracked)) {
    const { facts } = configuration;
    for (const webhook of facts?.kind === 'WebhookConfiguration' ? facts.webhooks : []) {
      if (!hasToAnswer(webhook) || isExempt(object.type, 'webhook')) continue;
      const asked = steps.map(step => isAsked(world, webhook, requestOn(object, step)));
      if (asked.some(each => each !== false)) yield { configuration, webhook, certain: asked.includes(true) };
    }
  }
}

function isAsked(world: AdmissionWorld, webhook: AdmissionWebhook, request: AdmissionRequest): Truth {
  const match = ruleMatch(world, webhook, request);
  return match === undefined ? false : webhookAsked(world, webhook, match, request);
}

/** Builds the request with the same object before and after: labels stay as they are. */
function requestOn(object: KubeObject, operation: DeletionStep): AdmissionRequest {
  const { type, namespace, name } = object;
  return {
    operation,
    type,
    subresource: '',
    namespace,
    name,
    object: operation === 'DELETE' ? undefined : object,
    oldObject: object,
    users: [],
  };
}

function* configurationsOf(tracked: TrackedView): Iterable<KubeObject> {
  for (const kind of configurationKinds) {
    const type = tracked.type('admissionregistration.k8s.io/v1', kind);
    if (type !== undefined) yield* tracked.all(type);
  }
}
