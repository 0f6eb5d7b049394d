/** Ghost rows of what is to be created, and what comes in their place once the action is under way. */
import { expect, test } from 'vitest';
import { actionView } from '../../../src/app/dialogs/action-panel.ts';
import { paintingOf } from '../../../src/app/painting/make.ts';
import type { ActionNews, ActionStage } from '../../../src/app/state/action-dialog.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { Uid } from '../../../src/model/object.ts';
import { deployment, nodes, pod } from '../../forecast/fixtures.ts';
import { ScreenDriver } from '../screen-driver.ts';

const yaml = `${nodes}${deployment('api', 2)}`;
const labels = '{app: api, pod-template-hash: h}';
const set = (name: string): string =>
  `- {kind: ReplicaSet, name: ${name}, generation: 1, labels: ${labels}, owners: [apps/v1 Deployment api api +c +b], spec: {replicas: 2, selector: {matchLabels: ${labels}}, template: {metadata: {labels: ${labels}}}}, status: {replicas: 2}}`;
const podOf = (name: string, owner = 'api-h'): string =>
  pod(name, `apps/v1 ReplicaSet ${owner} ${owner} +c +b`, `, labels: ${labels}`);

/** With the question of a deletion on the screen. */
function asked(...uids: string[]): ScreenDriver {
  const driver = ScreenDriver.complete(yaml);
  while (driver.state.tree.selected?.kind !== 'object' || driver.state.tree.selected.uid !== uids[0])
    driver.press('down');
  driver.press('d');
  const { cluster, now } = driver.state;
  if (cluster === undefined) throw new Error('no cluster');
  const targets = uids.flatMap(uid => cluster.node(uid as Uid)?.object ?? []);
  const forecast = Forecaster.create(cluster.view, { now }).forecast({
    verb: 'delete',
    cascade: 'background',
    targets,
  });
  tell(driver, {
    stage: { at: 'asking', question: 'Sure?', word: undefined, typed: '' },
    lines: [],
    paintings: new Map([['', paintingOf(forecast)]]),
  });
  return driver;
}

function tell(driver: ScreenDriver, news: ActionNews): void {
  driver.send({ type: 'action', number: 1, news });
}

const sending: ActionStage = { at: 'working', doing: 'sending request 1 of 1', stoppable: false };

function rows(driver: ScreenDriver): string[] {
  return driver
    .rows()
    .map(
      line => /^(.)[ │├└]*(?:[▾▸] )?((?:\d+ new )?\w+(?: [\w-]+)?)/u.exec(line)?.slice(1).join(' ') ?? line,
    );
}

function ghosts(driver: ScreenDriver): string[] {
  return driver.rows().flatMap(line => /\d+ new \w+/u.exec(line)?.[0] ?? []);
}

/** Of the rows of ghosts. */
function depths({ state: { cluster } }: ScreenDriver): number[] {
  const items = cluster?.rows.window(0, 100) ?? [];
  return items.flatMap(item =>
    item.kind === 'object' && cluster?.beside?.ghost(item.uid) ? item.depth : [],
  );
}

test('a ghost goes as soon as what it stood for has come, which has its sign and stands out', () => {
  const driver = asked('api-h-0');
  expect(ghosts(driver)).toEqual(['1 new Pod']);
  tell(driver, { stage: sending });
  expect(ghosts(driver)).toEqual(['1 new Pod']);
  driver.change(podOf('api-h-c'));
  expect(ghosts(driver)).toEqual([]);
  expect(rows(driver)).toContain('+ Pod api-h-c');
  expect(driver.state.cluster?.beside?.changedAt('api-h-c' as Uid)).toBe(driver.state.now);
  driver.remove(podOf('api-h-0'));
  expect(driver.rows().find(line => line.includes('api-h-0'))).toMatch(/gone/u);
  expect(ghosts(driver)).toEqual([]);
  driver.press('escape');
  expect(rows(driver)).toContain('  Pod api-h-c');
});

test('one below no owner is there at once, and goes with what is painted, though nothing comes of the cluster', () => {
  const driver = asked('api-h');
  const { cluster, now } = driver.state;
  if (cluster === undefined) throw new Error('no cluster');
  const nothing = Forecaster.create(cluster.view, { now }).forecast({ verb: 'none' });
  const created = {
    by: undefined,
    apiVersion: 'v1',
    kind: 'Service',
    count: 1,
    named: [{ namespace: 'shop', name: 'web' }],
    pending: 0,
    anyway: false,
  };
  const painting = paintingOf({ ...nothing, recreated: [created] });
  tell(driver, { paintings: new Map([['', paintingOf(nothing)]]) });
  expect(ghosts(driver)).toEqual([]);
  tell(driver, { paintings: new Map([['', painting]]) });
  expect(ghosts(driver)).toEqual(['1 new Service']);
  tell(driver, { paintings: new Map([['', paintingOf(nothing)]]) });
  expect(ghosts(driver)).toEqual([]);
  tell(driver, { stage: sending, paintings: new Map([['', painting]]) });
  for (const other of [
    '{kind: Service, name: other}',
    '{kind: Service, name: web, namespace: infra, uid: u}',
    '{kind: Secret, name: web, uid: s}',
  ])
    driver.change(`- ${other}`);
  expect(ghosts(driver)).toEqual(['1 new Service']);
  driver.change('- {kind: Service, name: web, uid: again}');
  expect(ghosts(driver)).toEqual([]);
  expect(rows(driver)).toContain('+ Service web');
});

