/**
 * Why the garbage collector may do nothing: it is switched off, nobody runs it, or it stands still before a kind that it
 * cannot list. Looked for where an answer has to say why it is late, and nowhere else, for that costs requests.
 */
import type { Identity } from '../../graph/node.ts';
import type { KubeObject } from '../../model/object.ts';
import type { Advice, Evidence } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import {
  type BrokenConversion,
  brokenConversions,
  conversionAdvice,
  conversionOf,
} from '../rules/apis/conversions.ts';

export interface Obstacle {
  /** `because the collector cannot list foos.example.io: …`, or `perhaps because …` */
  readonly because: string;
  /** The same for a column. */
  readonly brief: string;
  readonly evidence: readonly Evidence[];
  readonly related: readonly Identity[];
  readonly advice: Advice;
}

/** What keeps the collector from `object`, the surest first. */
export function obstaclesFor(tracked: TrackedView, object: KubeObject): readonly Obstacle[] {
  return [...listing(tracked, object)];
}

function* listing(tracked: TrackedView, { type }: KubeObject): Iterable<Obstacle> {
  const own = conversionOf(tracked, type);
  if (own !== undefined) {
    yield { ...onConversion(own), because: `${reason(own)} list ${own.resource}: ${own.why}` };
    return;
  }
  const stops = stopsAtUnlisted(tracked.view.settings.serverVersion);
  const [first, ...more] = stops === false ? [] : brokenConversions(tracked);
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const until = stops === undefined ? ', which stops it altogether in Kubernetes before 1.32' : '';
  yield {
    ...onConversion(first),
    because: `${reason(first)} list ${first.resource}${others}${until}: ${first.why}`,
  };
}

const reasons: Readonly<Record<BrokenConversion['certainty'], string>> = {
  seen: 'because the collector cannot',
  likely: 'because the collector seems unable to',
  possible: 'perhaps because the collector cannot',
};

function reason({ certainty }: BrokenConversion): string {
  return reasons[certainty];
}

function onConversion(broken: BrokenConversion): Omit<Obstacle, 'because'> {
  const { resource, evidence, related } = broken;
  const brief = `the collector cannot list ${resource}`;
  return { brief, evidence, related, advice: conversionAdvice(broken) };
}

/**
 * Whether a kind that cannot be listed stops all collection: before v1.32 (kubernetes/kubernetes#125796). Undefined where
 * the version isn't known.
 */
function stopsAtUnlisted(serverVersion: string | undefined): boolean | undefined {
  const [, major, minor] = /^v?(\d+)\.(\d+)/u.exec(serverVersion ?? '') ?? [];
  return major === undefined ? undefined : Number(major) === 1 && Number(minor) < 32;
}
