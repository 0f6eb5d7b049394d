/** The forecast on the tree: what its rows show while an action's panel is open, by keys and news alone. */
import { describe, expect, test } from 'vitest';
import { paintingOf } from '../../../src/app/painting/make.ts';
import { screenLines } from '../../../src/app/screen/screen-lines.ts';
import type { ActionNews } from '../../../src/app/state/action-dialog.ts';
import { layoutOf } from '../../../src/app/state/layout.ts';
import { currentNode } from '../../../src/app/views/current.ts';
import { Cascade } from '../../../src/forecast/action.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { Uid } from '../../../src/model/object.ts';
import { planWords } from '../../../src/text/plan/plan-lines.ts';
import { TextLine } from '../../../src/text/terminal/text-line.ts';
import { type DriverOptions, ScreenDriver } from '../screen-driver.ts';

const yaml = `
- {kind: Deployment, apiVersion: apps/v1, name: api}
- {kind: ReplicaSet, apiVersion: apps/v1, name: api-1, owners: [apps/v1 Deployment api]}
- {kind: ConfigMap, name: held, finalizers: [example.com/drain], owners: [apps/v1 ReplicaSet api-1]}
- {kind: ConfigMap, name: shared, owners: [apps/v1 ReplicaSet api-1, v1 ConfigMap keeper]}
- {kind: ConfigMap, name: keeper}
`;

function forecastOf(driver: ScreenDriver, uid: string, cascade: Cascade) {
  const { cluster, now } = driver.state;
  const target = cluster?.node(uid as Uid)?.object;
  if (cluster === undefined || target === undefined) throw new Error(`no ${uid}`);
  return Forecaster.create(cluster.view, { now }).forecast({ verb: 'delete', cascade, targets: [target] });
}

/** The question of a policy, as it is asked once the forecasts are there. */
function choosing(driver: ScreenDriver, uid: string): ActionNews {
  const choice = { style: 'plain' as const, lines: [] };
  return {
    stage: {
      at: 'choosing',
      question: 'Which policy?',
      as: 'row',
      choices: Cascade.all.map(id => ({
        ...choice,
        id,
        label: id,
        hint: planWords.countSigns(forecastOf(driver, uid, id)),
      })),
      cursor: 0,
    },
    lines: [],
    paintings: new Map(Cascade.all.map(each => [each, paintingOf(forecastOf(driver, uid, each))])),
    table: [TextLine.of('side by side')],
  };
}

function onDeployment(options: DriverOptions = {}): ScreenDriver {
  const driver = ScreenDriver.complete(yaml, options);
  while (driver.state.tree.selected?.kind !== 'object' || driver.state.tree.selected.uid !== 'api')
    driver.press('down');
  driver.press('d');
  driver.send({ type: 'action', number: driver.state.actions, news: choosing(driver, 'api') });
  return driver;
}

function row(driver: ScreenDriver, name: string): string {
  return driver.rows().find(line => line.includes(name)) ?? '';
}

/** What is drawn, blanks at the ends of lines left out. */
function drawn(driver: ScreenDriver): string[] {
  const lines = screenLines(driver.state);
  if (lines.kind !== 'drawn' || lines.body.kind !== 'views') return [];
  const { list, details } = lines.body;
  return [...(list?.lines ?? []), ...(details?.lines ?? [])].map(({ spans }) =>
    spans.map(({ text }) => text).join(''),
  );
}

