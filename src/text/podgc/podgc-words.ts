/** PodGC's decisions in sanitised words, for table, document and screen: time, rule, and the reason a pod stays. */

import {
  counted,
  enumerated,
  formatCount,
  type KubeObject,
  objectTitle,
  showHidden,
} from '../../model/index.ts';
import {
  type Beyond,
  KubeletState,
  type ManagerState,
  type NodeOutlook,
  OutlookReason,
  type PodGcRule,
  type PodGcRules,
  type PodGcSurvey,
  type PodOutlook,
} from '../../podgc/index.ts';
import { timeText } from '../terminal/age.ts';
import type { Style } from '../terminal/style.ts';

const ruleMeanings: Readonly<Record<PodGcRule, string>> = {
  Terminated: 'finished pods beyond the threshold',
  OutOfService: 'deleting, on a node that is not ready and tainted out-of-service',
  Orphaned: 'bound to a node that does not exist',
  UnscheduledTerminating: 'deleting, without ever having had a node',
};

/** Milliseconds up to which an estimate counts as exact. */
const EXACT_MS = 5_000;

/** Returns a cell: `now`, `in 31s`, `in ~31s` for a wide span, `overdue`, `no`, `unknown`. */
function dueWords({ due, reason }: Pick<PodOutlook, 'due' | 'reason'>, now: number): string {
  switch (due.when) {
    case 'now':
      return 'now';
    case 'at':
      if (due.at <= now) return 'now';
      return `in ${due.by - due.from > EXACT_MS ? '~' : ''}${waitWords(due.at - now)}`;
    case 'overdue':
      return 'overdue';
    case 'no':
      return OutlookReason.isUncertain(reason) ? 'unknown' : 'no';
  }
}

/** Like `dueWords` for lines that stay: `~12:00:31Z`. */
export function dueClock({ due, reason }: Pick<PodOutlook, 'due' | 'reason'>): string {
  if (due.when !== 'at') return due.when === 'no' && OutlookReason.isUncertain(reason) ? 'unknown' : due.when;
  return `${due.by - due.from > EXACT_MS ? '~' : ''}${clock(due.at)}`;
}

/** Like `dueWords` for a countdown: `in <14s` is the next cycle. */
function countdownWords(outlook: Pick<PodOutlook, 'due' | 'reason'>, now: number): string {
  const { due, reason } = outlook;
  if (reason.kind === 'Taken' && due.when === 'now') return 'again';
  return due.when === 'now' && due.by > now ? `in <${waitWords(due.by - now)}` : dueWords(outlook, now);
}

const dueStyles: Readonly<Record<PodOutlook['due']['when'], Style>> = {
  now: 'warning',
  at: 'info',
  overdue: 'danger',
  no: 'muted',
};

/** Rounds up, so that a countdown of more than a minute changes once a minute. */
function waitWords(milliseconds: number): string {
  const step = milliseconds > 60_000 ? 60_000 : 1_000;
  return timeText.duration(Math.max(0, Math.ceil(milliseconds / step) * step));
}

const overdueWords: Readonly<Record<ManagerState, string>> = {
  runs: 'kube-controller-manager runs, so its requests are refused or late',
  away: 'kube-controller-manager is away',
  unknown: 'kube-controller-manager is away or its requests are refused',
};

/** Returns the reason in one clause, with what holds the pod afterwards. */
function becauseWords(outlook: PodOutlook): string {
  const { due, heldBy, reason } = outlook;
  const late =
    due.when === 'overdue' ? `should be gone since ${clock(due.by)}: ${overdueWords[due.manager]}; ` : '';
  const held =
    due.when === 'no' || reason.kind === 'Taken' || heldBy.length === 0
      ? ''
      : `; held by ${heldBy.join(', ')} ${reason.kind === 'NodeGone' ? 'after that' : 'afterwards'}`;
  return showHidden(`${late}${cause(outlook)}${held}`);
}

function cause({ due, reason, nodeName, heldBy }: PodOutlook): string {
  switch (reason.kind) {
    case 'OverThreshold':
      return beyondLimit(reason);
    case 'NodeOutOfService':
      return `${nodeName} not ready, tainted out-of-service`;
    case 'NodeGone':
      return goneWords(nodeName, reason);
    case 'NeverScheduled':
      return 'deleted before it was scheduled';
    case 'Taken': {
      const place = reason.beyond === undefined ? '' : `${beyondLimit(reason.beyond)}: `;
      const again = due.when === 'no' ? '' : '; PodGC tries again';
      const held = heldBy.length === 0 ? '' : `; held by ${heldBy.join(', ')}`;
      return `${place}already deleted without grace${again}${held}`;
    }
    case 'NotTainted':
      return `${nodeName} not ready, but not tainted out-of-service`;
    case 'TaintedButReady':
      return `${nodeName} tainted out-of-service, but ready, so that its kubelet ends the pod`;
    case 'NotDeleting':
      return `${nodeName} ${reason.nodeState === 'OutOfService' ? 'out of service' : 'not ready'}, but the pod is not being deleted`;
    case 'NodeReady':
      return `${nodeName} is ready: its kubelet ends the pod, not PodGC`;
    case 'PodsUnseen':
      return "finished; not all pods can be seen, so whether it is beyond the threshold isn't known";
    case 'BelowThreshold':
      return 'finished, and not beyond the threshold';
    case 'LimitOff':
      return 'finished, and there is no threshold';
    case 'NodesUnseen':
      return `nodes cannot be seen, so whether ${nodeName} is there and ready isn't known`;
    case 'RuleUnknownToServer':
      return `${nodeName} not ready, tainted out-of-service, which this server's version ignores`;
    case 'WaitsForNode':
      return 'waits for a node, and is not being deleted';
    case 'Live':
      return `not finished, not being deleted, and ${nodeName} exists`;
  }
}

