/** Rules by which the guard refuses requests for their consequences, and who may override them. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { Forecast } from '../../../forecast/index.ts';
import type { ClusterView } from '../../../graph/index.ts';
import {
  counted,
  enumerated,
  isoTime,
  Labels,
  LocatedYaml,
  prose,
  shellLine,
  showHidden,
  YamlFault,
} from '../../../model/index.ts';
import { UsageError } from '../../runtime/errors.ts';
import type { Review } from './admission-review.ts';

/** Annotation of an object; its value is a time (RFC 3339) and a reason. */
const OVERRIDE = 'gc-tree.dev/allow-deletion';
/** Annotation of a namespace; its value is a rule in YAML, without name and namespaces. */
const NAMESPACE_RULE = 'gc-tree.dev/guard';
const MOST_CHARACTERS = 2_000;
/** Milliseconds until which an annotation may allow a deletion. */
const LONGEST = 24 * 60 * 60 * 1_000;
const SUGGESTED = 60 * 60 * 1_000;

/** Clauses that say why, by consequence; undefined if it doesn't happen. */
const consequences = {
  dataLost: (forecast: Forecast) => {
    const { size } = Forecast.lostVolumes(forecast);
    return size === 0 ? undefined : `the data on ${counted(size, 'PersistentVolume')} is lost`;
  },
  stuck: ({ outcome, terminating }: Forecast) => {
    const { length } = Forecast.own(terminating);
    return outcome === 'Stuck' && length > 0 ? `${counted(length, 'object')} would get stuck` : undefined;
  },
  handlerDeleted: ({ alarms }: Forecast) =>
    alarms.some(({ code }) => code === 'handlerGoesToo')
      ? 'a controller would be deleted before the objects whose finalizers it removes'
      : undefined,
  requestsRefused: ({ breaks = [] }: Forecast) =>
    breaks.some(({ user, when }) => when === 'atOnce' && user.kind.endsWith('WebhookConfiguration'))
      ? 'a webhook with failurePolicy Fail would lose its Service'
      : undefined,
} as const;

const consequenceSchema = z.enum(Object.keys(consequences) as (keyof typeof consequences)[]);

const conditions = {
  refuse: z.array(consequenceSchema).min(1).optional(),
  /** The most objects that may be deleted with one request. */
  maxDeleted: z.int().min(1).optional(),
  exceptGroups: z.array(z.string()).min(1).optional(),
  /** Lets `gc-tree.dev/allow-deletion` on the object override the rule. */
  exceptAnnotated: z.boolean().optional(),
};

const conditionsSchema = z.strictObject(conditions);
type Conditions = z.infer<typeof conditionsSchema>;

const hasCondition = ({ refuse, maxDeleted }: Conditions): boolean => (refuse ?? maxDeleted) !== undefined;
const IDLE = 'neither refuse nor maxDeleted is given';

const policySchema = z
  .strictObject({
    apiVersion: z.literal('gc-tree.dev/v1alpha1'),
    kind: z.literal('GuardPolicy'),
    /** Lets namespaces have a rule of their own. */
    namespaceAnnotations: z.boolean().optional(),
    rules: z
      .array(
        z
          .strictObject({
            name: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/u, 'no name such as "production"'),
            /** All and cluster-scoped objects without it. */
            namespaces: z.array(z.string()).min(1).optional(),
            ...conditions,
          })
          .refine(hasCondition, IDLE),
      )
      .min(1)
      .optional(),
  })
  .refine(
    ({ rules, namespaceAnnotations }) => rules !== undefined || namespaceAnnotations === true,
    'neither rules nor namespaceAnnotations is given',
  );

const namespaceRuleSchema = conditionsSchema.refine(hasCondition, IDLE);

type Policy = z.infer<typeof policySchema>;

interface Rule extends Conditions {
  /** The rule's name in a refusal. */
  readonly title: string;
}

export interface Refusal {
  readonly message: string | undefined;
  /** Set if the annotation of the namespace is no rule. */
  readonly ignored: string | undefined;
  /** Overridden rules, for the log. */
  readonly overridden: readonly string[];
}

interface RefusalInput {
  readonly forecast: Forecast;
  readonly view: ClusterView;
  /** The time of the cluster, in milliseconds since 1970. */
  readonly now: number;
}

export class GuardPolicy {
  readonly #policy: Policy;

  private constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** Throws a `UsageError` that names the line of a fault. */
  static read(file: string): GuardPolicy {
    let yaml: LocatedYaml;
    try {
      yaml = LocatedYaml.read(readFileSync(file, 'utf8'));
    } catch (error) {
      if (error instanceof YamlFault) throw new UsageError(`${file}: ${error.message}`);
      const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      throw new UsageError(`the policy ${file} cannot be read (${why}).`);
    }
    const { data, error } = policySchema.safeParse(yaml.content);
    const fail = (path: readonly PropertyKey[], why: string): UsageError =>
      new UsageError(
        `${file}: line ${yaml.lineOf(path.map(each => (typeof each === 'symbol' ? '' : each)))}: ${[...path, why].map(String).join(': ')}.\ndocs/serve.md describes a policy.`,
      );
    const [issue] = error?.issues ?? [];
    if (data === undefined) throw fail(issue?.path ?? [], issue?.message ?? 'not valid');
    return new GuardPolicy(data);
  }

