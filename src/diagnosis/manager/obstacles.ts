/** Reasons why the collector may do nothing, looked up only to explain a delay because that costs requests. */

import { managerSigns } from '../../collector/index.ts';
import { refusedBy, refusedWords } from '../../forecast/index.ts';
import { behaviourOf, type Identity, identityOfObject } from '../../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  isoTime,
  type KubeObject,
  ORPHAN_FINALIZER,
  serverReleases,
} from '../../model/index.ts';
import { AdmissionControl } from '../../simulation/index.ts';
import {
  type BrokenConversion,
  brokenConversions,
  conversionOf,
  conversionRemedies,
} from '../cluster/broken-conversions.ts';
import { admissionWorld } from '../cluster/dead-backends.ts';
import { admissionStop, type DeletionStep } from '../cluster/deletion-webhooks.ts';
import { evidenceOn, fieldEvidence } from '../engine/evidence.ts';
import { type Advice, advice, type ChainLink, chainLink, type Evidence } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';

export interface Obstacle {
  /** `because the collector cannot list foos.example.io: …`, or `perhaps because …` */
  readonly because: string;
  readonly brief: string;
  /** Set if something else may keep the collector from acting. */
  readonly possible?: boolean;
  readonly evidence: readonly Evidence[];
  /** The first deciding object. */
  readonly related: readonly Identity[];
  readonly advice: Advice;
}

/** Ends a chain at the object that stops the collector. */
export function stoppedBy(obstacle: Obstacle | undefined): readonly ChainLink[] {
  const [object] = obstacle?.related ?? [];
  if (obstacle === undefined || object === undefined || obstacle.possible === true) return [];
  return [chainLink(object, 'stopped by', obstacle.brief)];
}

/** Lists the most certain obstacle first. */
export function obstaclesFor(tracked: TrackedView, object: KubeObject): readonly Obstacle[] {
  return [
    ...switchedOff(tracked),
    ...away(tracked),
    ...refused(tracked, object, ['DELETE', 'UPDATE']),
    ...denied(tracked, object),
    ...listing(tracked, object),
  ];
}

/** Lists what stops kube-controller-manager's other controllers from acting on `object`: manager or API server. */
export function managerObstacles(tracked: TrackedView, object: KubeObject): readonly Obstacle[] {
  return [...away(tracked), ...refused(tracked, object, ['DELETE'])];
}

function* switchedOff(tracked: TrackedView): Iterable<Obstacle> {
  const off = managerSigns.collectorSwitchedOff(tracked.view, controlPlanePods(tracked));
  if (off === undefined) return;
  yield {
    because: `because the collector is switched off: kube-controller-manager runs with ${off.flag}`,
    brief: 'the collector is switched off',
    evidence: evidenceOn(off.pod, off.flag),
    related: [identityOfObject(off.pod)],
    advice: advice(
      'switch-on-collector',
      `run kube-controller-manager without ${off.flag}: see first what that would delete (kubectl gc-tree plan restart)`,
    ),
  };
}

/** The lease is renewed every few seconds; the rule runs again only if a renewal is missed. */
function* away(tracked: TrackedView): Iterable<Obstacle> {
  const { view } = tracked;
  const silent = managerSigns.silent(view, tracked.now);
  if (silent === undefined) {
    if (view.settings.standsStill !== true) tracked.lasted(managerSigns.silentUnlessRenewed(view), 0);
    return;
  }
  const { lease, holder } = silent;
  tracked.find(lease.type, lease.namespace, lease.name);
  if (managerSigns.runsWithoutElection(controlPlanePods(tracked))) return;
  const said = holder === '' ? 'its lease has no holder' : 'its lease is not renewed';
  yield {
    because: `because kube-controller-manager seems not to run: ${said}`,
    brief: 'kube-controller-manager seems not to run',
    evidence: evidenceOn(
      lease,
      fieldEvidence(lease, 'spec.holderIdentity', holder, `spec.holderIdentity: ${holder || '<none>'}`),
      fieldEvidence(lease, 'spec.renewTime', isoTime(silent.renewedAt)),
    ),
    related: [identityOfObject(lease)],
    advice: advice(
      'start-manager',
      'see why kube-controller-manager does not run or does not lead (kubectl get lease kube-controller-manager -n kube-system -o yaml; its pods in kube-system, or the log of its service): everything that waits goes on when it does',
    ),
  };
}

