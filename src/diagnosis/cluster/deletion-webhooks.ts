/** Webhooks that have to answer before an object can be deleted or released. */

import type { AdmissionWebhook, KubeObject } from '../../model/index.ts';
import { type AdmissionRequest, AdmissionWorld, type Truth, webhookAsked } from '../../simulation/index.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { admissionWorld, type DeadBackend, deadBackend } from './dead-backends.ts';

/** A request in a deletion: DELETE for the object itself, UPDATE for it or the objects that it holds. */
export type DeletionStep = 'DELETE' | 'UPDATE';

export function hasToAnswer({ service, failurePolicy }: AdmissionWebhook): boolean {
  return service !== '' && failurePolicy === 'Fail';
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
      if (!hasToAnswer(webhook) || AdmissionWorld.isExempt(object.type, 'webhook')) continue;
      const asked = steps.map(step => isAsked(world, webhook, requestOn(object, step)));
      if (asked.some(each => each !== false)) yield { configuration, webhook, certain: asked.includes(true) };
    }
  }
}

function isAsked(world: AdmissionWorld, webhook: AdmissionWebhook, request: AdmissionRequest): Truth {
  const match = AdmissionWorld.ruleMatch(world, webhook, request);
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