function beyondLimit({ place, surplus, tied, partial }: Beyond): string {
  if (partial) return `one of at least ${counted(surplus, 'finished pod')} beyond the threshold`;
  if (tied)
    return `one of ${counted(surplus, 'finished pod')} beyond the threshold, or another one of its name and age in its place`;
  return `number ${formatCount(place)} of ${counted(surplus, 'finished pod')} beyond the threshold`;
}

/** Milliseconds that a watch may lag. */
const WATCHED_MS = 2_000;

function goneWords(nodeName: string, reason: Extract<PodOutlook['reason'], { kind: 'NodeGone' }>): string {
  const { removal, quarantine, restarted, unconfirmed } = reason;
  const { seen } = removal;
  const doubt = unconfirmed ? ' (assumed: it is not listed, and no look-up has confirmed it yet)' : '';
  if (quarantine === 0) return `${nodeName} is gone${doubt}`;
  const seconds = `${quarantine / 1000}s quarantine`;
  // Events are written after the fact.
  const latest = removal.by - removal.from > WATCHED_MS ? ' at the latest' : '';
  const gone = seen ? `gone since ${clock(removal.by)}${latest}` : `does not exist${doubt}`;
  if (restarted !== undefined)
    return `${nodeName} ${gone}; ${seconds} anew, as kube-controller-manager started at ${clock(restarted)}`;
  return seen
    ? `${nodeName} ${gone}; ${seconds} from PodGC's next cycle on`
    : `${nodeName} ${gone}; it was not seen since when its ${seconds} runs`;
}

function clock(milliseconds: number): string {
  return timeText.timestamp(milliseconds).replace(/^.*T/u, '');
}

type LimitFacts = Pick<PodGcSurvey, 'finished' | 'thresholdFrom' | 'sees'>;

/** Returns `118 of 12,500 finished pods (default threshold assumed)`. `where` follows the pods. */
function limitWords(
  { finished, thresholdFrom, sees }: LimitFacts,
  {
    where = '',
    note = 'default threshold assumed',
  }: { readonly where?: string; readonly note?: string } = {},
): string {
  const { count, threshold, surplusCount } = finished;
  const least = sees.pods ? '' : 'at least ';
  const pods = `${least}${counted(count, 'finished pod')}${where}`;
  const said =
    thresholdFrom === 'given'
      ? ''
      : ` (${thresholdFrom === 'assumed' ? note : 'as kube-controller-manager was started'})`;
  if (threshold <= 0) return pods;
  if (surplusCount > 0) return `${pods} where ${formatCount(threshold)} are kept${said}`;
  return `${least}${formatCount(count)} of ${counted(threshold, 'finished pod')}${where}${said}`;
}

/** Returns `Terminated: 118 of 12,500 finished pods (default threshold assumed); none due.` */
function limitSentence(limit: LimitFacts): string {
  const { threshold, surplusCount } = limit.finished;
  const due =
    threshold <= 0
      ? `no limit (threshold ${threshold}), so none is due`
      : surplusCount > 0
        ? `${formatCount(surplusCount)} due`
        : limit.sees.pods
          ? 'none due'
          : 'none due that can be seen';
  return `Terminated: ${limitWords(limit)}; ${due}.`;
}

const NAMED = 3;

/** Names the next pods to be deleted; `''` if none has finished, or if some are due already. */
function nextToGoSentence({ finished, sees }: LimitFacts): string {
  const { count, threshold } = finished;
  if (threshold <= 0 || finished.surplusCount > 0) return '';
  const { pods, heldBefore } = finished.inLine(NAMED);
  if (pods.length === 0) return '';
  const left = threshold - count + heldBefore;
  const room =
    left === 0
      ? 'When the next one finishes, one is deleted'
      : `${sees.pods ? '' : 'At most '}${formatCount(left)} more may finish before one is deleted`;
  return showHidden(
    `${room}; first in line${sees.pods ? '' : ' of those that can be seen'}: ${someNames(pods, count - heldBefore)}.`,
  );
}

