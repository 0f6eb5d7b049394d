/**
 * Decides if a webhook or policy is called (apiserver pkg/admission/plugin/webhook/predicates and
 * pkg/admission/plugin/policy/matching, v0.36); `unknown` if unknown values decide.
 */
import {
  type AdmissionMatch,
  type AdmissionRule,
  type AdmissionWebhook,
  type KubeObject,
  type LabelSelector,
  labelRules,
  type ResourceType,
} from '../../../model/index.ts';
import { type AdmissionRequest, type User, variablesOf } from './admission-request.ts';
import { allOf, evaluateCondition, not, type Truth, unknown, type Variables } from './expressions.ts';

export interface AdmissionWorld {
  types(): readonly ResourceType[];
  /** Returns the preferred version; undefined if none is served. */
  type(group: string, resource: string): ResourceType | undefined;
  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined;
  list(type: ResourceType, namespace: string): Iterable<KubeObject>;
  sees(type: ResourceType, namespace: string): boolean;
  /** Returns true if no such object exists for certain. */
  lacks(type: ResourceType, namespace: string, name: string): boolean;
  /** Returns true if a state has certainly lasted `duration` milliseconds since `since`. */
  lasted(since: number, duration: number): boolean;
  reached(at: number): boolean;
  /** Lists the objects before any simulated change; undefined if there is none. */
  before?(type: ResourceType, namespace: string): Iterable<KubeObject>;
}

const ownKinds: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

function isExempt({ group, kind }: ResourceType, asked: 'webhook' | 'policy'): boolean {
  if (group !== 'admissionregistration.k8s.io' || !ownKinds.has(kind)) return false;
  return asked === 'webhook' || !kind.endsWith('WebhookConfiguration');
}

export type RuledRequest = Pick<AdmissionRequest, 'operation' | 'type' | 'subresource'>;

/** Checks if the rule covers the request in any version. */
function covers(rule: AdmissionRule, request: RuledRequest): boolean {
  const { type, subresource, operation } = request;
  return (
    isListed(rule.operations, operation) &&
    isListed(rule.groups, type.group) &&
    (rule.scope === '*' || (rule.scope === 'Namespaced') === type.namespaced) &&
    rule.resources.some(each => {
      const [resource, sub = ''] = each.split('/');
      return (resource === '*' || resource === type.resource) && (sub === '*' || sub === subresource);
    })
  );
}

function isListed(items: readonly string[], wanted: string): boolean {
  return items.includes('*') || items.includes(wanted);
}

/** `equivalent`: a rule names another version of the resource, so the object is converted first. */
export type RuleMatch = 'exact' | 'equivalent' | undefined;

function ruleMatch(
  world: Pick<AdmissionWorld, 'types'>,
  { rules, matchPolicy }: Pick<AdmissionMatch, 'rules' | 'matchPolicy'>,
  request: RuledRequest,
): RuleMatch {
  const { type } = request;
  const inAnyVersion = rules.filter(rule => covers(rule, request));
  if (inAnyVersion.some(({ versions }) => isListed(versions, type.version))) return 'exact';
  if (inAnyVersion.length === 0 || matchPolicy === 'Exact') return undefined;
  const others = world
    .types()
    .filter(
      each => each.group === type.group && each.resource === type.resource && each.version !== type.version,
    );
  const isOther = (rule: AdmissionRule): boolean =>
    others.some(({ version }) => isListed(rule.versions, version));
  return inAnyVersion.some(isOther) ? 'equivalent' : undefined;
}

type Selectors = Pick<AdmissionWebhook, 'namespaceSelector' | 'objectSelector'>;

/** Selects by labels of the object, before or after the change, and of its namespace. */
export function selectsRequest(
  world: AdmissionWorld,
  { namespaceSelector, objectSelector }: Selectors,
  request: AdmissionRequest,
): Truth {
  const { object, oldObject } = request;
  const isChosen =
    isEmpty(objectSelector) ||
    [object, oldObject].some(each => each !== undefined && labelRules.selects(objectSelector, each.labels));
  return allOf([isChosen, isEmpty(namespaceSelector) || namespaceChosen(world, namespaceSelector, request)]);
}

/** A missing selector defaults to an empty one. */
function isEmpty(selector: LabelSelector | undefined): boolean {
  return selector === undefined || selector.matchLabels.length + selector.matchExpressions.length === 0;
}

function namespaceChosen(
  world: AdmissionWorld,
  selector: LabelSelector | undefined,
  { operation, type, subresource, namespace, name, object, oldObject }: AdmissionRequest,
): Truth {
  const isNamespace = type.group === '' && type.resource === 'namespaces';
  if (isNamespace && subresource === '' && operation !== 'DELETE')
    return object === undefined ? unknown : labelRules.selects(selector, object.labels);
  if (isNamespace && oldObject !== undefined) return labelRules.selects(selector, oldObject.labels);
  if (!isNamespace && namespace === '') return true;
  const namespaces = world.type('', 'namespaces');
  const found = namespaces && world.find(namespaces, '', isNamespace ? name : namespace);
  return found === undefined ? unknown : labelRules.selects(selector, found.labels);
}

/** Returns true if all conditions hold for every possible user. */
export function conditionsHold(
  conditions: readonly string[],
  request: AdmissionRequest,
  match: RuleMatch,
): Truth {
  if (conditions.length === 0) return true;
  return forAnyUser(request, match, variables =>
    allOf(conditions.map(condition => evaluateCondition(condition, variables))),
  );
}

/** Returns the result if it is equal for every possible user. */
export function forAnyUser(
  request: AdmissionRequest,
  match: RuleMatch,
  judge: (variables: Variables) => Truth,
): Truth {
  const users: readonly (User | undefined)[] = request.users.length === 0 ? [undefined] : request.users;
  const truths = users.map(user => judge(variablesOf(request, user, match === 'exact')));
  const [first = unknown] = truths;
  return truths.every(each => each === first) ? first : unknown;
}

export function matches(world: AdmissionWorld, match: AdmissionMatch, request: AdmissionRequest): Truth {
  return allOf([
    match.rules.length === 0 || namesHold(world, match.rules, match.matchPolicy, request),
    match.excluded.length === 0 || not(namesHold(world, match.excluded, match.matchPolicy, request)),
    selectsRequest(world, match, request),
  ]);
}

function namesHold(
  world: AdmissionWorld,
  rules: readonly AdmissionRule[],
  matchPolicy: string,
  request: AdmissionRequest,
): Truth {
  const about = rules.filter(rule => ruleMatch(world, { rules: [rule], matchPolicy }, request) !== undefined);
  if (about.length === 0) return false;
  return about.some(({ names }) => names.length === 0 || names.includes(request.name));
}

export const AdmissionWorld = { isExempt, ruleMatch };
