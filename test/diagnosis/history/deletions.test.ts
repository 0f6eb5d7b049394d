import { describe, expect, test } from 'vitest';
import { DeletionLog, type ObjectHistory } from '../../../src/diagnosis/history/deletions.ts';
import { auditEvents } from '../../../src/model/audit/audit-event.ts';
import { historyWords } from '../../../src/text/diagnosis/deletion-history-lines.ts';

const collector = { username: 'system:serviceaccount:kube-system:generic-garbage-collector' };

let nth = 0;
function event(second: number, verb: string, name: string, more: object = {}): unknown {
  nth += 1;
  return {
    stage: 'ResponseComplete',
    level: 'RequestResponse',
    auditID: `id-${nth}`,
    verb,
    user: { username: 'alice' },
    sourceIPs: ['10.0.0.7'],
    userAgent: 'kubectl/v1.36.3',
    objectRef: { resource: 'configmaps', namespace: 'shop', name },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: `2026-11-21T12:00:${String(second).padStart(2, '0')}.000000Z`,
    ...more,
  };
}

const object = (uid: string, metadata: object = {}): object => ({
  responseObject: { metadata: { uid, ...metadata } },
});

function historiesOf(name: string, events: readonly unknown[]): ObjectHistory[] {
  const log = new DeletionLog({ isOf: (_, resource) => resource === 'configmaps', namespace: 'shop', name });
  for (const each of events.flatMap(auditEvents)) log.take(each);
  return log.histories();
}

function textOf(history: ObjectHistory): string {
  return historyWords
    .lines(history, () => 'ConfigMap', false)
    .map(({ spans }) => spans.map(({ text }) => text).join(''))
    .join('\n');
}

const deleting = { deletionTimestamp: '2026-11-21T12:00:10Z', deletionGracePeriodSeconds: 0 };