describe('while a policy is chosen', () => {
  test('each row says what becomes of its object, by a sign and in words', () => {
    const driver = onDeployment();
    expect(row(driver, 'Deployment api')).toMatch(/^-.* would be deleted/u);
    expect(row(driver, 'ReplicaSet api-1')).toMatch(/^-.* would be deleted/u);
    expect(row(driver, 'ConfigMap held')).toMatch(/^!.* held by example\.com\/drain /u);
    expect(row(driver, 'ConfigMap shared')).toMatch(/^~.* loses an owner reference/u);
    expect(row(driver, 'ConfigMap keeper')).toMatch(/^ /u);
  });

  test.each([
    [200, ['label:app']],
    [120, ['label:app']],
    [80, ['uid', 'kind', 'owner', 'state']],
    [60, ['uid', 'kind', 'owner', 'state']],
  ])('beside columns of the user’s own, too, %i columns wide: %j', (width, columns) => {
    const driver = onDeployment({ columns: width, rows: 24, settings: { columns } });
    expect(row(driver, ' api ')).toMatch(/^-▾ (?:Deployment )?api .* deleted/u);
    expect(row(driver, ' held ')).toMatch(/^!.* held by example\.com\/drain/u);
    expect(row(driver, ' keeper')).toMatch(/^ /u);
  });

  test.each([
    [200, 50, true],
    [120, 35, true],
    [80, 24, true],
    [60, 15, false],
  ])('below each policy its counts in the signs of the rows, at %i by %i: %s', (columns, rows, roomy) => {
    const lines = drawn(onDeployment({ columns, rows }));
    const at = lines.findIndex(line => line.includes('[1 background]'));
    const signs = lines[at + 1] ?? '';
    if (!roomy) return expect(signs).not.toMatch(/-\d/u);
    expect(signs.trim().split(/ {2,}/u).slice(0, 3)).toEqual(['-2 !1 ~1', '-2 !1 ~1', '-1 ~1']);
    expect(`${signs}${lines[at + 2] ?? ''}`).toContain('- deleted  ! stuck  ~ altered');
    // Each stands below its policy.
    expect(signs.lastIndexOf('-2 !1 ~1')).toBe(lines[at]?.indexOf('2 foreground'));
    expect(signs.indexOf('-1 ~1')).toBe(lines[at]?.indexOf('3 orphan'));
  });

  test('another policy paints the rows anew, back and forth', () => {
    const driver = onDeployment();
    const background = driver.rows();
    driver.press('3');
    expect(row(driver, 'Deployment api')).toMatch(/^-/u);
    expect(row(driver, 'ReplicaSet api-1')).toMatch(/^~.* loses its owner reference/u);
    expect(row(driver, 'ConfigMap held')).toMatch(/^ /u);
    driver.press('left', 'left');
    expect(driver.rows()).toEqual(background);
  });

  test('what is struck through will be deleted, and nothing else is', () => {
    const driver = onDeployment();
    const lines = screenLines(driver.state);
    if (lines.kind !== 'drawn' || lines.body.kind !== 'views') throw new Error('no views');
    const struck = (lines.body.list?.lines ?? []).flatMap(({ spans }) =>
      spans.filter(({ style }) => style === 'struck').map(({ text }) => text.trim()),
    );
    expect(struck).toEqual(['Deployment api', 'ReplicaSet api-1']);
  });

  test('a folded row counts what is below it', () => {
    const driver = ScreenDriver.complete(yaml);
    driver.press('-');
    while (driver.state.tree.selected?.kind !== 'object' || driver.state.tree.selected.uid !== 'api')
      driver.press('down');
    driver.press('d');
    driver.send({ type: 'action', number: 1, news: choosing(driver, 'api') });
    expect(row(driver, 'ReplicaSet api-1')).toMatch(/^-.* deleted +⚠1 ~1/u);
    driver.press('3');
    expect(row(driver, 'ReplicaSet api-1')).not.toContain('⚠1');
  });

  test('the tree stays where it was scrolled to, whatever comes and whatever is forecast anew', () => {
    const many = Array.from(
      { length: 40 },
      (_, i) => `\n- {kind: ConfigMap, name: part-${i}, owners: [apps/v1 Deployment api]}`,
    );
    const driver = onDeployment({ columns: 80, rows: 24 });
    driver.change(many.join(''));
    const news = (): ActionNews => choosing(driver, 'api');
    driver.send({ type: 'action', number: driver.state.actions, news: news() });
    driver.press('pagedown', 'pagedown');
    const { top, index } = driver.state.tree;
    expect(top).toBeGreaterThan(index);
    driver.change('- {kind: ConfigMap, name: keeper, finalizers: [example.com/hold]}');
    driver.judge();
    driver.send({ type: 'action', number: driver.state.actions, news: news() });
    expect(driver.state.tree.top).toBe(top);
    driver.press('home');
    driver.change('- {kind: ConfigMap, name: keeper}');
    expect(driver.state.tree.top).toBe(0);
  });

  test('the cursor stays on what an action is asked about before anybody moved it', () => {
    const driver = new ScreenDriver();
    driver.list('- {kind: ConfigMap, name: settings}');
    driver.press('d');
    const uid = (): string | undefined =>
      driver.state.tree.selected?.kind === 'object' ? driver.state.tree.selected.uid : undefined;
    expect([driver.state.dialog?.kind, uid()]).toEqual(['action', 'settings']);
    driver.change('- {kind: ConfigMap, name: earlier}');
    expect([driver.state.tree.index, uid()]).toEqual([1, 'settings']);
  });

  test('closing it leaves nothing painted, and what was on the screen before', () => {
    const driver = ScreenDriver.complete(yaml);
    driver.press('-');
    while (driver.state.tree.selected?.kind !== 'object' || driver.state.tree.selected.uid !== 'api')
      driver.press('down');
    const before = drawn(driver);
    driver.press('d');
    driver.send({ type: 'action', number: 1, news: choosing(driver, 'api') });
    driver.press('down', '3', 'escape');
    expect(driver.state.cluster?.painting).toBeUndefined();
    expect(drawn(driver)).toEqual(before);
  });

  test('w shows the policies side by side, and again this one', () => {
    const driver = onDeployment();
    driver.press('w');
    expect(drawn(driver)).toContain('side by side');
    driver.press('w');
    expect(drawn(driver)).not.toContain('side by side');
  });

  test.each([
    [200, 50],
    [120, 35],
    [80, 24],
    [60, 15],
  ])('five rows of the tree and the question stay in sight at %i by %i', (columns, rows) => {
    const driver = onDeployment({ columns, rows });
    const { tree, details, body } = layoutOf(driver.state);
    expect(tree?.height).toBeGreaterThanOrEqual(5);
    expect((details?.top ?? 0) + (details?.height ?? 0)).toBeLessThanOrEqual(body.top + body.height);
    const lines = drawn(driver);
    expect(lines.some(line => /^-.*Deployment api/u.test(line))).toBe(true);
    expect(lines.some(line => line.includes('[1 background]'))).toBe(true);
  });
});

