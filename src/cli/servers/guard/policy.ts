/** Rules by which the guard refuses requests for their consequences, and who may override them. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { Forecast } from '../../../forecast/index.ts';
import { counted, enumerated, isoTime, LocatedYaml, shellLine, YamlFault } from '../../../model/index.ts';
import { UsageError } from '../../runtime/errors.ts';
import type { Review } from './admission-review.ts';

/** Its value is a time (RFC 3339) and a reason. */
const ANNOTATION = 'gc-tree.dev/allow-deletion';
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

const policySchema = z.strictObject({
  apiVersion: z.literal('gc-tree.dev/v1alpha1'),
  kind: z.literal('GuardPolicy'),
  rules: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/u, 'no name such as "production"'),
        /** All and cluster-scoped objects without it. */
        namespaces: z.array(z.string()).min(1).optional(),
        refuse: z.array(consequenceSchema).min(1).optional(),
        /** The most objects that may be deleted with one request. */
        maxDeleted: z.int().min(1).optional(),
        exceptGroups: z.array(z.string()).min(1).optional(),
        /** Lets `gc-tree.dev/allow-deletion` on the object override the rule. */
        exceptAnnotated: z.boolean().optional(),
      }),
    )
    .min(1),
});

type Rule = z.infer<typeof policySchema>['rules'][number];

export interface Refusal {
  readonly message: string | undefined;
  /** Overridden rules, for the log. */
  readonly overridden: readonly string[];
}

export class GuardPolicy {
  readonly #rules: readonly Rule[];

  private constructor(rules: readonly Rule[]) {
    this.#rules = rules;
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
    const idle = data.rules.findIndex(each => each.refuse === undefined && each.maxDeleted === undefined);
    if (idle >= 0) throw fail(['rules', idle], 'neither refuse nor maxDeleted is given');
    return new GuardPolicy(data.rules);
  }

  /** `now`: the time of the cluster, in milliseconds since 1970. */
  refusal(review: Review, forecast: Forecast, now: number): Refusal {
    const overridden: string[] = [];
    for (const rule of this.#rules) {
      const reasons = reasonsOf(rule, review, forecast);
      if (reasons.length === 0) continue;
      const override = overrideOf(rule, review, now);
      if (override === undefined) return { message: messageOf(rule, reasons, review, now), overridden };
      overridden.push(`rule ${rule.name}, overridden by ${override}: ${enumerated(reasons)}`);
    }
    return { message: undefined, overridden };
  }
}

function reasonsOf(
  { namespaces, refuse = [], maxDeleted = Infinity }: Rule,
  { kind, namespace, name, resource }: Review,
  forecast: Forecast,
): string[] {
  const place = kind === 'Namespace' && resource.group === '' ? name : namespace;
  if (namespaces !== undefined && !namespaces.includes(place)) return [];
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
  { exceptGroups = [], exceptAnnotated }: Rule,
  review: Review,
  now: number,
): string | undefined {
  const group = review.caller.groups.find(each => exceptGroups.includes(each));
  if (group !== undefined) return `group ${group}`;
  if (exceptAnnotated !== true) return undefined;
  const value = review.oldObject?.annotations[ANNOTATION];
  const [, time = '', reason] = /^(\S+)\s+(.+)$/u.exec(typeof value === 'string' ? value.trim() : '') ?? [];
  const left = Date.parse(time) - now;
  return /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/u.test(time) && left > 0 && left <= LONGEST
    ? `annotation, ${reason}`
    : undefined;
}

function messageOf(
  { name, exceptGroups = [], exceptAnnotated }: Rule,
  reasons: readonly string[],
  review: Review,
  now: number,
): string {
  const { operation, resource, namespace } = review;
  const target = [resource.resource, resource.group].filter(each => each !== '').join('.');
  const words = ['kubectl', 'annotate', '--overwrite', `${target}/${review.name}`];
  const annotation = `${ANNOTATION}=${isoTime(now + SUGGESTED)} REASON`;
  const place = namespace === '' ? [] : ['-n', namespace];
  const command = shellLine([{ words: [...words, ...place, annotation] }]);
  const ways = [
    // An eviction holds no object.
    ...(exceptAnnotated === true && operation !== 'CREATE' && command !== undefined
      ? [`run ${command}`]
      : []),
    ...(exceptGroups.length > 0 ? [`ask a member of ${enumerated(exceptGroups)}`] : []),
  ];
  const how = ways.length > 0 ? ` To do it all the same, ${ways.join(', or ')}.` : '';
  return `rule ${name} of the guard's policy: ${enumerated(reasons)}.${how}`;
}
