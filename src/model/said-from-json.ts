/** Reasons why an object doesn't finish, in its own words. A condition's type decides if its status is good. */

import { reportOf } from './facts/custom-state.ts';
import type { Condition } from './facts/facts.ts';
import { integer, type JsonRecord, list, record, text, time } from './json/json.ts';
import type { Said } from './said.ts';
import { credentials } from './text/credentials.ts';
import { prose } from './text/shown.ts';

const MOST = 5;
const LONGEST = 1_000;

/** Returns reports from an object as the API server has it: failures first, then the newest. */
function saidIn(object: JsonRecord): readonly Said[] {
  const status = record(object['status']);
  const { generation, deletionTimestamp } = record(object['metadata']);
  const [newest = 0, deletedAt = Infinity] = [integer(generation), time(deletionTimestamp)];
  // A deletion counts as a generation (apiserver pkg/registry/rest/delete.go, BeforeDelete, v0.36).
  const current = deletedAt === Infinity ? newest : newest - 1;
  const dated = (said: readonly Said[], { observedGeneration = status['observedGeneration'] }: JsonRecord) =>
    said.map((each): Said => {
      const isOlder = (integer(observedGeneration) ?? current) < current;
      return isOlder && (each.at ?? 0) < deletedAt ? { ...each, outdated: true } : each;
    });
  return mostTelling([
    ...dated(errorsIn(status), status),
    // Cluster API keeps conditions of its next version here for a while.
    ...[status, record(status['v1beta2'])]
      .flatMap(each => list(each['conditions']).map(record))
      .flatMap(each => dated(fromJson(each), each)),
  ]);
}

function saidBy(conditions: readonly Condition[]): readonly Said[] {
  return mostTelling(conditions.flatMap(saidByCondition));
}

function mostTelling(found: readonly Said[]): readonly Said[] {
  return found
    .filter(
      ({ type, message }, index) =>
        index === found.findIndex(each => each.type === type && each.message === message),
    )
    .sort((a, b) => Number(b.failing) - Number(a.failing) || (b.at ?? 0) - (a.at ?? 0))
    .slice(0, MOST);
}

export function quotable(message: string): string {
  const whole = credentials.removed(prose(message)).trim();
  return whole.length <= LONGEST ? whole : `${whole.slice(0, LONGEST)}…`;
}

const failedPhases: ReadonlySet<string> = new Set(['failed', 'error', 'errored']);

const errorFields = [
  'attachError',
  'detachError',
  'error',
  'errors',
  'errorMessage',
  'lastError',
  'lastErrors',
] as const;

function errorsIn(status: JsonRecord): Said[] {
  const found: Said[] = [];
  const add = (type: string, said: Pick<Said, 'reason' | 'message' | 'at'> & Partial<Said>): void => {
    if (said.message !== '' || said.reason !== '')
      found.push({ from: 'error', type, status: '', failing: true, ...said });
  };
  // VolumeAttachments and snapshots of volumes have the first three; others have a text, or a list.
  for (const type of errorFields)
    for (const value of [status[type]].flat()) {
      const error = record(value);
      const message = quotable(text(value) || text(error['message']) || text(error['description']));
      add(type, { reason: '', message, at: time(error['time']) ?? time(error['lastUpdateTime']) });
    }
  // PersistentVolumes and many custom resources have a phase; cert-manager's Challenge and others have a `state`.
  const phases = ['phase', 'state'].filter(type => text(status[type]) !== '');
  for (const type of phases) {
    const phase = text(status[type]);
    const [reason, message] = [quotable(text(status['reason'])), quotable(sentences(status['message']))];
    const failing = failedPhases.has(phase.toLowerCase()) || trouble.test(`${spaced(reason)} ${message}`);
    const at = time(status['lastPhaseTransitionTime']);
    const words =
      message === '' && reason.includes(' ') ? { reason: '', message: reason } : { reason, message };
    add(type, { status: quotable(phase), ...words, at, failing });
  }
  // CloudNativePG's Databases have only these.
  if (phases.length === 0) {
    const failed = ['applied', 'ready'].find(type => status[type] === false);
    const message = quotable(text(status['message']));
    if (failed !== undefined) add(failed, { status: 'false', reason: '', message, at: undefined });
  }
  // An Argo CD Application records its last sync or deletion here.
  const operation = record(status['operationState']);
  if (failedPhases.has(text(operation['phase']).toLowerCase())) {
    const message = quotable(text(operation['message']));
    const at = time(operation['finishedAt']);
    add('operationState', { status: quotable(text(operation['phase'])), reason: '', message, at });
  }
  // Cluster API's objects have these.
  const reason = quotable(text(status['failureReason']));
  add('failureMessage', { reason, message: quotable(text(status['failureMessage'])), at: undefined });
  return found;
}

/** Joins the messages of operators that list several. */
function sentences(message: unknown): string {
  return Array.isArray(message) ? list(message).map(text).join('; ') : text(message);
}

function fromJson(condition: JsonRecord): Said[] {
  return saidByCondition({
    type: text(condition['type']),
    status: text(condition['status']),
    reason: text(condition['reason']),
    message: text(condition['message']),
    since: time(condition['lastTransitionTime']) ?? time(condition['lastUpdateTime']),
  });
}

function saidByCondition({ status, since: at, ...said }: Condition): Said[] {
  const type = quotable(said.type);
  const reason = quotable(said.reason);
  const message = quotable(said.message);
  const wrong = isWrong(type, status, message);
  if (type === '' || wrong === 'no' || (reason === '' && message === '')) return [];
  // A reason that only says that the object is being deleted explains nothing by itself.
  const failing = going.test(reason)
    ? failure.test(message)
    : wrong === 'yes' || trouble.test(`${spaced(type)} ${spaced(reason)} ${message}`);
  return [{ from: 'condition', type, status: quotable(status), reason, message, at, failing }];
}

function isWrong(type: string, status: string, message: string): 'yes' | 'maybe' | 'no' {
  // Argo CD lists only faults, without a status (argo-cd pkg/apis/application/v1alpha1 ApplicationCondition).
  if (status === '') return type.endsWith('Error') ? 'yes' : 'no';
  const report = reportOf(type);
  if (report === 'failure') return status === 'True' ? 'yes' : 'no';
  if (report === 'state') return status === 'True' && message !== '' ? 'maybe' : 'no';
  // Its agent no longer reports.
  if (status === 'Unknown' && /(?:Ready|Available|Healthy)$/u.test(type)) return 'yes';
  return status === 'True' ? 'no' : 'maybe';
}

function spaced(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/gu, ' ');
}

const going = /^(?:Terminating|Deleting|Deletion(?:InProgress|Started|Triggered)|BeingDeleted)$/u;
const failure = /\b(?:errors?|fail\w*|denied|forbidden|not found|refused|timed out|in use)\b/iu;
const trouble =
  /\b(?:errors?|fail(?:ed|s|ure|ing)?|denied|forbidden|unauthori[sz]ed|invalid|cannot|can't|could not|couldn't|unable|conflict|stuck|blocked|timed out|timeout|exceeded|not found|missing|unavailable|unreachable|refused|stalled|degraded|not empty|in use|not (?:been )?configured|violat\w+|rejected|no such|does not exist|doesn't exist)\b/iu;

export const statementJson = {
  in: saidIn,
  by: saidBy,
  reportOf,
  isFailed: (phase: string): boolean => failedPhases.has(phase.toLowerCase()),
};
