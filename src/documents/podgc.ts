/** The PodGCCandidateList document (docs/documents.md): pods that PodGC takes, by rule and time, and why not others. */
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
  /** Omitted for an unscheduled pod; without a uid if the node doesn't exist. */
  readonly node?: ObjectRef;
  readonly rule: PodGcRule;
  readonly due: 'now' | 'at' | 'no';
  /** Estimate in RFC 3339; only with `due: at`. */
  readonly dueAt?: string;
  /** Latest time in RFC 3339. */
  readonly dueBy?: string;
  /** Set if that is long over: kube-controller-manager is away, or its requests are refused. */
  readonly overdue?: boolean;
  /** Set with `due: no` if the deciding objects cannot be seen. */
  readonly unknown?: boolean;
  /** Set if the node isn't listed and no look-up confirmed its deletion. */
  readonly assumed?: boolean;
  readonly because: string;
  readonly conditionAdded?: string;
  readonly heldBy: readonly string[];
}

export interface PodGcNodeDocument {
  readonly node: ObjectRef;
  readonly state: NodeOutlook['state'];
  readonly pods: number;
  readonly deleting: number;
  /** Pods that the NoExecute taint out-of-service evicts or is evicting, for a node that isn't ready. */
  readonly evictable?: readonly ObjectRef[];
}

/** State of kube-controller-manager's lease. Times are RFC 3339. */
export interface PodGcManagerDocument {
  readonly holder?: string;
  /** Start of its run; quarantines begin after it. */
  readonly startedAt?: string;
  readonly renewedAt: string;
  /** Set if it wasn't renewed for long: PodGC is idle, unless the manager runs without leader election. */
  readonly away: boolean;
}

export interface PodGcCandidateListDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'PodGCCandidateList';
  readonly basis: Basis;
  readonly threshold: number;
  /** Set if the threshold is unknown, so the default is used. */
  readonly thresholdAssumed: boolean;
  readonly thresholdFrom: PodGcSettings['thresholdFrom'];
  readonly switchedOffBy?: string;
  readonly terminatedPods: number;
  readonly rulesOf: string;
  readonly items: readonly PodGcCandidateDocument[];
  readonly firstToGo: readonly ObjectRef[];
  readonly nodes: readonly PodGcNodeDocument[];
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
