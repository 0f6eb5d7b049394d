import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { advice } from '../../../src/diagnosis/engine/finding.ts';
import { TrackedView } from '../../../src/diagnosis/engine/tracked-view.ts';
import { offeredRemedies } from '../../../src/diagnosis/offers/offered-remedies.ts';
import { type OfferedFor, remedyEffects } from '../../../src/diagnosis/offers/remedy-effects.ts';
import { pruneReference } from '../../../src/diagnosis/remedies/change-reference.ts';
import { deleteObject, redelete } from '../../../src/diagnosis/remedies/deletion-remedies.ts';
import { retainClaims } from '../../../src/diagnosis/rules/volumes/claim-owners.ts';
import type { ApplicableRemedy } from '../../../src/forecast/action.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { Sliced } from '../../../src/model/slices.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';
import { deployment, nodes, objectOf, pod } from '../../forecast/fixtures.ts';

const foreground = 'deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]';
const held = 'deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers:';

function remedyOf(view: ClusterView, uid: string, id: string): ApplicableRemedy {
  const remedy = offeredRemedies.byId(diagnoseCluster(view, now), objectOf(view, uid), id);
  if (remedy === undefined) throw new Error(`no ${id}`);
  return remedy;
}

function effect(view: ClusterView, uid: string, remedy: string | ApplicableRemedy): string | undefined {
  const tried = typeof remedy === 'string' ? remedyOf(view, uid, remedy) : remedy;
  const forecaster = Forecaster.create(view, { now, scope: 'action' });
  return remedyEffects.added(forecaster, objectOf(view, uid), [tried])[0]?.effect;
}

describe('the effect of a remedy', () => {
  const stuck = viewOf(`${nodes}
- {kind: StatefulSet, name: web, ${foreground}, spec: {replicas: 1, selector: {matchLabels: {app: web}}}}
- {kind: ControllerRevision, name: web-1, owners: [apps/v1 StatefulSet web]}${pod('web-2', 'apps/v1 StatefulSet web web +c +b', `, ${held} [example.com/drain]`)}`);

  test('says what goes, and what stays and why', () => {
    expect(effect(stuck, 'web', 'clear-block/pod/web-2')).toBe(
      'web is deleted, and ControllerRevision web-1 with it; Pod web-2 stays, held by example.com/drain',
    );
    expect(effect(stuck, 'web-2', 'remove-finalizer/example.com/drain')).toBe(
      'web-2 is deleted, and ControllerRevision web-1 and StatefulSet web with it',
    );
  });

  test('says what is left without an owner', () => {
    expect(effect(stuck, 'web', 'redelete/orphan')).toBe(
      'web is deleted; Pod web-2 stays, held by example.com/drain; ControllerRevision web-1 stays without an owner',
    );
  });

  test('says what still holds where one of several blocks was cleared', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a, ${foreground}}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a +b, x.example.com/v1 X x]}
- {kind: ConfigMap, name: c, owners: [v1 ConfigMap a a +b, x.example.com/v1 X x]}`);
    expect(effect(view, 'a', 'clear-block/configmap/b')).toBe(
      'a stays, waiting for ConfigMap c, which is never collected while its owner kind x.example.com/v1 X cannot be resolved; ConfigMap b no longer blocks',
    );
  });

  test('names four objects and counts the others', () => {
    const children = Array.from(
      { length: 7 },
      (_, index) => `- {kind: ConfigMap, name: c${index}, owners: [v1 ConfigMap a]}`,
    );
    const view = viewOf(`- {kind: ConfigMap, name: a, ${held} [example.com/x]}\n${children.join('\n')}`);
    expect(effect(view, 'a', 'redelete/foreground')).toBe(
      'a stays, held by example.com/x; whether ConfigMap c0, ConfigMap c1, ConfigMap c2, ConfigMap c3 and 3 more end deleted or kept depends on timing',
    );
    expect(effect(view, 'a', 'remove-finalizer/example.com/x')).toBe(
      'a is deleted, and ConfigMap c0, ConfigMap c1, ConfigMap c2, ConfigMap c3 and 3 more with it',
    );
  });

  test('names what is in another namespace with it', () => {
    const view = viewOf(`