test('of several it stands for those that are still to come', () => {
  const driver = asked('api-h-0', 'api-h-1');
  expect(ghosts(driver)).toEqual(['2 new Pods']);
  tell(driver, { stage: sending });
  driver.change(podOf('api-h-c'));
  expect(ghosts(driver)).toEqual(['1 new Pod']);
  // Its kubelet reports.
  driver.change(podOf('api-h-c').replace('Running', 'Pending'));
  expect(ghosts(driver)).toEqual(['1 new Pod']);
  driver.change(podOf('api-h-d'));
  expect(ghosts(driver)).toEqual([]);
});

test('what comes while the question stands is none of its doing', () => {
  const driver = asked('api-h-0');
  driver.change(podOf('api-h-c'));
  expect(ghosts(driver)).toEqual(['1 new Pod']);
  tell(driver, { stage: sending });
  driver.change(podOf('api-h-c').replace('Running', 'Pending'));
  expect(ghosts(driver)).toEqual(['1 new Pod']);
  driver.change(podOf('api-h-d'));
  expect(ghosts(driver)).toEqual([]);
});

test('what a controller creates that is created itself stands below it, and moves below it once it has come', () => {
  const driver = asked('api-h');
  const shown = rows(driver);
  expect(shown.slice(shown.indexOf('+ 1 new ReplicaSet'))).toEqual(
    expect.arrayContaining(['+ 1 new ReplicaSet', '+ 2 new Pods']),
  );
  expect(depths(driver)).toEqual([1, 2]);
  tell(driver, { stage: sending });
  // The watch of pods may be ahead of that of ReplicaSets.
  driver.change(podOf('new-h-a', 'new-h'));
  expect(ghosts(driver)).toEqual(['1 new ReplicaSet', '2 new Pods']);
  driver.change(set('new-h'));
  expect(ghosts(driver)).toEqual(['1 new Pod']);
  const after = rows(driver);
  expect(after.indexOf('+ 1 new Pod')).toBeGreaterThan(after.indexOf('+ ReplicaSet new-h'));
  driver.change(podOf('new-h-b', 'new-h'));
  expect(ghosts(driver)).toEqual([]);
});

test('what has come shows in a narrowed tree as its ghost did', () => {
  const driver = asked('api-h-0');
  driver.state.cluster?.setFilter({ kind: 'targets', title: '', matches: ({ uid }) => uid === 'api-h-0' });
  driver.state.cluster?.paint(undefined);
  tell(driver, { stage: sending });
  expect(ghosts(driver)).toEqual(['1 new Pod']);
  driver.change(podOf('api-h-c'));
  expect(rows(driver)).toContain('+ Pod api-h-c');
  driver.press('escape');
  expect(rows(driver).join('\n')).not.toContain('api-h-c');
});

test('while it is followed, the panel says how much of a grace period is left', () => {
  const driver = asked('api-h-0');
  const following = {
    at: 'following',
    progress: '1 of 2 · waits for Pod api-h-0',
    done: 1,
    total: 2,
  } as const;
  tell(driver, { stage: { ...following, until: driver.state.now + 30_000 } });
  const head = (): string => {
    const { dialog } = driver.state;
    if (dialog?.kind !== 'action') throw new Error('no panel');
    return actionView(driver.state, dialog)
      .head.map(spans => spans.map(({ text }) => text).join(''))
      .join(' ');
  };
  expect(head()).toContain('30s of its grace period left');
  driver.wait(12_000);
  expect(head()).toContain('18s of its grace period left');
  driver.wait(20_000);
  expect(head()).not.toContain('grace period left');
});

test('what a controller creates that an undo creates again stands below it, and its ghosts go', () => {
  const driver = ScreenDriver.complete(yaml).press('d');
  const { cluster, now } = driver.state;
  if (cluster === undefined) throw new Error('no cluster');
  const none = Forecaster.create(cluster.view, { now }).forecast({ verb: 'none' });
  const back = { namespace: 'shop', name: 'back' };
  const created = { pending: 0, anyway: false, by: undefined };
  const by = { apiVersion: 'apps/v1', kind: 'ReplicaSet', ...back, uid: 'simulated' as Uid };
  const recreated = [
    { ...created, apiVersion: 'apps/v1', kind: 'ReplicaSet', count: 1, named: [back] },
    { ...created, apiVersion: 'v1', kind: 'Pod', count: 2, by },
  ];
  const asks: ActionStage = { at: 'asking', question: 'Sure?', word: undefined, typed: '' };
  const painting = paintingOf({ ...none, recreated });
  tell(driver, { stage: asks, lines: [], paintings: new Map([['', painting]]) });
  expect(ghosts(driver)).toEqual(['1 new ReplicaSet', '2 new Pods']);
  expect(depths(driver)).toEqual([0, 1]);
  tell(driver, { stage: sending });
  driver.change(`- {kind: ReplicaSet, name: back}${podOf('back-a', 'back')}`);
  expect(ghosts(driver)).toEqual(['1 new Pod']);
  driver.change(podOf('back-b', 'back'));
  expect(ghosts(driver)).toEqual([]);
});
