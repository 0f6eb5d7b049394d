import { describe, expect, test } from 'vitest';
import { now, viewOf } from '../../../cli/documents/cluster.ts';
import { codesOn, findingOn, findingsOn, remediesIn } from '../../judged.ts';

const orphaning = 'deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [orphan]';
const justNow = 'deletionTimestamp: "2026-11-21T11:59:50Z", finalizers: [orphan]';

function owner(how: string): string {
  return `
- {kind: StatefulSet, name: web, ${how}}`;
}

function dependent(name: string, more = ''): string {
  return `
- {kind: ConfigMap, name: ${name}, owners: [apps/v1 StatefulSet web web +c +b]${more}}`;
}

describe('an owner whose dependents are to be kept', () => {
  test('is stuck when the collector has not let go of them for a minute', () => {
    const found = findingOn(owner(orphaning) + dependent('a') + dependent('b'), 'web', 'OrphanPending');
    expect(found).toMatchObject({ severity: 'warning', certainty: 'exact' });
    expect(found.message).toMatch(/hasn't removed the owner reference from 2 dependents/);
    expect(found.related.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(remediesIn(found)).toEqual(['safe check-collector', 'dangerous redelete/background']);
    expect(found.remedies()[1]?.title).toMatch(/2 dependents that were to stay are deleted too/);
  });

  test('is left to the collector for the first minute', () => {
    const young = owner(justNow) + dependent('a');
    expect(findingsOn(young, 'web')).toEqual([]);
    expect(codesOn(young, 'web', now + 51_000)).toEqual(['OrphanPending']);
  });

  test('can go where nothing refers to it any more, unless a dependent could hide', () => {
    const found = findingOn(owner(orphaning), 'web', 'OrphanPending');
    expect(remediesIn(found)[1]).toBe('caution remove-finalizer/orphan');
    const view = viewOf(owner(orphaning));
    const secrets = view.catalog.resolveKind('v1', 'Secret');
    if (secrets === undefined) throw new Error('no type');
    view.apply(
      {
        changes: [],
        statuses: [{ type: secrets, state: 'blind', count: 0, facts: false, reason: '403' }],
      },
      0,
    );
    const unsure = findingOn(view, 'web', 'OrphanPending');
    expect(unsure.certainty).toBe('assumed');
    expect(remediesIn(unsure)[1]).toBe('dangerous remove-finalizer/orphan');
  });

  test('may lose a dependent that came after the deletion', () => {
    const late = ', creationTimestamp: "2026-11-21T11:49:00Z"';
    const found = findingOn(
      owner(orphaning) + dependent('a') + dependent('late', late),
      'web',
      'OrphanWillMissDependent',
    );
    expect(found).toMatchObject({ severity: 'error', certainty: 'assumed' });
    expect(found.related.map(({ name }) => name)).toEqual(['late']);
    expect(remediesIn(found)).toEqual(['caution prune-reference/web']);
    expect(codesOn(owner(orphaning) + dependent('a'), 'web')).toEqual(['OrphanPending']);
  });
});

describe('an owner that is deleted and held by a finalizer of somebody else', () => {
  const held = 'deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/drain]';

  test('still counts as there for its dependents', () => {
    const found = findingOn(owner(held) + dependent('a'), 'web', 'DeletingOwnerStillSolid');
    expect(found.severity).toBe('warning');
    expect(found.message).toBe(
      'StatefulSet shop/web is being deleted, but as long as example.com/drain holds it, it counts as an existing owner: ConfigMap a stays until it is really deleted.',
    );
    expect(remediesIn(found)).toEqual([
      'safe bring-back-controller',
      'caution redelete/foreground',
      'dangerous remove-finalizer/example.com/drain',
    ]);
  });

  test('is only worth knowing in the first minutes where a controller may be at it', () => {
    const operator = `
- {kind: Deployment, name: drain-operator, namespace: ops, spec: {replicas: 1}, status: {readyReplicas: 1}}`;
    const young = 'deletionTimestamp: "2026-11-21T11:59:00Z", finalizers: [example.com/drain]';
    const handled = owner(young) + dependent('a') + operator;
    expect(findingOn(handled, 'web', 'DeletingOwnerStillSolid').severity).toBe('info');
    expect(findingOn(handled, 'web', 'DeletingOwnerStillSolid', now + 240_000).severity).toBe('warning');
  });

  test.each([
    [
      'its dependents are going too',
      owner(held) +
        dependent('a', ', deletionTimestamp: "2026-11-21T11:50:00Z", finalizers: [example.com/drain]'),
    ],
    ['nothing depends on it', owner(held)],
    ['it is deleted in the foreground', owner(held.replace('[', '[foregroundDeletion, ')) + dependent('a')],
    [
      'the reference means another object',
      owner(held) + dependent('a').replace('StatefulSet web', 'StatefulSet other'),
    ],
  ])('but not where %s', (_, yaml) => {
    expect(codesOn(yaml, 'web')).not.toContain('DeletingOwnerStillSolid');
  });
});