  refusal(review: Review, input: RefusalInput): Refusal {
    const overridden: string[] = [];
    const place = namespaceOf(review);
    const own = this.#policy.namespaceAnnotations === true ? ruleOf(place, input.view) : undefined;
    const ignored = typeof own === 'string' ? own : undefined;
    const rules: Rule[] = (this.#policy.rules ?? [])
      .filter(({ namespaces }) => namespaces?.includes(place) !== false)
      .map(rule => ({ ...rule, title: `rule ${rule.name} of the guard's policy` }));
    if (typeof own === 'object') rules.push(own);
    for (const rule of rules) {
      const reasons = reasonsOf(rule, input.forecast);
      if (reasons.length === 0) continue;
      const override = overrideOf(rule, review, input);
      if (override === undefined)
        return { message: messageOf(rule, reasons, review, input.now), overridden, ignored };
      overridden.push(`${rule.title}, overridden by ${override}: ${enumerated(reasons)}`);
    }
    return { message: undefined, overridden, ignored };
  }
}

/** Returns the namespace itself if that is deleted. */
function namespaceOf({ kind, resource, name, namespace }: Review): string {
  return kind === 'Namespace' && resource.group === '' ? name : namespace;
}

/** Returns a sentence for a faulty annotation, none of which is applied: its exceptions may be what is wrong. */
function ruleOf(namespace: string, view: ClusterView): Rule | string | undefined {
  const type = view.catalog.resolveKind('v1', 'Namespace');
  const annotations = type && view.graph.find(type, '', namespace)?.object?.annotations;
  const value = annotations && Labels.value(annotations, NAMESPACE_RULE);
  if (value === undefined) return undefined;
  const title = `annotation ${NAMESPACE_RULE} of Namespace ${namespace}`;
  const fault = (why: string): string => showHidden(`Ignored: ${title}: ${prose(why)}`);
  if (value.length > MOST_CHARACTERS) return fault(`more than ${MOST_CHARACTERS} characters`);
  let content: unknown;
  try {
    ({ content } = LocatedYaml.read(value));
  } catch (error) {
    if (error instanceof YamlFault) return fault(error.message);
    throw error;
  }
  const { data, error } = namespaceRuleSchema.safeParse(content);
  const [issue] = error?.issues ?? [];
  return data === undefined
    ? fault([...(issue?.path ?? []), issue?.message ?? 'not valid'].map(String).join(': '))
    : { ...data, title };
}

function reasonsOf({ refuse = [], maxDeleted = Infinity }: Conditions, forecast: Forecast): string[] {
  const { length } = Forecast.own(Forecast.deletedAtMost(forecast));
  return [
    ...refuse.flatMap(each => consequences[each](forecast) ?? []),
    ...(length > maxDeleted
      ? [`${counted(length, 'object')} would be deleted, at most ${maxDeleted} may`]
      : []),
  ];
}

/** Returns what overrides the rule, if anything. */
function overrideOf(
  { exceptGroups = [], exceptAnnotated }: Conditions,
  review: Review,
  { forecast, view, now }: RefusalInput,
): string | undefined {
  const group = review.caller.groups.find(each => exceptGroups.includes(each));
  if (group !== undefined) return `group ${group}`;
  if (exceptAnnotated !== true) return undefined;
  // An eviction holds no object.
  const [evicted] = review.operation === 'CREATE' ? forecast.action.targets : [];
  const pod = evicted && view.graph.get(evicted.uid)?.object;
  const value = pod ? Labels.value(pod.annotations, OVERRIDE) : review.oldObject?.annotations[OVERRIDE];
  const [, time = '', reason] = /^(\S+)\s+(.+)$/u.exec(typeof value === 'string' ? value.trim() : '') ?? [];
  const left = Date.parse(time) - now;
  return /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/u.test(time) && left > 0 && left <= LONGEST
    ? `annotation, ${reason}`
    : undefined;
}

function messageOf(
  { title, exceptGroups = [], exceptAnnotated }: Rule,
  reasons: readonly string[],
  review: Review,
  now: number,
): string {
  const { resource, namespace } = review;
  const target = [resource.resource, resource.group].filter(each => each !== '').join('.');
  const words = ['kubectl', 'annotate', '--overwrite', `${target}/${review.name}`];
  const annotation = `${OVERRIDE}=${isoTime(now + SUGGESTED)} REASON`;
  const place = namespace === '' ? [] : ['-n', namespace];
  const command = shellLine([{ words: [...words, ...place, annotation] }]);
  const ways = [
    ...(exceptAnnotated === true && command !== undefined ? [`run ${command}`] : []),
    ...(exceptGroups.length > 0 ? [`ask a member of ${enumerated(exceptGroups)}`] : []),
  ];
  const how = ways.length > 0 ? ` To do it all the same, ${ways.join(', or ')}.` : '';
  return `${title}: ${enumerated(reasons)}.${how}`;
}
