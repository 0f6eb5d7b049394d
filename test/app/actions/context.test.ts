import { expect, test } from 'vitest';
import { ActionCluster, type ActionSubject } from '../../../src/app/actions/context.ts';
import { ClusterModel } from '../../../src/app/cluster/model.ts';
import type { LookUp } from '../../../src/model/exchange/changes.ts';
import { listedBatch, objects } from '../../cli/documents/cluster.ts';
import { nodes, now, objectOf, operator } from '../../forecast/fixtures.ts';

const held = `${nodes}${operator(1)}
- {kind: ConfigMap, name: cart, finalizers: [example.com/drain]}
`;

/** A cluster on the screen, and a source that answers every question after permissions. */
function cluster(state: 'allowed' | 'denied'): { readonly actions: ActionCluster; readonly asked: LookUp[] } {
  const model = new ClusterModel({ namespace: undefined });
  model.view.settings = { ...model.view.settings, listsMayLag: true };
  model.view.apply(listedBatch(objects(held)), 0);
  const asked: LookUp[] = [];
  const source = {
    lookUp: (wanted: Iterable<LookUp>) => {
      const open = [...wanted];
      asked.push(...open);
      model.view.apply({ changes: [], lookUps: open.map(lookUp => ({ lookUp, answer: { state } })) }, 0);
    },
  } as unknown as ActionSubject['source'];
  const subject = { cluster: model, source, changed: () => Promise.resolve() };
  const ports = {
    now: () => now,
    soon: (run: () => void) => {
      run();
      return () => {};
    },
  };
  return { actions: new ActionCluster(subject, ports), asked };
}

test.each([
  ['allowed', 'Depends', ['']],
  ['denied', 'Stuck', ['', 'cart']],
] as const)(
  'a forecast on the screen asks whether a handler may do its work: %s',
  async (state, outcome, names) => {
    const { actions, asked } = cluster(state);
    const targets = [objectOf(actions.view, 'cart')];
    const { forecast } = await actions.prepare({ verb: 'delete', cascade: 'background', targets });
    expect(forecast.outcome).toBe(outcome);
    expect(asked.map(({ of, name }) => [of, name])).toEqual(names.map(each => ['permission', each]));
  },
);
