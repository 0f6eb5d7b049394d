import { describe, expect, it } from 'vitest';
import { actionOf, Intent } from '../../../src/actions/prepare/action-intent.ts';
import { type Prepared, prepare } from '../../../src/actions/prepare/prepare.ts';
import { promises, promisesNoMore } from '../../../src/actions/prepare/promise.ts';
import type { Cascade, DeleteAction } from '../../../src/forecast/action.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { record } from '../../../src/model/json/json.ts';
import { deployment, nodes, now, objectOf, remedyOf, viewOf } from '../../forecast/fixtures.ts';

const yaml = `${nodes}${deployment('api', 2)}
- {kind: ConfigMap, name: lone}
- {kind: ConfigMap, name: other}
- {kind: ConfigMap, name: stuck, finalizers: [example.com/hold], deletionTimestamp: '2026-11-21T11:30:00Z'}
`;
const view = viewOf(yaml);

function prepared(intent: Intent, of: ClusterView = view): Prepared {
  return prepare(Forecaster.create(of, { now, scope: 'action' }), intent, { secretData: false });
}

function deleting(cascade: Cascade, ...uids: readonly string[]): DeleteAction {
  return { verb: 'delete', cascade, targets: uids.map(uid => objectOf(view, uid)) };
}

function unblocking(uid: string, id: string): Intent {
  const target = objectOf(view, uid);
  return { verb: 'unblock', target, remedy: remedyOf(view, target, id) };
}

describe('how strongly an action is to be confirmed', () => {
  it('is one key where one object goes and nothing else is altered', () => {
    expect(prepared(deleting('background', 'lone')).confirmation).toEqual({ kind: 'key' });
  });

  it('is the typed name where more than one goes or is altered', () => {
    expect(prepared(deleting('background', 'api')).confirmation).toEqual({
      kind: 'typed',
      word: 'api',
      because: '4 objects are deleted',
    });
    expect(prepared(deleting('orphan', 'api')).confirmation).toMatchObject({ kind: 'typed', word: 'api' });
  });

  it('is the typed number where several are deleted at once', () => {
    expect(prepared(deleting('background', 'lone', 'other')).confirmation).toMatchObject({
      kind: 'typed',
      word: '2',
    });
  });

  it('is the typed name for whatever is dangerous, small as it may be', () => {
    const { confirmation, forecast } = prepared(unblocking('stuck', 'remove-finalizer/example.com/hold'));
    expect(forecast.deleted).toHaveLength(1);
    expect(confirmation).toEqual({ kind: 'typed', word: 'stuck', because: 'this is dangerous' });
  });
});

describe('what an action concerns', () => {
  it('is its targets and everything that goes or is altered, once each', () => {
    const names = prepared(deleting('orphan', 'api')).concerned.map(({ kind, name }) => `${kind} ${name}`);
    expect(names.sort()).toEqual(['Deployment api', 'ReplicaSet api-h']);
  });

  it('is not what happens anyway', () => {
    expect(prepared(deleting('background', 'lone')).concerned.map(({ name }) => name)).toEqual(['lone']);
  });
});

describe('the requests', () => {
  it('name the very object that was seen', () => {
    const [request] = prepared(deleting('foreground', 'lone')).requests;
    const { uid, resourceVersion } = objectOf(view, 'lone');
    expect(request?.body).toMatchObject({
      propagationPolicy: 'Foreground',
      preconditions: { uid, resourceVersion },
    });
  });

  it('name the uid alone where the API server could not compare a resourceVersion', () => {
    const preconditions = (yamlOf: string, cascade: Cascade): unknown => {
      const of = viewOf(`- {kind: ConfigMap, name: c, resourceVersion: '7', finalizers: [${yamlOf}]}`);
      const [request] = prepared({ verb: 'delete', cascade, targets: [objectOf(of, 'c')] }, of).requests;
      return record(request?.body)['preconditions'];
    };
    const both = { uid: 'c', resourceVersion: '7' };
    expect(preconditions('orphan', 'background')).toEqual({ uid: 'c' });
    expect(preconditions('foregroundDeletion', 'background')).toEqual({ uid: 'c' });
    // These leave a finalizer on it, or had none.
    expect(preconditions('orphan, a/b', 'background')).toEqual(both);
    expect(preconditions('orphan', 'foreground')).toEqual(both);
    expect(preconditions('', 'background')).toEqual(both);
  });

  it('have a grace period only where one was asked for', () => {
    expect(prepared(deleting('background', 'lone')).requests[0]?.body).not.toHaveProperty(
      'gracePeriodSeconds',
    );
    const intent = { ...deleting('background', 'api-h-0'), gracePeriodSeconds: 0 };
    expect(prepared(intent).requests[0]?.body).toMatchObject({ gracePeriodSeconds: 0 });
    expect(actionOf(intent)).toMatchObject({ gracePeriodSeconds: 0 });
  });
});

describe('whether two forecasts promise the same', () => {
  const before = prepared(deleting('background', 'api'));
  const changed = (more: string): Prepared => {
    const other = viewOf(yaml + more);
    return prepared({ ...deleting('background', 'api'), targets: [objectOf(other, 'api')] }, other);
  };

  it('is so where only something else has changed', () => {
    expect(promises.areSame(before, changed('- {kind: ConfigMap, name: new}'))).toBe(true);
  });

  it('is not so where another object would go', () => {
    expect(
      promises.areSame(
        before,
        changed('- {kind: ConfigMap, name: new, owners: [apps/v1 Deployment api api]}'),
      ),
    ).toBe(false);
  });

  it('is not so where it would be held by another finalizer', () => {
    const stuck = (finalizer: string): Prepared =>
      changed(
        `- {kind: ConfigMap, name: new, owners: [apps/v1 Deployment api api], finalizers: [${finalizer}]}`,
      );
    expect(promises.areSame(stuck('a/a'), stuck('a/a'))).toBe(true);
    expect(promises.areSame(stuck('a/a'), stuck('b/b'))).toBe(false);
  });

  it('is not so for another object under the same name', () => {
    const again = viewOf(
      yaml.replace('{kind: ConfigMap, name: lone}', '{kind: ConfigMap, name: lone, uid: again}'),
    );
    const then = prepared({ ...deleting('background', 'lone'), targets: [objectOf(again, 'again')] }, again);
    expect(promises.areSame(prepared(deleting('background', 'lone')), then)).toBe(false);
  });

  it('is not so for another policy', () => {
    expect(promises.areSame(before, prepared(deleting('foreground', 'api')))).toBe(false);
  });

  it('is less, not more, for what is left of several', () => {
    const all = prepared(deleting('background', 'lone', 'other'));
    const rest = prepared(deleting('background', 'other'));
    expect(promisesNoMore(all, rest)).toBe(true);
    expect(promisesNoMore(rest, all)).toBe(false);
    expect(promisesNoMore(all, prepared(deleting('background', 'api')))).toBe(false);
  });
});

describe('the title of an action', () => {
  it('names the object, how many more there are, and the policy', () => {
    expect(Intent.title(deleting('orphan', 'api', 'lone'))).toBe(
      'delete Deployment shop/api and 1 more, orphan',
    );
    expect(Intent.title(unblocking('stuck', 'remove-finalizer/example.com/hold'))).toMatch(
      /\(ConfigMap shop\/stuck\)$/u,
    );
  });
});