describe('an action that begins in another view', () => {
  test('shows the tree, and the view again once it is closed', () => {
    const driver = ScreenDriver.complete(`${yaml}
- {kind: ConfigMap, name: stuck, deletionTimestamp: "2026-11-21T11:00:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]}`);
    driver.press('2', 'G');
    while (currentNode(driver.state) === undefined) driver.press('up');
    const before = drawn(driver);
    driver.press('d');
    expect(driver.state.view).toBe('tree');
    expect(driver.state.tree.selected).toMatchObject({ uid: 'stuck' });
    driver.press('escape');
    expect(driver.state.view).toBe('problems');
    expect(drawn(driver)).toEqual(before);
  });
});

describe('after the yes', () => {
  const live = (driver: ScreenDriver): void => {
    driver.send({
      type: 'action',
      number: 1,
      news: { stage: { at: 'following', progress: '0 of 3', done: 1, total: 2 } },
    });
  };
  const deleting = `{kind: ConfigMap, name: held, finalizers: [example.com/drain], deletionTimestamp: "2026-11-21T12:00:00Z", deletionGracePeriodSeconds: 0, owners: [apps/v1 ReplicaSet api-1]}`;

  test('the same rows say how far it is, and what is gone stays until the panel is closed', () => {
    const driver = onDeployment();
    driver.press('enter');
    live(driver);
    expect(row(driver, 'ReplicaSet api-1')).toMatch(/^-.* will be deleted/u);
    driver.remove('- {kind: Deployment, apiVersion: apps/v1, name: api}');
    expect(row(driver, 'Deployment api')).toMatch(/^-.* gone/u);
    driver.remove('- {kind: ReplicaSet, apiVersion: apps/v1, name: api-1, owners: [apps/v1 Deployment api]}');
    driver.change(`- ${deleting}`);
    driver.change('- {kind: ConfigMap, name: shared, owners: [v1 ConfigMap keeper]}');
    expect(row(driver, 'ReplicaSet api-1')).toMatch(/^-.* gone/u);
    expect(row(driver, 'ConfigMap held')).toMatch(/^!.* held by example/u);
    expect(row(driver, 'ConfigMap shared')).toMatch(/^~.* done: loses an owner reference/u);
    driver.remove(`- ${deleting}`);
    expect(driver.rows().filter(line => /Deployment api|ReplicaSet api-1|held/u.test(line))).toEqual([
      expect.stringMatching(/Deployment api .* gone/u),
      expect.stringMatching(/ReplicaSet api-1 .* gone/u),
      expect.stringMatching(/ConfigMap held .* gone/u),
    ]);
    driver.press('escape');
    expect(driver.rows().join('\n')).not.toMatch(/Deployment api|ReplicaSet api-1|held/u);
  });

  test('rows stay where they stand, whatever is found of them, until the panel is closed', () => {
    const driver = onDeployment({ columns: 240 }).press('enter');
    const names = (): readonly string[] =>
      driver.rows().flatMap(line => /(?:Deployment|ReplicaSet|ConfigMap) [\w-]+/u.exec(line)?.[0] ?? []);
    const before = names();
    live(driver);
    driver.change(`- ${deleting}`);
    driver.change(
      '- {kind: Deployment, apiVersion: apps/v1, name: api, finalizers: [foregroundDeletion], deletionTimestamp: "2026-11-21T12:00:00Z"}',
    );
    driver.judge();
    expect(names()).toEqual(before);
    driver.press('escape');
    expect(names()[0]).toBe('Deployment api');
    expect(before[0]).toBe('ConfigMap keeper');
  });

  test('what has gone is said to be gone by a later forecast as well, which knows nothing of it', () => {
    const driver = onDeployment();
    driver.remove('- {kind: ConfigMap, name: held}');
    driver.send({ type: 'action', number: driver.state.actions, news: choosing(driver, 'api') });
    driver.press('enter');
    live(driver);
    expect(row(driver, 'ConfigMap held')).toMatch(/^ .* gone/u);
  });

  test('what stands below an owner that another namespace’s reference misnames keeps its name', () => {
    const driver = ScreenDriver.complete(`${yaml}
- {kind: ClusterRole, apiVersion: rbac.authorization.k8s.io/v1, name: reader, owners: [apps/v1 Deployment api]}`);
    while (driver.state.tree.selected?.kind !== 'object' || driver.state.tree.selected.uid !== 'api')
      driver.press('down');
    driver.press('d');
    driver.send({ type: 'action', number: driver.state.actions, news: choosing(driver, 'api') });
    driver.press('enter');
    live(driver);
    driver.remove('- {kind: Deployment, apiVersion: apps/v1, name: api}');
    expect(row(driver, 'api-1')).toMatch(/ReplicaSet api-1 /u);
  });

  test('a row that changes stands out once, for a moment', () => {
    const driver = onDeployment().press('enter');
    live(driver);
    const standsOut = (): string[] => {
      const lines = screenLines(driver.state);
      if (lines.kind !== 'drawn' || lines.body.kind !== 'views') return [];
      return (lines.body.list?.lines ?? []).flatMap(({ chosen, spans }) =>
        chosen ? [spans.map(({ text }) => text).join('')] : [],
      );
    };
    expect(standsOut()).toEqual([]);
    driver.change('- {kind: ConfigMap, name: shared, owners: [v1 ConfigMap keeper]}');
    expect(standsOut()).not.toEqual([]);
    expect(standsOut().every(line => line.includes('ConfigMap shared'))).toBe(true);
    driver.wait(1_000);
    expect(standsOut()).toEqual([]);
  });
});
