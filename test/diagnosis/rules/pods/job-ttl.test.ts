import { describe, expect, it } from 'vitest';
import { findings } from '../../subjects.ts';

const job = (condition: string, ttl = 'ttlSecondsAfterFinished: 600, ', more = ''): string =>
  `- {kind: Job, name: import, ${more}spec: {${ttl}completions: 1}, status: {succeeded: 1, conditions: [${condition}]}}`;
const ended = (at: string, type = 'Complete'): string =>
  `{type: ${type}, status: "True", lastTransitionTime: "${at}"}`;

describe('a finished Job past its TTL', () => {
  it('should have been deleted by kube-controller-manager', () => {
    const [finding] = findings(job(ended('2026-11-21T11:40:00Z')), 'JobPastTTL');
    expect(finding).toMatchObject({ severity: 'warning', since: Date.parse('2026-11-21T11:50:00Z') });
    expect(finding?.message).toContain(
      'should be gone: it has finished (Complete), ttlSecondsAfterFinished (600) is over, and it has not been deleted: its controller',
    );
    expect(finding?.remedies().map(({ id, risk }) => `${risk} ${id}`)).toEqual([
      'safe see-ttl-controller',
      'caution delete/job/import',
    ]);
  });

  it('is there because of what keeps its controller', () => {
    const lease =
      '- {kind: Lease, name: kube-controller-manager, namespace: kube-system, spec: {holderIdentity: cp-1, leaseDurationSeconds: 15, acquireTime: "2026-11-21T08:00:00Z", renewTime: "2026-11-21T11:30:00Z"}}';
    const [finding] = findings(`${job(ended('2026-11-21T11:40:00Z', 'Failed'))}\n${lease}`, 'JobPastTTL');
    expect(finding?.message).toContain(
      'it has not been deleted because kube-controller-manager seems not to run: its lease is not renewed.',
    );
  });

  it('has time, is kept without a TTL, is running, or is being deleted', () => {
    const long = ended('2026-11-21T11:40:00Z');
    for (const yaml of [
      job(ended('2026-11-21T11:49:00Z')),
      job(long, ''),
      job(long.replace('True', 'False')),
      job(long, undefined, 'deletionTimestamp: "2026-11-21T11:55:00Z", finalizers: [foregroundDeletion], '),
    ])
      expect(findings(yaml, 'JobPastTTL')).toEqual([]);
  });
});