/** The collector deletes the object or removes a finalizer or owner reference; other controllers only delete. */
function* refused(
  tracked: TrackedView,
  object: KubeObject,
  steps: readonly DeletionStep[],
): Iterable<Obstacle> {
  const stop = admissionStop(tracked, object, steps);
  if (stop === undefined) return;
  const { configuration, webhook, backend, certain } = stop;
  const { kind } = configuration.type;
  yield {
    because: `${certain ? 'because' : 'perhaps because'} the API server refuses the request of the ${steps.length === 1 ? 'controller' : 'collector'}: the Service ${backend.service} of the webhook ${webhook} (${kind} ${configuration.name}), which must be called, ${backend.why}`,
    brief: `the webhook ${webhook} must be called, and its Service ${backend.service} ${backend.why}`,
    possible: !certain,
    evidence: [`${kind} ${configuration.name}: failurePolicy: Fail`, ...backend.evidence],
    related: [identityOfObject(configuration), ...backend.related],
    advice: advice(
      `restore-webhook/${backend.service}`,
      `restore the backend of Service ${backend.service}, or delete ${kind} ${configuration.name} if what it belonged to is gone: it then continues by itself`,
    ),
  };
}

/** A policy that denies the update by which the collector removes its finalizer. */
function* denied(tracked: TrackedView, object: KubeObject): Iterable<Obstacle> {
  const finalizer = object.finalizers.find(
    each => each === FOREGROUND_FINALIZER || each === ORPHAN_FINALIZER,
  );
  if (finalizer === undefined) return;
  const admission = tracked.once('policies', () => new AdmissionControl(admissionWorld(tracked), 'policies'));
  const denial = admission.objectionsToRemoval(object, finalizer).find(({ answer }) => answer === 'refused');
  if (denial === undefined) return;
  const { configuration, policy } = denial;
  const title = `${configuration.type.kind} ${configuration.name}`;
  yield {
    because: `because the API server refuses the request of the collector: ${refusedWords(refusedBy(denial), denial.because)}`,
    brief: `${title} denies the update of the collector`,
    evidence: [`${title}: policyName: ${policy}`],
    related: [identityOfObject(configuration)],
    advice: advice(
      POLICY_ADVICE,
      `let the admission policy ${policy} accept updates of the garbage collector (system:serviceaccount:kube-system:generic-garbage-collector), or limit it to CREATE: it then continues by itself`,
    ),
  };
}

export const POLICY_ADVICE = 'scope-policy';

/** Lists the pods of kube-system, where kube-controller-manager runs if the cluster shows its pods. */
export function controlPlanePods(tracked: TrackedView): readonly KubeObject[] {
  const type = tracked.type('v1', 'Pod');
  return type === undefined ? [] : [...tracked.list(type, 'kube-system')];
}

function* listing(tracked: TrackedView, { type }: KubeObject): Iterable<Obstacle> {
  const own = conversionOf(tracked, type);
  if (own !== undefined) {
    yield { ...onConversion(tracked, own), because: `${reason(own)} list ${own.resource}: ${own.why}` };
    return;
  }
  const behaviour = behaviourOf(tracked.view);
  const isKnown = behaviour.unproven !== 'unknown';
  const [first, ...more] = isKnown && behaviour.has('worksUnsynced') ? [] : brokenConversions(tracked);
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const until = isKnown
    ? ''
    : `, which stops it altogether in Kubernetes before ${serverReleases.defaultSince('worksUnsynced')}`;
  yield {
    ...onConversion(tracked, first),
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

function onConversion(tracked: TrackedView, broken: BrokenConversion): Omit<Obstacle, 'because'> {
  const { resource, certainty, evidence, related } = broken;
  const brief = `the collector cannot list ${resource}`;
  const [first] = conversionRemedies(tracked, broken);
  return { brief, possible: certainty === 'possible', evidence, related, advice: first };
}
