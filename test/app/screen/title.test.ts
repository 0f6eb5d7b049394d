import { describe, expect, test } from 'vitest';
import { crumbAt } from '../../../src/app/screen/title.ts';
import type { TypeStatus } from '../../../src/model/exchange/changes.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { now } from '../../cli/documents/cluster.ts';
import { type DriverOptions, ScreenDriver } from '../screen-driver.ts';

const shop = `
- { kind: Deployment, name: api }
- { kind: ReplicaSet, name: api-658b5b55dd, owners: [apps/v1 Deployment api api +c +b] }
- { kind: Lease, name: held, owners: [apps/v1 ReplicaSet api-658b5b55dd api-658b5b55dd +c +b],
    deletionTimestamp: '2026-11-21T11:48:00Z', deletionGracePeriodSeconds: 0, finalizers: [example.com/drain] }
- { kind: ConfigMap, name: self, owners: [v1 ConfigMap self] }
- { kind: ConfigMap, name: other, namespace: infra }
`;

function onLease(options: DriverOptions = {}): ScreenDriver {
  const screen = ScreenDriver.complete(shop, options);
  expect(screen.rows().find(row => row.startsWith('>'))).toContain('Lease held');
  return screen;
}

describe('the first line', () => {
  test('counts errors and warnings apart, and the objects of the scope', () => {
    expect(onLease().title()).toMatch(/ {2}4 objects {2}\d+ kinds {2}live {2}✗ 1 ⚠ 1$/u);
    expect(onLease({ namespace: undefined }).title()).toContain('5 objects');
    expect(onLease({ ascii: true }).title()).toMatch(/x 1 ! 1$/u);
  });

  test('says nothing of problems where there are none', () => {
    expect(ScreenDriver.complete('[{ kind: ConfigMap, name: a }]').title()).toMatch(/live$/u);
  });

  test('counts the kinds that cannot be seen in the namespace', () => {
    const blind = (namespace: string | undefined): string => {
      const screen = new ScreenDriver({ namespace });
      const types = builtInTypes.filter(each => each.preferred && ResourceType.isMonitored(each));
      const seen = new Set(['Pod', 'StatefulSet']);
      const statuses = types.map(
        (type): TypeStatus =>
          seen.has(type.kind)
            ? { type, state: 'synced', count: 0, facts: true, namespaces: ['shop'], reason: '403' }
            : { type, state: 'blind', count: 0, facts: false, reason: '403' },
      );
      const batch = { changes: [], types: builtInTypes, statuses, connection: { state: 'live' } } as const;
      screen.send({ type: 'batch', batch, now });
      screen.send({ type: 'graphComplete', info: screen.info() });
      return / (\d+ kinds unseen(?: here)?)/u.exec(screen.title())?.[1] ?? '';
    };
    const monitored = builtInTypes.filter(each => each.preferred && ResourceType.isMonitored(each));
    const namespaced = monitored.filter(each => each.namespaced).length;
    expect(blind('shop')).toBe(`${namespaced - 2} kinds unseen here`);
    expect(blind('infra')).toBe(`${namespaced} kinds unseen here`);
    expect(blind(undefined)).toBe(`${monitored.length} kinds unseen`);
  });

  test('leads from the cluster to the owners of the row', () => {
    const owners = 'Deployment api ▸ ReplicaSet api-658b5b55dd  ';
    expect(onLease().title()).toContain(` gc-tree  test ▸ shop ▸ ${owners}`);
    expect(onLease({ namespace: undefined }).title()).toContain(`test ▸ all namespaces ▸ shop ▸ ${owners}`);
    expect(onLease().press('k', 'k').title()).toMatch(/^ gc-tree {2}test ▸ shop {3}/u);
  });

  test('leads to the owners in the other views as well', () => {
    expect(onLease().press('2').title()).toContain('shop ▸ Deployment api ▸ ReplicaSet api-658b5b55dd  ');
  });

  test.each([
    [110, ' gc-tree  test ▸ shop ▸ Deployment api ▸ ReplicaSet api-658b5b55dd'],
    [80, ' gc-tree  test ▸ shop ▸ … ▸ ReplicaSet api-658b5b55dd'],
    [60, ' gc-tree  test ▸ shop ▸ … ▸ ReplicaSet api-…'],
  ])('at %i columns shortens the way, and keeps what is wrong', (columns, way) => {
    const title = onLease({ columns, rows: 30 }).title();
    expect(title.startsWith(`${way} `)).toBe(true);
    expect(title).toMatch(/✗ 1 ⚠ 1$/u);
    expect(title.length).toBeLessThanOrEqual(columns);
  });

  test('has each part of the way where the mouse points', () => {
    const screen = onLease({ namespace: undefined });
    const title = screen.title();
    const at = (text: string) => crumbAt(screen.state, title.indexOf(text));
    expect(at('test')).toEqual({ of: 'context' });
    expect(at('all namespaces')).toEqual({ of: 'scope' });
    expect(at('shop')).toEqual({ of: 'namespace', namespace: 'shop' });
    expect(at('Deployment')).toEqual({ of: 'object', uid: 'api' });
    expect(crumbAt(screen.state, title.indexOf('Deployment') - 1)).toBeUndefined();
    expect(at('gc-tree')).toBeUndefined();
    screen.send({ type: 'click', column: title.indexOf('Deployment') + 3, row: 0 });
    expect(screen.rows().find(row => row.startsWith('>'))).toContain('Deployment api');
    screen.send({ type: 'click', column: title.indexOf('shop'), row: 0 });
    expect(screen.state.cluster?.namespace).toBe('shop');
  });
});
