/** The PodGCCandidateList document (docs/documents.md): pods that PodGC deletes, by rule and time, and why not others. */
import { identityOfObject } from '../../graph/index.ts';
import type { KubeObject } from '../../model/index.ts';
import {
  type ManagerRun,
  type NodeOutlook,
  OutlookReason,
  type PodGcSurvey,
  type PodOutlook,
} from '../../podgc/index.ts';
import { podGcWords, timeText } from '../../text/index.ts';
import { API_VERSION, definedFields, objectRef, optionalTime } from './basis.ts';
import type { Basis, ManagerLease, ObjectRef, PodGCCandidate, PodGCCandidateList } from './definitions.ts';

export interface PodGcAnswer {
  readonly survey: PodGcSurvey;
  readonly items: readonly PodOutlook[];
  readonly nodes: readonly NodeOutlook[];
}

const FIRST_TO_GO = 10;

export function podGcDocument(basis: Basis, answer: PodGcAnswer): PodGCCandidateList {
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
    nodes: answer.nodes.flatMap(({ name, state, pods, evictable }) => {
      const deleting = pods.filter(({ deletionTimestamp }) => deletionTimestamp !== undefined).length;
      if (state === 'Ready') return [];
      const numbers = { pods: pods.length, deleting };
      return definedFields({ node: node(name), state, ...numbers, evictable: evictable?.map(refOf) });
    }),
    ...(manager.renewedAt !== undefined && { manager: leaseOf(manager, manager.renewedAt) }),
  };
}

function leaseOf({ holder, startedAt, isAway }: ManagerRun, renewedAt: number): ManagerLease {
  return definedFields({
    holder: holder === '' ? undefined : holder,
    startedAt: optionalTime(startedAt),
    renewedAt: timeText.timestamp(renewedAt),
    away: isAway,
  });
}

function candidate(outlook: PodOutlook, node: (name: string) => ObjectRef): PodGCCandidate {
  const { pod, nodeName, rule, due, reason, conditionAdded, heldBy } = outlook;
  return {
    pod: refOf(pod),
    ...(nodeName === '' ? {} : { node: node(nodeName) }),
    rule,
    due: due.when === 'overdue' ? 'now' : due.when,
    ...(due.when === 'at' ? { dueAt: timeText.timestamp(due.at) } : {}),
    ...(due.when === 'no' ? {} : { dueBy: timeText.timestamp(due.by) }),
    ...(due.when === 'overdue' ? { overdue: true } : {}),
    ...(OutlookReason.isUncertain(reason) ? { unknown: true } : {}),
    ...(reason.kind === 'NodeGone' && reason.unconfirmed ? { assumed: true } : {}),
    because: podGcWords.because(outlook),
    ...(conditionAdded === undefined ? {} : { conditionAdded }),
    heldBy,
  };
}

function refOf(object: KubeObject): ObjectRef {
  return objectRef(identityOfObject(object));
}