- {kind: ClusterRole, name: a, ${held} [example.com/x]}
- {kind: ConfigMap, name: b, namespace: infra, owners: [rbac.authorization.k8s.io/v1 ClusterRole a]}`);
    expect(effect(view, 'a', 'remove-finalizer/example.com/x')).toBe(
      'a is deleted, and ConfigMap infra/b with it',
    );
  });

  test('says what is made anew', () => {
    const view = viewOf(nodes + deployment('api', 1));
    const remedy = deleteObject(new TrackedView(view, now), objectOf(view, 'api-h-0'), 'background', {
      risk: 'caution',
    });
    expect(effect(view, 'api', remedy)).toBe(
      'Pod api-h-0 is deleted; 1 new Pod is created by ReplicaSet api-h',
    );
  });

  test('says that nothing goes where nothing does', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a]}
- {kind: StatefulSet, name: s, spec: {replicas: 0, persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}}`);
    expect(effect(view, 'b', 'set-block/a')).toBe('b stays, with its owner reference altered');
    const retain = retainClaims(new TrackedView(view, now), objectOf(view, 's'));
    expect(effect(view, 's', retain)).toBe('nothing is deleted or changed');
  });

  test('says what the API server refuses', () => {
    const view = viewOf(`- {kind: ConfigMap, name: a, ${held} [example.com/x]}`);
    const remedy = remedyOf(view, 'a', 'remove-finalizer/example.com/x');
    const changed = viewOf(`- {kind: ConfigMap, name: a, uid: another, ${held} [example.com/x]}`);
    expect(effect(changed, 'another', remedy)).toMatch(
      /^the API server refuses it: the server rejected our request .*test \/metadata\/uid/u,
    );
  });

  test('is only what can be seen where something cannot', () => {
    const view = viewOf(`- {kind: ConfigMap, name: a, ${held} [example.com/x]}`);
    const secrets = view.catalog.resolveKind('v1', 'Secret');
    if (secrets === undefined) throw new Error('no secrets');
    view.apply(
      {
        changes: [],
        statuses: [{ type: secrets, state: 'blind', count: 0, facts: false, reason: '403' }],
      },
      0,
    );
    expect(effect(view, 'a', 'remove-finalizer/example.com/x')).toBe(
      'a is deleted; as far as can be seen from here',
    );
  });

  test('tells an owner that is lost from one of two references to it', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a, v1 ConfigMap wrong a]}`);
    const b = objectOf(view, 'b');
    const [, wrong] = b.owners;
    if (wrong === undefined) throw new Error('no second reference');
    const remedy = pruneReference(new TrackedView(view, now), b, wrong);
    const restarted = Forecaster.create(view, { now, collector: 'starting' });
    expect(remedyEffects.added(restarted, b, [remedy])[0]?.effect).toBe(
      'b loses a reference and keeps another reference to the same owner',
    );
  });

  test('leaves out what happens anyway', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a, ${held} [example.com/x]}
- {kind: ConfigMap, name: lost, owners: [v1 ConfigMap gone]}`);
    expect(effect(view, 'a', 'remove-finalizer/example.com/x')).toBe('a is deleted');
  });

  test('takes along what nobody asked to delete, and then is not safe', () => {
    const around = (owner: string): ClusterView =>
      viewOf(`
- {kind: ConfigMap, name: solid}
- {kind: ConfigMap, name: a, owners: [${owner}, x.example.com/v1 X x]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a]}`);
    const told = (view: ClusterView): readonly (readonly [string, string])[] => {
      const a = objectOf(view, 'a');
      const references = a.owners.toReversed();
      const tracked = new TrackedView(view, now);
      const remedies = references.map(each => ({
        ...pruneReference(tracked, a, each),
        risk: 'safe' as const,
      }));
      return remedyEffects
        .added(Forecaster.create(view, { now }), a, remedies)
        .map(({ risk, effect }) => [risk, effect]);
    };
    expect(told(around('v1 ConfigMap solid'))).toEqual([
      ['safe', 'a loses a reference and keeps its other owners'],
      ['safe', 'a loses a reference and keeps its other owners'],
    ]);
    // The safe one goes first, whatever the order in which they came.
    expect(told(around('v1 ConfigMap gone'))).toEqual([
      ['safe', 'a loses a reference and keeps its other owners'],
      ['caution', 'a is deleted, and ConfigMap b with it'],
    ]);
  });

  test('is not safe either where it may take something along, depending on timing', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a, finalizers: [example.com/x]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a]}`);
    const a = objectOf(view, 'a');
    const remedy = deleteObject(new TrackedView(view, now), a, 'foreground', { risk: 'safe' });
    const [told] = remedyEffects.added(Forecaster.create(view, { now }), a, [remedy]);
    expect([told?.risk, told?.effect]).toEqual([
      'caution',
      'a stays, held by example.com/x; whether ConfigMap b ends deleted or kept depends on timing',
    ]);
  });

  test('is not safe where it takes along what was to be kept', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a, ${held} [orphan]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a]}`);
    const a = objectOf(view, 'a');
    const [told] = remedyEffects.added(Forecaster.create(view, { now }), a, [
      redelete(a, 'background', { risk: 'safe' }),
    ]);
    expect([told?.risk, told?.effect]).toEqual(['caution', 'a is deleted, and ConfigMap b with it']);
  });

  test('is not told of advice', () => {
    const bring = advice('bring', 'bring it back', 'safe');
    const forecaster = Forecaster.create(stuck, { now });
    expect(remedyEffects.added(forecaster, objectOf(stuck, 'web'), [bring])).toEqual([bring]);
  });
});

