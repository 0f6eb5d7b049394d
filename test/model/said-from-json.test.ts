import { describe, expect, it } from 'vitest';
import { statementJson } from '../../src/model/said-from-json.ts';

interface Condition {
  readonly type: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

function said(...conditions: readonly Condition[]): string[] {
  return statementJson
    .in({ status: { conditions } })
    .map(
      ({ type, status, reason, message, failing }) =>
        `${failing ? 'fails' : 'says'} ${type}=${status} ${reason}: ${message}`,
    );
}

describe('what an object says of why it does not finish', () => {
  it('is what its conditions say where their value is the bad one of their type', () => {
    expect(
      said(
        { type: 'Synced', status: 'False', reason: 'ReconcileError', message: 'BucketNotEmpty' },
        { type: 'Ready', status: 'True', reason: 'Available', message: 'all is well' },
        { type: 'Stalled', status: 'True', reason: 'RetriesExceeded', message: 'gave up' },
        { type: 'Degraded', status: 'False', reason: 'AsExpected', message: 'fine' },
        { type: 'Paused', status: 'False', reason: 'NotPaused', message: 'not paused' },
      ),
    ).toEqual([
      'fails Synced=False ReconcileError: BucketNotEmpty',
      'fails Stalled=True RetriesExceeded: gave up',
    ]);
  });

  it('tells what failed from what is under way, and leaves out what has no words', () => {
    expect(
      said(
        { type: 'Ready', status: 'False', reason: 'Deleting', message: '2 machines are left' },
        { type: 'Deleting', status: 'True', reason: 'Waiting', message: 'waits for 2 machines' },
        { type: 'InfrastructureReady', status: 'False', reason: 'DeletionFailed', message: 'quota' },
        { type: 'Available', status: 'False' },
      ),
    ).toEqual([
      'fails InfrastructureReady=False DeletionFailed: quota',
      'says Ready=False Deleting: 2 machines are left',
      'says Deleting=True Waiting: waits for 2 machines',
    ]);
  });

  it('is about an older spec where the generation that was observed is older and nothing changed since the deletion', () => {
    const outdated = (status: object, metadata: object = {}): readonly boolean[] =>
      statementJson
        .in({ metadata: { generation: 4, ...metadata }, status })
        .map(each => each.outdated === true);
    const failed = { type: 'Synced', status: 'False', reason: 'ReconcileError', message: 'denied' };
    expect(outdated({ conditions: [{ ...failed, observedGeneration: 3 }] })).toEqual([true]);
    expect(outdated({ conditions: [{ ...failed, observedGeneration: 4 }] })).toEqual([false]);
    expect(outdated({ observedGeneration: 3, conditions: [failed] })).toEqual([true]);
    expect(outdated({ observedGeneration: 3, phase: 'Failed', message: 'denied' })).toEqual([true]);
    expect(outdated({ observedGeneration: 3, conditions: [{ ...failed, observedGeneration: 4 }] })).toEqual([
      false,
    ]);
    const deletion = { deletionTimestamp: '2026-11-21T12:00:00Z' };
    // The deletion itself was one more.
    expect(outdated({ observedGeneration: 3, conditions: [failed] }, deletion)).toEqual([false]);
    expect(outdated({ observedGeneration: 2, conditions: [failed] }, deletion)).toEqual([true]);
    const since = { ...failed, observedGeneration: 2, lastTransitionTime: '2026-11-21T12:00:01Z' };
    expect(outdated({ conditions: [since] }, deletion)).toEqual([false]);
    expect(outdated({ conditions: [failed] })).toEqual([false]);
  });

  it('is the newest of several failures first', () => {
    const at = (day: number): string => `2026-11-${day}T00:00:00Z`;
    expect(
      said(
        { type: 'ComparisonError', message: 'old', lastTransitionTime: at(18) },
        { type: 'DeletionError', message: 'new', lastTransitionTime: at(20) },
        { type: 'OrphanedResourceWarning', message: 'beside the point', lastTransitionTime: at(21) },
      ),
    ).toEqual(['fails DeletionError= : new', 'fails ComparisonError= : old']);
  });

  it('is the error of an attachment, and the message of a phase that failed', () => {
    expect(
      statementJson.in({
        status: { attached: true, detachError: { message: 'busy', time: '2026-11-21T08:00:00Z' } },
      }),
    ).toMatchObject([{ from: 'error', type: 'detachError', message: 'busy', at: Date.UTC(2026, 10, 21, 8) }]);
    expect(
      statementJson.in({ status: { phase: 'Failed', reason: 'DeleteFailed', message: 'volume is in use' } }),
    ).toMatchObject([{ from: 'error', type: 'phase', status: 'Failed', reason: 'DeleteFailed' }]);
    expect(
      statementJson.in({
        status: { operationState: { phase: 'Failed', message: 'cannot prune', finishedAt: '' } },
      }),
    ).toMatchObject([{ type: 'operationState', status: 'Failed', message: 'cannot prune', failing: true }]);
  });

  it('is the error that AWS Controllers for Kubernetes report, and an agent that went silent', () => {
    expect(
      said(
        { type: 'ACK.Recoverable', status: 'True', message: 'cannot be deleted: still in use' },
        { type: 'ACK.ResourceSynced', status: 'True' },
      ),
    ).toEqual(['fails ACK.Recoverable=True : cannot be deleted: still in use']);
    expect(said({ type: 'Ready', status: 'Unknown', reason: 'AgentSilent', message: 'no status' })).toEqual([
      'fails Ready=Unknown AgentSilent: no status',
    ]);
  });

  it('is the last error, and its time', () => {
    const lastError = { description: 'Secret "backup" not found', lastUpdateTime: '2026-11-21T08:00:00Z' };
    expect(statementJson.in({ status: { lastError } })).toMatchObject([
      { type: 'lastError', message: lastError.description, at: Date.UTC(2026, 10, 21, 8), failing: true },
    ]);
    expect(statementJson.in({ status: { errorMessage: 'denied' } })).toMatchObject([{ message: 'denied' }]);
    expect(statementJson.in({ status: { errorMessage: '', lastErrors: [] } })).toEqual([]);
  });

  it('is the reason that stands beside its phase or state', () => {
    expect(statementJson.in({ status: { phase: 'Released', message: 'waits' } })).toMatchObject([
      { type: 'phase', status: 'Released', message: 'waits', failing: false },
    ]);
    expect(statementJson.in({ status: { state: 'pending', reason: 'DNS record not found' } })).toMatchObject([
      { type: 'state', status: 'pending', message: 'DNS record not found', failing: true },
    ]);
    expect(statementJson.in({ status: { phase: 'Active', operationState: { phase: 'Succeeded' } } })).toEqual(
      [],
    );
  });

  it('is read where Flux, Crossplane and Cluster API write it', () => {
    const flux = {
      type: 'Ready',
      status: 'False',
      reason: 'PruneFailed',
      message: 'deployments.apps "web" is forbidden',
    };
    const stalled = { type: 'Stalled', status: 'True', reason: 'InvalidPath', message: 'no such directory' };
    expect(said(flux, stalled)).toEqual([
      'fails Ready=False PruneFailed: deployments.apps "web" is forbidden',
      'fails Stalled=True InvalidPath: no such directory',
    ]);
    const crossplane = {
      type: 'Synced',
      status: 'False',
      reason: 'ReconcileError',
      message: 'delete failed: DependencyViolation',
    };
    const deleting = { type: 'Ready', status: 'False', reason: 'Deleting' };
    expect(said(deleting, crossplane)).toEqual([
      'fails Synced=False ReconcileError: delete failed: DependencyViolation',
      'says Ready=False Deleting: ',
    ]);
    const machine = {
      status: {
        failureReason: 'DeleteError',
        failureMessage: 'instance is protected',
        conditions: [
          {
            type: 'DrainingSucceeded',
            status: 'False',
            severity: 'Warning',
            reason: 'DrainingFailed',
            message: 'a PodDisruptionBudget allows none',
          },
        ],
        v1beta2: {
          conditions: [
            { type: 'Deleting', status: 'True', reason: 'DrainingNode', message: 'Drain not completed yet' },
          ],
        },
      },
    };
    expect(statementJson.in(machine).map(({ type, message }) => `${type}: ${message}`)).toEqual([
      'failureMessage: instance is protected',
      'DrainingSucceeded: a PodDisruptionBudget allows none',
      'Deleting: Drain not completed yet',
    ]);
  });

  it('is on one line, of bounded length, and without credentials or control characters', () => {
    const [first] = statementJson.in({
      status: {
        conditions: [
          {
            type: 'Synced',
            status: 'False',
            reason: 'ReconcileError',
            message: `login failed\n\u001b[31mpassword=hunter2-x9\u0007 for https://joe:s3cret@example.com ${'again '.repeat(500)}`,
          },
        ],
      },
    });
    expect(first?.message).toMatch(
      /^login failed password=\(hidden\) for https:\/\/\(hidden\)@example\.com/u,
    );
    expect(first?.message.length).toBeLessThan(1_100);
  });

  it('is nothing where a status is no status', () => {
    for (const status of [
      undefined,
      null,
      'Failed',
      [],
      { conditions: { type: 'Ready' } },
      { conditions: [null, 1, 'x'] },
    ])
      expect(statementJson.in({ status })).toEqual([]);
  });
});
