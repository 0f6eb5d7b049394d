/**
 * Services that the API server calls, for admission and conversion, and whether anything can answer behind them. Apart
 * from APIServices, whose own status tells.
 */
import type { Identity } from '../../../graph/node.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import { selects } from '../../../model/facts/label-selector.ts';
import type { KubeObject } from '../../../model/object.ts';
import { objectTitle } from '../../../model/text/titles.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

/** A Service at which a call fails. */
export interface DeadBackend {
  /** `namespace/name` */
  readonly service: string;
  /** A predicate of the Service: `doesn't exist`, `has no ready pod behind it`. */
  readonly why: string;
  readonly evidence: readonly string[];
  readonly related: readonly Identity[];
}

/** Milliseconds that a restart of what answers may take. */
const PATIENCE = 120_000;

/**
 * Undefined where something may answer. `deep`: the pods behind the Service are looked at too, for which those of its
 * namespace have to be read.
 */
export function deadBackend(tracked: TrackedView, service: string, deep = true): DeadBackend | undefined {
  const [namespace = '', name = ''] = service.split('/');
  const type = tracked.type('v1', 'Service');
  const found = type && tracked.find(type, namespace, name);
  if (found === undefined) {
    if (!tracked.lacks(type, namespace, name)) return undefined;
    const evidence = [`Service ${service}: doesn't exist`];
    return { service, why: "doesn't exist", evidence, related: [] };
  }
  if (!deep || found.facts?.kind !== 'Service' || found.facts.selector.length === 0) return undefined;
  return withoutPods(tracked, found, found.facts.selector);
}

function withoutPods(
  tracked: TrackedView,
  service: KubeObject,
  selector: readonly string[],
): DeadBackend | undefined {
  const type = tracked.type('v1', 'Pod');
  if (type === undefined || !tracked.sees(type, service.namespace)) return undefined;
  const chosen = { matchLabels: selector, matchExpressions: [] };
  const pods = [...tracked.list(type, service.namespace)].filter(pod => selects(chosen, pod.labels));
  if (pods.some(mayAnswer)) return undefined;
  // What has just been created or has just failed may be starting.
  const latest = pods.map(changedAt).reduce((a, b) => Math.max(a, b), service.creationTimestamp);
  if (!tracked.lasted(latest, PATIENCE)) return undefined;
  return {
    service: `${service.namespace}/${service.name}`,
    why: pods.length === 0 ? 'has no pod behind it' : 'has no ready pod behind it',
    evidence: [
      `Service ${service.namespace}/${service.name}: ${pods.length === 0 ? 'no pod has its labels' : 'no pod with its labels is ready'}`,
      ...pods.slice(0, 3).map(pod => `${objectTitle(pod)}: not ready`),
    ],
    related: [service, ...pods.slice(0, 3)].map(identityOfObject),
  };
}

/** Ready, or not known to be anything else. */
function mayAnswer({ facts }: KubeObject): boolean {
  if (facts?.kind !== 'Pod' || facts.conditions.length === 0) return true;
  const ready = facts.conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'True';
}

function changedAt({ facts, creationTimestamp, deletionTimestamp = 0 }: KubeObject): number {
  const ready =
    facts?.kind === 'Pod' ? facts.conditions.find(({ type }) => type === 'Ready')?.since : undefined;
  return Math.max(ready ?? 0, creationTimestamp, deletionTimestamp);
}