describe('remedies that several findings offer', () => {
  /** Stuck owners of one pod that a finalizer holds. */
  const waitingFor = (count: number): ClusterView => {
    const names = Array.from({ length: count }, (_, nth) => `web-${nth}`);
    const owners = names.map(each => `v1 ConfigMap ${each} ${each} +b`).join(', ');
    return viewOf(
      `${nodes}${names.map(each => `\n- {kind: ConfigMap, name: ${each}, ${foreground}}`).join('')}${pod('last', owners, `, ${held} [example.com/drain]`)}`,
    );
  };

  /** The forecaster of lists, and the remedies that it was asked about. */
  function listed(view: ClusterView): { forecaster: Forecaster; asked: string[]; offers: OfferedFor[] } {
    const real = Forecaster.create(view, { now, scope: 'action', effectsOnly: true, mostOrders: 4 });
    const asked: string[] = [];
    const forecaster: Forecaster = {
      view,
      now,
      forecast: action => real.forecast(action),
      forecastInSlices: action => {
        if (action.verb === 'unblock') asked.push(action.remedy.id);
        return real.forecastInSlices(action);
      },
      meetAlike: (a, b) => real.meetAlike(a, b),
    };
    const offers = [...diagnoseCluster(view, now).all()].map(finding => ({
      target: objectOf(view, finding.object.uid),
      remedies: finding.remedies(),
    }));
    return { forecaster, asked, offers };
  }

  test('are forecast once, however many offer them', () => {
    for (const count of [2, 12]) {
      const { forecaster, asked, offers } = listed(waitingFor(count));
      const id = 'remove-finalizer/example.com/drain';
      expect(offers.filter(({ remedies }) => remedies.some(each => each.id === id))).toHaveLength(count + 1);
      Sliced.atOnce(remedyEffects.addedShared(forecaster, offers));
      expect(asked.filter(each => each === id)).toHaveLength(1);
    }
  });

  test('say of each object what a forecast for it alone says', () => {
    // The last two meet other objects under way: they are in two namespaces.
    const views = [
      waitingFor(3),
      viewOf(`${nodes}
- {kind: Namespace, name: away, deletionTimestamp: "2026-11-21T11:48:00Z", spec: {finalizers: [kubernetes]}, status: {phase: Terminating}}
- {kind: ConfigMap, name: kept, namespace: away, ${held} [example.com/drain]}
- {kind: ConfigMap, name: web, ${foreground}}${pod('last', 'v1 ConfigMap web web +b', `, ${held} [example.com/drain]`)}`),
    ];
    for (const view of views) {
      const { forecaster, offers } = listed(view);
      const shared = Sliced.atOnce(remedyEffects.addedShared(forecaster, offers));
      const alone = offers.map(({ target, remedies }) => remedyEffects.added(forecaster, target, remedies));
      const told = (all: typeof shared) =>
        all.map(each => each.map(({ id, risk, effect }) => ({ id, risk, effect })));
      expect(told(shared)).toEqual(told(alone));
      expect(
        told(shared)
          .flat()
          .some(({ effect }) => effect !== ''),
      ).toBe(true);
    }
  });

  test('are forecast for each object that meets something else', () => {
    const { forecaster, asked, offers } = listed(waitingFor(2));
    const apart = {
      ...forecaster,
      *meetAlike(a: unknown, b: unknown): Sliced<boolean> {
        yield;
        return a === b;
      },
    };
    Sliced.atOnce(remedyEffects.addedShared(apart, offers));
    expect(asked.filter(each => each === 'remove-finalizer/example.com/drain')).toHaveLength(3);
  });
});
