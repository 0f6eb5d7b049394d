/**
 * Controllers that delete objects by age or number, regardless of owners. A forecast ends when nothing moves, so later
 * deletions aren't in it.
 * Sources (v1.36): pkg/controller/ttlafterfinished, which deletes in the foreground; cleanupFinishedJobs in
 * pkg/controller/cronjob/cronjob_controllerv2.go; pkg/controller/certificates/cleaner; pkg/controller/resourcepoolstatusrequest;
 * pkg/controller/bootstrap/tokencleaner.go; pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go.
 */
import type { ClusterView, Identity } from '../graph/index.ts';
import {
  BuiltInKind,
  controllerOf,
  isoTime,
  type KubeObject,
  Labels,
  objectTitleIn,
  type WorkloadFacts,
  workloadFacts,
} from '../model/index.ts';

export interface LaterDeletion {
  /** `the TTL-after-finished controller` */
  readonly by: string;
  /** Follows `is deleted`: `at 2026-11-23T11:00:00Z`, `once 2 more Jobs of it have succeeded`. */
  readonly when: string;
  /** A clause: `it finished at …, and spec.ttlSecondsAfterFinished is 7200`. */
  readonly because: string;
}

const HOUR = 3_600_000;
const LEGACY_TOKEN_INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
/** Days: LegacyServiceAccountTokenCleanUpPeriod, the default of kube-controller-manager. */
const LEGACY_TOKEN_DAYS = 365;

/** Returns the later deletion; undefined if it is being deleted already or never cleaned up. */
function laterDeletion(view: ClusterView, object: KubeObject): LaterDeletion | undefined {
  if (object.deletionTimestamp !== undefined) return undefined;
  const { group, kind } = object.type;
  if (group === 'batch' && kind === 'Job') return ofJob(view, object);
  if (group === 'certificates.k8s.io' && kind === 'CertificateSigningRequest') return ofRequest(object);
  if (group === 'certificates.k8s.io' && kind === 'PodCertificateRequest') return ofPodRequest(object);
  if (group === 'resource.k8s.io' && kind === 'ResourcePoolStatusRequest') return ofPoolRequest(object);
  return group === '' && kind === 'Secret' ? ofToken(object) : undefined;
}

function ofJob(view: ClusterView, job: KubeObject): LaterDeletion | undefined {
  const facts = workloadFacts(job);
  if (facts === undefined) return undefined;
  return byTtl(facts) ?? byHistory(view, job, facts);
}

interface JobEnd {
  readonly type: string;
  readonly at: number;
}

function endOfJob({ conditions }: WorkloadFacts): JobEnd | undefined {
  const end = conditions.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  return end?.since === undefined ? undefined : { type: end.type, at: end.since };
}

/** Returns when the TTL-after-finished controller deletes a Job; undefined if unfinished or without a TTL. */
function expiryOf(
  facts: WorkloadFacts,
): { readonly end: JobEnd; readonly ttl: number; readonly at: number } | undefined {
  const ttl = facts.ttlSecondsAfterFinished;
  const end = endOfJob(facts);
  return ttl === undefined || end === undefined ? undefined : { end, ttl, at: end.at + ttl * 1000 };
}

function byTtl(facts: WorkloadFacts): LaterDeletion | undefined {
  const ttl = facts.ttlSecondsAfterFinished;
  if (ttl === undefined) return undefined;
  const expiry = expiryOf(facts);
  const by = 'the TTL-after-finished controller';
  const field = `spec.ttlSecondsAfterFinished is ${ttl}`;
  return expiry === undefined
    ? { by, when: `${ttl} s after it has finished`, because: field }
    : {
        by,
        when: `at ${isoTime(expiry.at)}, in the foreground`,
        because: `it finished at ${isoTime(expiry.end.at)}, and ${field}`,
      };
}

