/**
 * Facts of webhook configurations from protobuf, apart from other kinds because they have a list in the place of a spec.
 * Field numbers: generated.proto of k8s.io/api v0.36.3, admissionregistration/v1.
 */
import type {
  AdmissionRule,
  AdmissionWebhook,
  WebhookConfigurationFacts,
} from '../../../model/facts/facts.ts';
import type { Cursor } from '../cursor.ts';
import type { Pool } from '../pool.ts';
import { type FactsReader, readLabelSelector, readServiceName } from './parts.ts';

/** Where the two kinds differ. */
const layouts = {
  ValidatingWebhookConfiguration: { objectSelector: 10, matchConditions: 11 },
  MutatingWebhookConfiguration: { objectSelector: 11, matchConditions: 12 },
} as const;

type Draft = { -readonly [K in keyof AdmissionWebhook]: AdmissionWebhook[K] };

export class WebhooksReader implements FactsReader {
  readonly #pool: Pool;
  readonly #layout: { readonly objectSelector: number; readonly matchConditions: number };
  #webhooks: AdmissionWebhook[] = [];

  constructor(pool: Pool, kind: string) {
    this.#pool = pool;
    this.#layout =
      kind === 'MutatingWebhookConfiguration'
        ? layouts.MutatingWebhookConfiguration
        : layouts.ValidatingWebhookConfiguration;
  }

  clear(): void {
    this.#webhooks = [];
  }

  /** One webhook. */
  readSpec(cursor: Cursor): void {
    const pool = this.#pool;
    const { objectSelector, matchConditions } = this.#layout;
    const rules: AdmissionRule[] = [];
    const draft: Draft = {
      name: '',
      service: '',
      failurePolicy: 'Fail',
      rules,
      namespaceSelector: undefined,
      objectSelector: undefined,
      matchConditions: 0,
    };
    cursor.fields(field => {
      if (field === 1) draft.name = cursor.text();
      else if (field === 2)
        cursor.fields(client => {
          if (client === 1) draft.service = readServiceName(cursor);
        });
      else if (field === 3) rules.push(readRule(cursor, pool));
      else if (field === 4) draft.failurePolicy = cursor.shared(pool.strings) || 'Fail';
      else if (field === 5) draft.namespaceSelector = readLabelSelector(cursor, pool);
      else if (field === objectSelector) draft.objectSelector = readLabelSelector(cursor, pool);
      else if (field === matchConditions) draft.matchConditions += 1;
    });
    this.#webhooks.push(draft);
  }

  readStatus(): void {}

  finish(): WebhookConfigurationFacts {
    return { kind: 'WebhookConfiguration', webhooks: this.#webhooks };
  }
}

function readRule(cursor: Cursor, { strings }: Pool): AdmissionRule {
  const rule = { operations: [] as string[], groups: [] as string[], resources: [] as string[], scope: '*' };
  cursor.fields(field => {
    if (field === 1) rule.operations.push(cursor.shared(strings));
    else if (field === 2)
      cursor.fields(inner => {
        if (inner === 1) rule.groups.push(cursor.shared(strings));
        else if (inner === 3) rule.resources.push(cursor.shared(strings));
        else if (inner === 4) rule.scope = cursor.shared(strings) || '*';
      });
  });
  return rule;
}
