/**
 * The PodGCCandidateList document (docs/documents.md): which pods PodGC takes, by which rule, when, and why not
 * others.
 */
import { identityOfObject } from '../graph/ownership-node.ts';
import type { KubeObject } from '../model/object.ts';
import type { PodGcRule, PodGcSettings } from '../podgc/passes/rules-of-version.ts';
import type { ManagerRun } from '../podgc/survey/manager-run.ts';
import { isUncertain, type PodOutlook } from '../podgc/survey/outlook.ts';
import type { NodeOutlook, PodGcSurvey } from '../podgc/survey/survey.ts';
import { becauseWords } from '../text/podgc/podgc.ts';
import { formatTimestamp } from '../text/terminal/age.ts';
import { API_VERSION, type Basis, type ObjectRef, objectRef } from './basis.ts';

export interface PodGcCandidateDocument {
  readonly pod: ObjectRef;
  /** Left out of a pod that was never bound to one; without a uid where the node doesn't exist. */
  readonly node?: ObjectRef;
  /** The rule that takes the pod; where it isn't due, the one that would be the one to. */
  readonly rule: PodGcRule;
  readonly due: 'now' | 'at' | 'no';
  /** RFC 3339: an estimate, in the span in which PodGC acts. With `due: at` alone. */
  readonly dueAt?: string;
  /** RFC 3339: the latest moment of that span. */
  readonly dueBy?: string;
  /** That moment is long over: kube-controller-manager is away, or its requests are refused. */
  readonly overdue?: boolean;
  /** What decides cannot be seen: with `due: no`, where nobody knows. */
  readonly unknown?: boolean;
  /** Its node isn't among what was listed, and no look-up has confirmed yet that it is gone. */
  readonly assumed?: boolean;
  readonly because: string;
  readonly conditionAdded?: string;
  readonly heldBy: readonly string[];
}

export interface PodGcNodeDocument {
  readonly node: ObjectRef;
  readonly state: NodeOutlook['state'];
  /** Pods that are bound to it. */
  readonly pods: number;
  /** Of these, the ones that are being deleted. */
  readonly deleting: number;
  /** What the taint out-of-service with the effect NoExecute evicts, or has begun to; of a node that isn't ready. */
  readonly evictable?: readonly ObjectRef[];
}

/** What the lease of kube-controller-manager says. Times are RFC 3339. */
export interface PodGcManagerDocument {
  /** Of the replica that runs the controllers; left out where the last one gave the lease up. */
  readonly holder?: string;
  /** Since when it does: every quarantine runs from then on at the earliest. */
  readonly startedAt?: string;
  readonly renewedAt: string;
  /** Nobody has renewed it for long: PodGC takes nothing, unless the manager runs without leader election. */
  readonly away: boolean;
}

export interface PodGcCandidateListDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'PodGCCandidateList';
  readonly basis: Basis;
  readonly threshold: number;
  /** Nobody said what the threshold is, so that the default is taken. */
  readonly thresholdAssumed: boolean;
  readonly thresholdFrom: PodGcSettings['thresholdFrom'];
  /** The flag that keeps PodGC from working; left out where none is known to. */
  readonly switchedOffBy?: string;
  readonly terminatedPods: number;
  /** The rules are those of this minor release. */
  readonly rulesOf: string;
  readonly items: readonly PodGcCandidateDocument[];
  /** Of the finished pods the first that would go, at most ten. */
  readonly firstToGo: readonly ObjectRef[];
  /** Nodes that aren't simply ready. */
  readonly nodes: readonly PodGcNodeDocument[];
  /** Left out where nothing is known of it, and where no pod waits for it. */
  readonly manager?: PodGcManagerDocument;
}

export interface PodGcAnswer {
  readonly survey: PodGcSurvey;
  readonly items: readonly PodOutlook[];
  readonly nodes: readonly NodeOutlook[];
}

const FIRST_TO_GO = 10;

export function podGcDocument(basis: Basis, answer: PodGcAnswer): PodGcCandidateListDocument {
  const { survey } = answer;
  const { finished, thresholdFrom, switchedOff, rules, manager } = survey;
  const node = (name: string): ObjectRef => {
    const known = survey.nodeNamed(name);
    return known === undefined ? { apiVersion: 'v1', kind: 'Node', name } : refOf(known);
  };
  return {
    apiVersion: API_VERSION,
    kind: 'PodGCCandidateList',
    basis,
    threshold: finished.threshold,
    thresholdAssumed: thresholdFrom === 'assumed',
    thresholdFrom,
    ...(switchedOff === undefined ? {} : { switchedOffBy: switchedOff.flag }),
    terminatedPods: finished.count,
    rulesOf: rules.version,
    items: answer.items.map(each => candidate(each, node)),
    firstToGo: finished.inLine(FIRST_TO_GO).pods.map(refOf),
    nodes: answer.nodes.map(({ name, state, pods, evictable }) => ({
      node: node(name),
      state,
      pods: pods.length,
      deleting: pods.filter(({ deletionTimestamp }) => deletionTimestamp !== undefined).length,
      ...(evictable === undefined ? {} : { evictable: evictable.map(refOf) }),
    })),
    ...managerDocument(manager),
  };
}

function managerDocument({ holder, startedAt, renewedAt, isAway }: ManagerRun): {
  readonly manager?: PodGcManagerDocument;
} {
  if (renewedAt === undefined) return {};
  return {
    manager: {
      ...(holder === undefined || holder === '' ? {} : { holder }),
      ...(startedAt === undefined ? {} : { startedAt: formatTimestamp(startedAt) }),
      renewedAt: formatTimestamp(renewedAt),
      away: isAway,
    },
  };
}

function candidate(outlook: PodOutlook, node: (name: string) => ObjectRef): PodGcCandidateDocument {
  const { pod, nodeName, rule, due, reason, conditionAdded, heldBy } = outlook;
  return {
    pod: refOf(pod),
    ...(nodeName === '' ? {} : { node: node(nodeName) }),
    rule,
    due: due.when === 'overdue' ? 'now' : due.when,
    ...(due.when === 'at' ? { dueAt: formatTimestamp(due.at) } : {}),
    ...(due.when === 'no' ? {} : { dueBy: formatTimestamp(due.by) }),
    ...(due.when === 'overdue' ? { overdue: true } : {}),
    ...(isUncertain(reason) ? { unknown: true } : {}),
    ...(reason.kind === 'NodeGone' && reason.unconfirmed ? { assumed: true } : {}),
    because: becauseWords(outlook),
    ...(conditionAdded === undefined ? {} : { conditionAdded }),
    heldBy,
  };
}

function refOf(object: KubeObject): ObjectRef {
  return objectRef(identityOfObject(object));
}
