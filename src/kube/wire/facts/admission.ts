/**
 * Facts of webhook configurations (a list instead of a spec) and policies. Field numbers: generated.proto of k8s.io/api
 * v0.36.3, admissionregistration/v1.
 */
import type {
  AdmissionBindingFacts,
  AdmissionMatch,
  AdmissionPolicyFacts,
  AdmissionRule,
  AdmissionWebhook,
  WebhookConfigurationFacts,
} from '../../../model/facts/facts.ts';
import type { Cursor } from '../cursor.ts';
import type { Pool } from '../pool.ts';
import { type Draft, type Layout, LayoutReader } from './cluster.ts';
import { type FactsReader, readLabelSelector, readServiceName } from './parts.ts';

const layouts = {
  ValidatingWebhookConfiguration: { objectSelector: 10, matchConditions: 11 },
  MutatingWebhookConfiguration: { objectSelector: 11, matchConditions: 12 },
} as const;

type WebhookDraft = { -readonly [K in keyof AdmissionWebhook]: AdmissionWebhook[K] };

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

  readSpec(cursor: Cursor): void {
    const pool = this.#pool;
    const layout = this.#layout;
    const rules: AdmissionRule[] = [];
    const matchConditions: string[] = [];
    const draft: WebhookDraft = {
      name: '',
      service: '',
      failurePolicy: 'Fail',
      rules,
      matchPolicy: 'Equivalent',
      namespaceSelector: undefined,
      objectSelector: undefined,
      matchConditions,
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
      else if (field === 9) draft.matchPolicy = cursor.shared(pool.strings) || 'Equivalent';
      else if (field === layout.objectSelector) draft.objectSelector = readLabelSelector(cursor, pool);
      else if (field === layout.matchConditions) matchConditions.push(readExpression(cursor, 2));
    });
    this.#webhooks.push(draft);
  }

  readStatus(): void {}

  finish(): WebhookConfigurationFacts {
    return { kind: 'WebhookConfiguration', webhooks: this.#webhooks };
  }
}

function readRule(cursor: Cursor, { strings }: Pool): AdmissionRule {
  const lists = { operations: [] as string[], groups: [] as string[], versions: [] as string[] };
  const rule = { ...lists, resources: [] as string[], scope: '*', names: [] as string[] };
  cursor.fields(field => {
    if (field === 1) rule.operations.push(cursor.shared(strings));
    else if (field === 2)
      cursor.fields(inner => {
        if (inner === 1) rule.groups.push(cursor.shared(strings));
        else if (inner === 2) rule.versions.push(cursor.shared(strings));
        else if (inner === 3) rule.resources.push(cursor.shared(strings));
        else if (inner === 4) rule.scope = cursor.shared(strings) || '*';
      });
  });
  return rule;
}

function readExpression(cursor: Cursor, at: number): string {
  let expression = '';
  cursor.fields(field => {
    if (field === at) expression = cursor.text();
  });
  return expression;
}

function readNamedRule(cursor: Cursor, pool: Pool): AdmissionRule {
  const names: string[] = [];
  let rule: AdmissionRule | undefined;
  cursor.fields(field => {
    if (field === 1) names.push(cursor.text());
    else if (field === 2) rule = readRule(cursor, pool);
  });
  return { ...(rule ?? { operations: [], groups: [], versions: [], resources: [], scope: '*' }), names };
}

function readMatch(cursor: Cursor, pool: Pool): AdmissionMatch {
  const lists = { rules: [] as AdmissionRule[], excluded: [] as AdmissionRule[] };
  let matchPolicy = 'Equivalent';
  let namespaceSelector: AdmissionMatch['namespaceSelector'];
  let objectSelector: AdmissionMatch['objectSelector'];
  cursor.fields(field => {
    if (field === 1) namespaceSelector = readLabelSelector(cursor, pool);
    else if (field === 2) objectSelector = readLabelSelector(cursor, pool);
    else if (field === 3) lists.rules.push(readNamedRule(cursor, pool));
    else if (field === 4) lists.excluded.push(readNamedRule(cursor, pool));
    else if (field === 7) matchPolicy = cursor.shared(pool.strings) || 'Equivalent';
  });
  return { ...lists, matchPolicy, namespaceSelector, objectSelector };
}

/** A mutating policy has no validations. */
const policyLayouts = {
  ValidatingAdmissionPolicy: { validations: 3, failurePolicy: 4, variables: 7 },
  MutatingAdmissionPolicy: { validations: 0, failurePolicy: 5, variables: 3 },
} as const;

function policyLayout(kind: string): Layout<Draft<AdmissionPolicyFacts>> {
  const at =
    kind === 'MutatingAdmissionPolicy'
      ? policyLayouts.MutatingAdmissionPolicy
      : policyLayouts.ValidatingAdmissionPolicy;
  return {
    begin: () => ({
      kind: 'AdmissionPolicy',
      hasParameters: false,
      failurePolicy: 'Fail',
      match: undefined,
      matchConditions: [],
      variables: [],
      validations: [],
    }),
    spec: (draft, field, cursor, pool) => {
      if (field === 1) draft.hasParameters = true;
      else if (field === 2) draft.match = readMatch(cursor, pool);
      else if (field === 6) draft.matchConditions.push(readExpression(cursor, 2));
      else if (field === at.failurePolicy) draft.failurePolicy = cursor.shared(pool.strings) || 'Fail';
      else if (field === at.validations) draft.validations.push(readExpression(cursor, 1));
      else if (field === at.variables) draft.variables.push(readVariable(cursor));
    },
    status: () => {},
  };
}

function readVariable(cursor: Cursor): AdmissionPolicyFacts['variables'][number] {
  const variable = { name: '', expression: '' };
  cursor.fields(field => {
    if (field === 1) variable.name = cursor.text();
    else if (field === 2) variable.expression = cursor.text();
  });
  return variable;
}

const binding: Layout<Draft<AdmissionBindingFacts>> = {
  begin: () => ({ kind: 'AdmissionBinding', policy: '', match: undefined, actions: [] }),
  spec: (draft, field, cursor, pool) => {
    if (field === 1) draft.policy = cursor.text();
    else if (field === 3) draft.match = readMatch(cursor, pool);
    else if (field === 4) draft.actions.push(cursor.shared(pool.strings));
  },
  status: () => {},
};

export const policyReaders = {
  AdmissionPolicy: (pool: Pool, kind: string): FactsReader => new LayoutReader(pool, policyLayout(kind)),
  AdmissionBinding: (pool: Pool): FactsReader => new LayoutReader(pool, binding),
};
