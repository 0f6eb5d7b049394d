/** What a forecast does outside of the tree on the screen: the panel counts it, whatever the tree shows. */
import { expect, test } from 'vitest';
import { actionView } from '../../../src/app/dialogs/action-panel.ts';
import { paintingOf } from '../../../src/app/painting/make.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { Uid } from '../../../src/model/object.ts';
import { deployment, nodes } from '../../forecast/fixtures.ts';
import { type DriverOptions, ScreenDriver } from '../screen-driver.ts';

const yaml = `
- {kind: ConfigMap, name: here}
- {kind: ClusterRole, name: root, namespace: ""}
- {kind: ConfigMap, name: mine, owners: [rbac.authorization.k8s.io/v1 ClusterRole root]}
- {kind: ClusterRole, name: leaf, namespace: "", owners: [rbac.authorization.k8s.io/v1 ClusterRole root]}
- {kind: ConfigMap, name: far-1, namespace: infra, owners: [rbac.authorization.k8s.io/v1 ClusterRole root]}
- {kind: ConfigMap, name: far-2, namespace: infra, owners: [rbac.authorization.k8s.io/v1 ClusterRole root]}
- {kind: ConfigMap, name: held, namespace: tools, finalizers: [example.com/hold], owners: [rbac.authorization.k8s.io/v1 ClusterRole root]}
`;

/** What the panel says while the deletion is asked about. */
function panel(
  uid: string,
  text: string,
  options: DriverOptions = {},
): { driver: ScreenDriver; said: string } {
  const driver = ScreenDriver.complete(text, options).press('d');
  const { cluster, now } = driver.state;
  const target = cluster?.node(uid as Uid)?.object;
  if (cluster === undefined || target === undefined) throw new Error(`no ${uid}`);
  const forecaster = Forecaster.create(cluster.view, { now });
  const forecast = forecaster.forecast({ verb: 'delete', cascade: 'background', targets: [target] });
  const stage = { at: 'asking', question: 'Sure?', word: undefined, typed: '' } as const;
  const paintings = new Map([['', paintingOf(forecast)]]);
  driver.send({ type: 'action', number: 1, news: { stage, lines: [], paintings } });
  return { driver, said: said(driver) };
}

function said({ state }: ScreenDriver): string {
  if (state.dialog?.kind !== 'action') throw new Error('no panel');
  return actionView(state, state.dialog)
    .lines.map(spans =>
      spans
        .map(({ text }) => text)
        .join('')
        .trim(),
    )
    .join(' ');
}

test('in the tree of a namespace, what happens elsewhere is counted by place', () => {
  expect(panel('root', yaml).said).toBe(
    'Not in this tree: 2 deleted outside of namespaces; 2 deleted in infra; 1 stuck in tools.',
  );
});

test('in the tree of all namespaces nothing is elsewhere', () => {
  expect(panel('root', yaml, { namespace: undefined }).said).toBe('');
});

test('what has its rows in the tree, folded or narrowed away before, is not counted', () => {
  const { driver, said: before } = panel('here', yaml);
  expect(before).toBe('');
  driver.press('escape', '-', 'd');
  expect(panel('mine', yaml).said).toBe('');
});

test('of many namespaces the three with most are named', () => {
  const many = Array.from(
    { length: 5 },
    (_, i) =>
      `- {kind: ConfigMap, name: c${i}, namespace: n${i}, owners: [rbac.authorization.k8s.io/v1 ClusterRole root]}\n`,
  ).join('');
  expect(panel('root', `${yaml}${many}`).said).toMatch(/; 5 in 5 more namespaces\.$/u);
});

test('what a controller elsewhere creates has no row here', () => {
  const namespace =
    '- {kind: Namespace, name: infra, spec: {finalizers: [kubernetes]}, status: {phase: Active}}';
  const text = `${nodes}${namespace}${deployment('api', 1).replaceAll('name: api', 'namespace: infra, name: api')}- {kind: ConfigMap, name: here}`;
  const { driver, said: words } = panel('api-h-0', text);
  expect(words).toBe('Not in this tree: 1 deleted, 1 created in infra.');
  expect(driver.rows().join('\n')).not.toContain('new Pod');
});