describe('the history of an object', () => {
  test('is told of each object that had the name, whatever order the log has', () => {
    const events = [
      event(1, 'create', 'web', object('u-1')),
      event(2, 'delete', 'web', { responseStatus: { code: 200, details: { uid: 'u-1' } } }),
      event(3, 'create', 'web', object('u-2')),
      event(9, 'delete', 'web', {
        user: { username: 'bob' },
        responseStatus: { code: 200, details: { uid: 'u-2' } },
      }),
    ];
    for (const order of [events, events.toReversed()]) {
      const [first, second, ...others] = historiesOf('web', order);
      expect(others).toEqual([]);
      expect([first?.uid, second?.uid]).toEqual(['u-1', 'u-2']);
      expect(second?.deletions.map(each => each.event.user)).toEqual(['bob']);
      expect(first?.end?.at).toBe(Date.parse('2026-11-21T12:00:02Z'));
    }
  });

  test('in a log without bodies parts them by their creations, and says what it doesn’t know', () => {
    const level = { level: 'Metadata' };
    const [, second] = historiesOf('web', [
      event(1, 'create', 'web', level),
      event(2, 'delete', 'web', level),
      event(3, 'create', 'web', level),
      event(9, 'delete', 'web', level),
    ]);
    if (second === undefined) throw new Error('one');
    expect(second.deletions).toHaveLength(1);
    expect(second.end).toBeUndefined();
    expect(textOf(second)).toContain('not in the log, which has it at level Metadata');
    expect(textOf(second)).toContain("The log doesn't show when it was gone.");
  });

  test('has it gone with the last finalizer, and not before', () => {
    const [history] = historiesOf('web', [
      event(10, 'delete', 'web', {
        requestObject: { propagationPolicy: 'Foreground' },
        ...object('u-1', { ...deleting, finalizers: ['foregroundDeletion', 'example.com/drain'] }),
      }),
      event(12, 'patch', 'web', {
        user: collector,
        ...object('u-1', { ...deleting, finalizers: ['example.com/drain'] }),
      }),
      event(14, 'update', 'web', {
        objectRef: { resource: 'configmaps', namespace: 'shop', name: 'web', subresource: 'status' },
        ...object('u-1', { ...deleting, finalizers: ['example.com/drain'] }),
      }),
      event(20, 'patch', 'web', {
        user: { username: 'system:serviceaccount:tools:drain' },
        ...object('u-1', deleting),
      }),
    ]);
    if (history === undefined) throw new Error('none');
    expect(history.end?.at).toBe(Date.parse('2026-11-21T12:00:20Z'));
    const text = textOf(history);
    expect(text).toContain(
      'was deleted at 2026-11-21T12:00:10Z by alice, with the policy Foreground. It was gone 10s later.',
    );
    expect(text).toContain('the garbage collector removed the finalizer foregroundDeletion\n');
    expect(text).toContain('ServiceAccount tools/drain removed the finalizer example.com/drain: it was gone');
  });

  test('does not take a pod in its grace period for gone', () => {
    const [history] = historiesOf('web', [
      event(10, 'delete', 'web', object('u-1', { ...deleting, deletionGracePeriodSeconds: 30 })),
      event(11, 'patch', 'web', object('u-1', { ...deleting, deletionGracePeriodSeconds: 30 })),
      event(19, 'delete', 'web', { user: { username: 'system:node:n-1' }, ...object('u-1', deleting) }),
    ]);
    expect(history?.end?.user).toBe('system:node:n-1');
  });

  test('attributes to it what the collector did to its dependents, and nothing else', () => {
    const owned = (uid: string): object => ({
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'web', uid }],
    });
    const [history] = historiesOf('web', [
      event(1, 'create', 'a', object('u-a', owned('u-1'))),
      event(1, 'create', 'same-name', object('u-b', owned('u-0'))),
      event(2, 'create', 'web', object('u-1')),
      event(3, 'delete', 'web', { responseStatus: { code: 200, details: { uid: 'u-1' } } }),
      event(4, 'delete', 'a', { user: collector }),
      event(4, 'delete', 'same-name', { user: collector }),
      event(4, 'delete', 'other', { user: collector }),
      event(5, 'patch', 'b', {
        user: collector,
        requestObject: { metadata: { ownerReferences: [{ $patch: 'delete', uid: 'u-1' }] } },
        ...object('u-c'),
      }),
    ]);
    expect(
      history?.effects.map(
        ({
          what,
          event: {
            object: { name },
          },
        }) => `${what} ${name}`,
      ),
    ).toEqual(['deleted a', 'orphaned b']);
  });

  test('leaves out dry runs, and tells refusals apart', () => {
    const [history] = historiesOf('web', [
      event(1, 'delete', 'web', { requestObject: { dryRun: ['All'] }, ...object('u-1') }),
      event(2, 'delete', 'web', {
        requestURI: '/api/v1/namespaces/shop/configmaps/web?dryRun=All',
        ...object('u-1'),
      }),
      event(3, 'delete', 'web', { responseStatus: { code: 403 } }),
      event(4, 'delete', 'web', {
        requestURI: '/x?propagationPolicy=Orphan',
        ...object('u-1', { ...deleting, finalizers: ['orphan'] }),
      }),
    ]);
    expect(history?.deletions.map(({ policy, policyFrom }) => [policy, policyFrom])).toEqual([
      ['Orphan', 'request'],
    ]);
    expect(history?.refused.map(({ code }) => code)).toEqual([403]);
  });

  test('believes no account outside of kube-system, nor a user agent beside one', () => {
    const agent = 'kube-controller-manager/v1.36.3 (linux/amd64) kubernetes/x/generic-garbage-collector';
    const by = (user: string, userAgent: string): string => {
      const [history] = historiesOf('web', [
        event(1, 'delete', 'web', { user: { username: user }, userAgent }),
      ]);
      return history === undefined ? '' : (textOf(history).split('\n')[0] ?? '');
    };
    expect(by('system:serviceaccount:evil:generic-garbage-collector', agent)).toContain(
      'by ServiceAccount evil/generic-garbage-collector',
    );
    expect(by('system:kube-controller-manager', agent)).toContain('by the garbage collector');
    expect(by('alice', 'kubectl\u001b[2J')).toContain('by alice');
  });
});
