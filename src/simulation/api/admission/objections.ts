/** Webhooks that can't answer, and policies that deny a request, for certain or possibly (docs/kubernetes.md §12). */
import type { AdmissionPolicyFacts, AdmissionWebhook, KubeObject } from '../../../model/index.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { Backend } from './backends.ts';
import {
  allOf,
  evaluateCondition,
  evaluateExpression,
  Fields,
  type Truth,
  unknown,
  type Variables,
} from './expressions.ts';
import {
  AdmissionWorld,
  conditionsHold,
  forAnyUser,
  matches,
  type RuledRequest,
  type RuleMatch,
  selectsRequest,
} from './matching.ts';

export interface Objection {
  readonly configuration: KubeObject;
  readonly webhook: string;
  readonly policy: string;
  /** `namespace/name` of the called Service; `''` for none or a URL. */
  readonly service: string;
  /** `unknown`: the request may fail, or be altered. */
  readonly answer: 'refused' | 'unknown';
  /** A clause: `its Service tools/keep doesn't exist`. */
  readonly because: string;
}

export interface Gatekeeper {
  objectionTo(world: AdmissionWorld, request: AdmissionRequest): Objection | undefined;
}

export function gatekeepersOf(
  world: Pick<AdmissionWorld, 'types'>,
  configuration: KubeObject,
  request: RuledRequest,
): Gatekeeper[] {
  const { facts } = configuration;
  if (facts?.kind !== 'WebhookConfiguration') return [];
  return facts.webhooks.flatMap(webhook => {
    const match = AdmissionWorld.ruleMatch(world, webhook, request);
    return match === undefined || isGuard(configuration, webhook)
      ? []
      : { objectionTo: (now, each) => webhookObjection(now, { configuration, webhook, match }, each) };
  });
}

/** The webhook of `serve --guard`, which warns and refuses nothing. */
export const WARNING_WEBHOOK = 'warnings.gc-tree.dev';
/** The webhook of `serve --guard --guard-policy`, which refuses by the policy. */
export const REFUSAL_WEBHOOK = 'refusals.gc-tree.dev';

function isGuard({ type }: KubeObject, { name, failurePolicy }: AdmissionWebhook): boolean {
  return (
    type.kind === 'ValidatingWebhookConfiguration' && name === WARNING_WEBHOOK && failurePolicy === 'Ignore'
  );
}

interface AskedWebhook {
  readonly configuration: KubeObject;
  readonly webhook: AdmissionWebhook;
  readonly match: RuleMatch;
}

function webhookObjection(
  world: AdmissionWorld,
  { configuration, webhook, match }: AskedWebhook,
  request: AdmissionRequest,
): Objection | undefined {
  const isAsked = webhookAsked(world, webhook, match, request);
  if (isAsked === false) return undefined;
  const backend: Backend = webhook.service === '' ? { state: 'alive' } : Backend.of(world, webhook.service);
  const isDead = backend.state === 'dead';
  if (isDead && backend.certain && webhook.failurePolicy === 'Ignore') return undefined;
  const { name, service } = webhook;
  const which = service === '' ? 'who answers for it' : `its Service ${service}`;
  return {
    configuration,
    webhook: name,
    policy: '',
    service,
    answer: isDead && backend.certain && isAsked === true ? 'refused' : 'unknown',
    because: isDead
      ? `${which} ${backend.why}${backend.certain ? '' : ', as far as can be seen'}${isAsked === true ? '' : ', and it is unknown whether it is asked about this'}`
      : 'what it answers is not known',
  };
}

export function webhookAsked(
  world: AdmissionWorld,
  webhook: AdmissionWebhook,
  match: RuleMatch,
  request: AdmissionRequest,
): Truth {
  const isChosen = selectsRequest(world, webhook, request);
  return isChosen === false
    ? false
    : allOf([isChosen, conditionsHold(webhook.matchConditions, request, match)]);
}

/** Returns undefined for a binding that never denies or changes anything. */
export function bindingGatekeeper(
  binding: KubeObject,
  policy: KubeObject | undefined,
  isMissing: boolean,
): Gatekeeper | undefined {
  const { facts } = binding;
  if (facts?.kind !== 'AdmissionBinding') return undefined;
  const isMutating = binding.type.kind === 'MutatingAdmissionPolicyBinding';
  const mayDeny = facts.actions.includes('Deny');
  if (!isMutating && !mayDeny && facts.withoutParameters !== 'Deny') return undefined;
  if (policy?.facts?.kind !== 'AdmissionPolicy') {
    return isMissing
      ? undefined
      : { objectionTo: () => policyObjection(binding, 'unknown', 'the policy cannot be seen') };
  }
  const rules = policy.facts;
  // The API server stores no policy without it.
  const { match } = rules;
  if (match === undefined || (!isMutating && !mayDeny && !rules.hasParameters)) return undefined;
  return {
    objectionTo: (world, request) => {
      if (isMutating && request.operation === 'DELETE') return undefined;
      const isAbout = allOf([
        matches(world, match, request),
        facts.match === undefined || matches(world, facts.match, request),
      ]);
      if (isAbout === false) return undefined;
      // The version may differ if the rules don't name the request's.
      const rule = AdmissionWorld.ruleMatch(world, match, request) ?? 'exact';
      const isAsked = allOf([isAbout, conditionsHold(rules.matchConditions, request, rule)]);
      if (isAsked === false) return undefined;
      if (isMutating) return policyObjection(binding, 'unknown', 'what it changes is not known');
      const isValid = rules.hasParameters ? unknown : validationsHold(rules, request, rule);
      if (isValid === true) return undefined;
      return isValid === false && isAsked === true
        ? policyObjection(binding, 'refused', 'what it demands is not so')
        : policyObjection(binding, 'unknown', 'it is unknown whether it allows this');
    },
  };
}

function policyObjection(configuration: KubeObject, answer: Objection['answer'], because: string): Objection {
  const policy = configuration.facts?.kind === 'AdmissionBinding' ? configuration.facts.policy : '';
  return { configuration, webhook: '', policy, service: '', answer, because };
}

function validationsHold(policy: AdmissionPolicyFacts, request: AdmissionRequest, match: RuleMatch): Truth {
  return forAnyUser(request, match, variables => {
    const own = withVariables(policy, variables);
    return allOf(policy.validations.map(each => evaluateCondition(each, own)));
  });
}

/** Adds the policy's own variables, each of which may use earlier ones. */
function withVariables({ variables: named }: AdmissionPolicyFacts, given: Variables): Variables {
  const composed = new Map<string, ReturnType<Variables>>();
  let own: Variables = given;
  for (const { name, expression } of named) {
    composed.set(name, evaluateExpression(expression, own));
    const fields = new Fields(new Map(composed), 'open');
    own = each => (each === 'variables' ? fields : given(each));
  }
  return own;
}