function noneSentence(where: string, { nodes, pods }: PodGcSurvey['sees']): string {
  return nodes && pods
    ? showHidden(`PodGC deletes no pod${where}, and none looks as if it would.`)
    : showHidden(`PodGC deletes no pod${where} as far as can be seen: some objects cannot be.`);
}

/** Names the rules' release if it is assumed; otherwise `''`. */
function rulesSentence(rules: PodGcRules, serverVersion: string | undefined): string {
  if (rules.assumed && serverVersion === undefined)
    return `The server's version isn't known: the rules of v${rules.version} are taken.`;
  if (rules.assumed)
    return showHidden(`${serverVersion} isn't known to this tool: the rules of v${rules.version} are taken.`);
  return '';
}

/** Describes flags that stop PodGC, or a lease that suggests the manager is down. `now`: epoch milliseconds. */
function managerSentence(
  { manager, switchedOff }: Pick<PodGcSurvey, 'manager' | 'switchedOff'>,
  now: number,
): string {
  if (switchedOff !== undefined)
    return showHidden(
      `PodGC is switched off, and deletes nothing: ${objectTitle(switchedOff.pod)} runs with ${switchedOff.flag}.`,
    );
  const { isAway, holder, renewedAt = now } = manager;
  if (!isAway) return '';
  const ago = timeText.duration(Math.max(0, now - renewedAt));
  return holder === ''
    ? `kube-controller-manager gave up its lease ${ago} ago, and none holds it since: PodGC deletes nothing until one runs, and every quarantine begins anew.`
    : `kube-controller-manager last renewed its lease ${ago} ago. Unless it runs without leader election it is away: then PodGC deletes nothing until it is back, and every quarantine begins anew.`;
}

/**
 * Predicts the taint's effect on a node that isn't ready, or returns `''`:
 * `node-5 is not ready: tainted out-of-service, PodGC would delete 1 pod at once, and 12 more would be evicted: …`.
 */
function nodeSentence({ name, state, node, pods, evictable = [] }: NodeOutlook): string {
  const deleting = pods.filter(({ deletionTimestamp }) => deletionTimestamp !== undefined).length;
  const staying = pods.length - deleting - evictable.length;
  const names = evictable.length === 0 ? '' : `: ${someNames(evictable)}`;
  const tolerant = staying === 0 ? '' : `; ${staying} ${staying === 1 ? 'tolerates' : 'tolerate'} it`;
  switch (state) {
    case 'NotReady': {
      const taken = deleting === 0 ? [] : [`PodGC would delete ${counted(deleting, 'terminating pod')}`];
      const other = deleting === 0 ? 'pod' : 'other pod';
      const evicted =
        evictable.length === 0 ? [] : [`${counted(evictable.length, other)} would be evicted${names}`];
      const what = [...taken, ...evicted];
      if (what.length === 0) return '';
      if (node !== undefined && KubeletState.of(node) === 'Reports')
        return showHidden(
          `${name} is not ready, and its kubelet says so itself: its machine runs, and may end its pods yet. The taint out-of-service would be untrue: ${what.join(', and ')}${tolerant}, while they may still run.`,
        );
      return showHidden(
        `${name} is not ready. If it were tainted out-of-service, ${what.join(', and ')}${tolerant}.`,
      );
    }
    case 'OutOfService':
      return evictable.length === 0
        ? ''
        : showHidden(
            `${name} is out of service: ${counted(evictable.length, 'pod')} more would be evicted if the taint's effect is NoExecute${names}${tolerant}.`,
          );
    case 'TaintedButReady':
      return showHidden(
        `${name} is tainted out-of-service, but ready: PodGC deletes nothing from it. Is it really off?`,
      );
    case 'Missing':
    case 'Ready':
      return '';
  }
}

function someNames(pods: readonly KubeObject[], count = pods.length): string {
  const names = pods.slice(0, NAMED).map(({ namespace, name }) => `${namespace}/${name}`);
  return count > NAMED ? `${names.join(', ')} and ${formatCount(count - NAMED)} more` : enumerated(names);
}

const NODES_UNSEEN =
  'Not all nodes can be seen, so pods on nodes that are gone or out of service may be missing here.';

const nodeStateWords: Readonly<Record<NodeOutlook['state'], string>> = {
  Ready: 'ready',
  NotReady: 'not ready',
  OutOfService: 'not ready, tainted out-of-service',
  TaintedButReady: 'ready, tainted out-of-service',
  Missing: 'gone',
};

export const podGcWords = {
  because: becauseWords,
  manager: managerSentence,
  nodesUnseen: NODES_UNSEEN,
  rules: rulesSentence,
  dueStyles,
  limit: limitSentence,
  nextToGo: nextToGoSentence,
  node: nodeSentence,
  nodeStates: nodeStateWords,
  wait: waitWords,
  countdown: countdownWords,
  due: dueWords,
  shortLimit: limitWords,
  ruleMeanings,
  none: noneSentence,
};
