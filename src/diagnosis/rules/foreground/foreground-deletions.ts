/** Foreground deletions that don't end, by what they wait for (docs/kubernetes.md §10 rows 1 to 5 and 8). */

import { type HoldStep, leadsOn, patience } from '../../../forecast/index.ts';
import { isDeleting, objectDeletion } from '../../../graph/index.ts';
import { type KubeObject, objectTitleIn } from '../../../model/index.ts';
import { namespaceGoing } from '../../cluster/namespace-content.ts';
import { type Severity, usualSeverity } from '../../engine/codes.ts';
import { deletionEvidence, evidenceOn } from '../../engine/evidence.ts';
import { advice, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { type Handler, mayAct } from '../../finalizers/handler.ts';
import { clearBlock } from '../../remedies/change-reference.ts';
import { redelete } from '../../remedies/deletion-remedies.ts';
import { handlerAdvice, removal } from '../../remedies/handler-remedies.ts';
import { finalizerHandler } from '../../waits/chain.ts';
import { cycleDeadlock, selfOwnerDeadlock } from './deadlock.ts';
import {
  type ForegroundCase,
  foregroundCase,
  lead,
  onCase,
  relatedOf,
  way,
  wayEvidence,
} from './foreground-case.ts';
import { reportRecreation } from './recreated.ts';
import {
  blockedByClusterScopedDependent,
  blockedByUnresolvableOwner,
  staleForeground,
} from './uncollected.ts';

export const foregroundRule: Rule = {
  appliesTo: ({ object, deleting }) => deleting && objectDeletion.isForeground(object),
  judge: ({ object }, tracked, before) => {
    // A namespace's wait is part of its own findings (docs/kubernetes.md §10 row 39).
    if (before.some(({ code }) => code === 'NamespaceHeldByOwnFinalizer')) return [];
    const found = judge(tracked, object);
    if (found === undefined) return [];
    const { severity = usualSeverity(found.code) } = found;
    // The namespace controller deletes it in the background (docs/kubernetes.md §4.2).
    const isEnded = severity === 'error' && namespaceGoing(tracked, object) !== '';
    return [isEnded ? { ...found, severity: 'warning' } : found];
  },
};

function judge(tracked: TrackedView, object: KubeObject): FindingDraft | undefined {
  const at = foregroundCase(tracked, object);
  if (at === undefined) return undefined;
  const { hold } = at.decided;
  switch (hold.by) {
    case 'cycle':
      return cycleDeadlock(at, hold);
    case 'itself':
      return selfOwnerDeadlock(at);
    case 'uncollected':
      if (hold.because === 'clusterScope') return blockedByClusterScopedDependent(at, hold);
      return hold.because === 'unresolvable'
        ? blockedByUnresolvableOwner(at, hold)
        : staleForeground(at, hold);
    case 'collector':
    case 'alive':
      return reportRecreation(at) ?? staleForeground(at, hold);
    case 'kubelet':
      // Without its kubelet a pod stays, recreated or not.
      return hold.state === 'grace' || hold.state === 'ready' ? reportRecreation(at) : undefined;
    case 'apiServer':
    // The path was too long to follow.
    case 'dependent':
      return reportRecreation(at);
    case 'admission':
      return undefined;
    case 'user': {
      // A pod that owns the claim it mounts has its own finding (docs/kubernetes.md §10 row 7).
      const end = at.path.at(-1)?.hold;
      const inCycle = end?.by === 'cycle' && end.members.some(({ uid }) => uid === object.uid);
      return inCycle ? undefined : blockedByFinalizer(at);
    }
    case 'finalizer':
    case 'claim':
    case 'content':
    case 'instance':
    case 'unseenClaim':
    case 'unseen':
    case 'discovery':
      return blockedByFinalizer(at);
  }
}

/** Expects `at.decided` to be a hold with a finalizer. */
function blockedByFinalizer(at: ForegroundCase): FindingDraft {
  const { tracked, object, decided, path } = at;
  const handler =
    decided.hold.by === 'finalizer'
      ? finalizerHandler(tracked, decided.object, { finalizer: finalizerOf(decided) })
      : undefined;
  const finalizer = handler?.finalizer ?? finalizerOf(decided);
  const deadlock = path.at(-1)?.hold.by === 'cycle';
  const severity = severityOf(at, handler, deadlock);
  const others = at.stuck.length > 1 ? `, and ${objectTitleIn(decided.object, object.namespace)}` : ', which';
  const reason = held(decided, { object, handler, deadlock });
  return {
    ...onCase(at),
    code: 'ForegroundBlockedByFinalizer',
    severity,
    message: `${lead(at, severity !== 'info' && isStuck(handler))} ${way(at)}${others} ${reason}.`,
    brief: `waits for ${decided.object.name}: ${finalizer}`,
    evidence: [
      ...wayEvidence(at),
      ...evidenceOn(decided.object, ...deletionEvidence(decided.object)),
      ...(handler?.evidence ?? []),
    ],
    ...(leadsOn(decided.hold) ? { related: relatedOf(at, decided.hold.object) } : {}),
    certainty: handler?.presence === 'unknown' ? 'assumed' : 'exact',
    remedies: () => remedies(at, handler),
  };
}

function finalizerOf({ hold }: HoldStep): string {
  return hold.by === 'cycle' ? '' : hold.finalizer;
}

function severityOf(
  { tracked, since }: ForegroundCase,
  handler: Handler | undefined,
  deadlock: boolean,
): Severity {
  if (deadlock || handler?.presence === 'absent') return 'error';
  if (!tracked.lasted(since, patience.usual)) return 'info';
  if (handler === undefined || handler.presence === 'present') return 'warning';
  // No handler can be seen, but a known controller may well run unseen.
  return handler.presence === 'unknown' && handler.entry !== undefined ? 'warning' : 'error';
}

function isStuck(handler: Handler | undefined): boolean {
  return handler === undefined || !mayAct(handler) || handler.waits?.cycle !== undefined;
}

interface HoldContext {
  readonly object: KubeObject;
  readonly handler: Handler | undefined;
  readonly deadlock: boolean;
}

function held({ hold }: HoldStep, { object, handler, deadlock }: HoldContext): string {
  if (handler !== undefined) return `is held by the finalizer ${handler.finalizer}, and ${handler.words}`;
  if (hold.by === 'cycle') return '';
  const by = ` (finalizer ${hold.finalizer})`;
  if (leadsOn(hold)) {
    const next = objectTitleIn(hold.object, object.namespace);
    const going = isDeleting(hold.object) ? '' : ', which nothing deletes';
    switch (hold.by) {
      case 'user':
        return deadlock
          ? `is in use by ${next}${by}, which in turn waits for it: a deadlock`
          : `is in use by ${next}${by}${going}`;
      case 'claim':
        return `is bound to ${next}${by}${going}`;
      case 'content':
        return `still contains ${next}${by}`;
      case 'instance':
        return `still has the instance ${next}${by}`;
      case 'dependent':
        return `waits for ${next}`;
    }
  }
  return `is held by the finalizer ${hold.finalizer}`;
}

function remedies(
  { tracked, object, stuck, decided }: ForegroundCase,
  handler: Handler | undefined,
): OfferedRemedy[] {
  const elsewhere =
    handler === undefined
      ? [advice('free-dependent', `free ${decided.object.name} first: everything follows`)]
      : handlerAdvice(handler);
  const byHand =
    // Removing the same finalizer from the object itself would be a second remedy with the same name.
    handler === undefined || object.finalizers.includes(handler.finalizer)
      ? []
      : removal(tracked, decided.object, handler);
  const first = handler?.nothingLeft === undefined ? [] : byHand;
  return [
    ...elsewhere,
    ...first,
    ...stuck.slice(0, OFFERED).map(dependent => clearBlock(tracked, object, dependent)),
    ...(stuck.length > 1 ? [redelete(object, 'background')] : []),
    ...(first.length === 0 ? byHand : []),
  ];
}

/** Limits how many blocking dependents get a remedy each. */
const OFFERED = 5;