/** A CronJob keeps a number of succeeded and of failed Jobs, and deletes the oldest first. */
function byHistory(view: ClusterView, job: KubeObject, facts: WorkloadFacts): LaterDeletion | undefined {
  const controller = controllerOf(job);
  const cronJob = controller && view.graph.get(controller.uid);
  const limits = cronJob?.object && workloadFacts(cronJob.object);
  const end = endOfJob(facts);
  if (cronJob?.object === undefined || limits === undefined || end === undefined) return undefined;
  if (BuiltInKind.of(cronJob.object.type) !== 'CronJob') return undefined;
  const succeeded = end.type === 'Complete';
  const name = succeeded ? 'successfulJobsHistoryLimit' : 'failedJobsHistoryLimit';
  const limit = limits[name];
  const field = `spec.${name} of ${objectTitleIn(cronJob.identity, job.namespace)} is ${limit}`;
  const newer = [...cronJob.dependents].filter(
    ({ object }) => object !== undefined && hasEndedSo(object, end.type) && isNewer(object, job),
  ).length;
  const left = limit - newer;
  const one = left === 1;
  return {
    by: 'the CronJob controller',
    when:
      left <= 0
        ? 'when that looks at its CronJob next'
        : `once ${one ? 'another Job' : `${left} more Jobs`} of it ${one ? 'has' : 'have'} ${succeeded ? 'succeeded' : 'failed'}`,
    because: `${field}, and ${newer === 0 ? 'none of these is newer' : `${newer} of these ${newer === 1 ? 'is' : 'are'} newer`}`,
  };
}

function hasEndedSo(object: KubeObject, type: string): boolean {
  const facts = workloadFacts(object);
  return facts !== undefined && endOfJob(facts)?.type === type;
}

/** The controller uses status.startTime, within a second of the creation unless the Job was suspended. */
function isNewer(object: KubeObject, than: KubeObject): boolean {
  return object.creationTimestamp === than.creationTimestamp
    ? object.name > than.name
    : object.creationTimestamp > than.creationTimestamp;
}

function ofRequest({ creationTimestamp }: KubeObject): LaterDeletion | undefined {
  if (creationTimestamp === 0) return undefined;
  const after = (hours: number): string => isoTime(creationTimestamp + hours * HOUR);
  return {
    by: 'the certificate cleaner',
    when: `between ${after(1)} and ${after(24)}`,
    because: 'it keeps requests that were approved or denied for 1 h and those that wait for 24 h',
  };
}

function ofPodRequest({ creationTimestamp }: KubeObject): LaterDeletion | undefined {
  if (creationTimestamp === 0) return undefined;
  return {
    by: 'the cleaner of PodCertificateRequests',
    when: `within 5 minutes of ${isoTime(creationTimestamp + HOUR / 4)}`,
    because: 'it keeps such requests for 15 minutes',
  };
}

function ofPoolRequest({ creationTimestamp }: KubeObject): LaterDeletion | undefined {
  if (creationTimestamp === 0) return undefined;
  return {
    by: 'the controller of ResourcePoolStatusRequests',
    when: `1 h after its completion, or at ${isoTime(creationTimestamp + 24 * HOUR)} without one`,
    because: 'it keeps completed requests for 1 h and others for 24 h',
  };
}

/**
 * Assumes type kubernetes.io/service-account-token, which isn't read (tokens_controller.go in
 * pkg/controller/serviceaccount; IsServiceAccountToken in
 * staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount/util.go).
 */
export function mayBeTokenOf(
  { namespace, annotations }: KubeObject,
  account: Pick<Identity, 'namespace' | 'name' | 'uid'>,
): boolean {
  const uid = Labels.value(annotations, 'kubernetes.io/service-account.uid') ?? '';
  return (
    namespace === account.namespace &&
    Labels.value(annotations, 'kubernetes.io/service-account.name') === account.name &&
    (uid === '' || uid === account.uid)
  );
}

function ofToken({ namespace, name, labels }: KubeObject): LaterDeletion | undefined {
  if (namespace === 'kube-system' && name.startsWith('bootstrap-token-'))
    return {
      by: 'the token cleaner',
      when: 'after the expiration in its data, if it has one',
      because:
        'it is a bootstrap token, whose data is not read; kube-controller-manager runs that cleaner only if its flags enable it, as kubeadm does',
    };
  const since = Labels.value(labels, LEGACY_TOKEN_INVALID_SINCE);
  if (since === undefined) return undefined;
  return {
    by: 'the legacy ServiceAccount token cleaner',
    when: `about ${LEGACY_TOKEN_DAYS} days after ${since}`,
    because: `it has the label ${LEGACY_TOKEN_INVALID_SINCE}, and the token has not been used`,
  };
}

export const otherDeleters = { later: laterDeletion, expiry: expiryOf };
