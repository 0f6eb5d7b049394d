/** Acting on the screen, by keys alone, on the demo's simulated clusters: what a person sees and presses. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { actingDemo, closeDialog, goTo, undoLatest } from './actions/acting-demo.ts';
import { cursorRow, panelHas, panelSays, panelText, pressUntil, programOf, sizes } from './program.ts';
import { keys } from './terminal.ts';

const program = programOf('main');
const { home, demo, journalled } = actingDemo(program);

describe('what tools do beside, on 80 columns and 24 lines', () => {
  const small = { scenario: 'gitops', cols: 80, rows: 24 };

  test('d counts it above the question and names below what goes and what stays', async () => {
    const terminal = await demo(['-A'], small);
    await goTo(terminal, 'application shop', 'Application shop');
    terminal.send('d');
    const asked = await panelSays(terminal, /Type shop and press enter to confirm/u);
    expect(asked).toMatch(/Tools that manage objects are assumed to delete 6 more/u);
    await panelHas(terminal, 'deletes 3 Argo CD Application argocd/shop');
    await panelHas(terminal, 'leaves 1 Argo CD Application argocd/shop');
    await panelHas(terminal, 'PersistentVolumeClaim shop/orders');
    expect(await journalled()).toEqual([]);
  });

  test('o and d tell who creates the deleted object again', async () => {
    const terminal = await demo(['-A'], small);
    await goTo(terminal, 'deployment api', 'Deployment api');
    terminal.send('o');
    const asked = await panelSays(terminal, /Type api and press enter to confirm/u);
    expect(asked).toMatch(/1 is assumed to be recreated by tools/u);
    await panelHas(terminal, 'recreates 1 Argo CD Application argocd/shop');
    await closeDialog(terminal);
    terminal.send('d');
    await panelSays(terminal, '[1 background]');
    await panelHas(terminal, 'recreates 1 Argo CD Application argocd/shop');
    await panelHas(terminal, 'spec.syncPolicy.automated.selfHeal is on');
  });
});

describe('acting by keys alone', () => {
  test('u unblocks the stuck foreground deletion with one key and a confirmation', async () => {
    const terminal = await demo();
    await goTo(terminal, 'statefulset web', 'StatefulSet web');
    terminal.send('u');
    await panelSays(terminal, 'y confirms');
    expect(panelText(terminal)).toContain('PATCH /api/v1/namespaces/shop/pods/web-2');
    expect(await journalled()).toEqual([]);
    terminal.send('y');
    await panelSays(terminal, 'As forecast');
    expect(await journalled()).toHaveLength(1);
    await closeDialog(terminal);
    expect(terminal.text()).toMatch(/StatefulSet web +\? only in references/u);
  });

  test.each([
    ['background', '1', 'As forecast: 2 objects are gone, 1 is altered'],
    ['foreground', '2', 'As forecast: 2 objects are gone, 1 is altered'],
    ['orphan', '3', 'As forecast: 1 object is gone, 1 is altered'],
  ] as const)(
    'd deletes with the policy %s, after all three were shown side by side',
    async (policy, key, end) => {
      const terminal = await demo();
      await goTo(terminal, 'cronjob report', 'CronJob report');
      terminal.send('d');
      await panelSays(terminal, '[1 background]');
      terminal.send('w');
      await panelSays(terminal, /Job report-\d+ deleted deleted orphaned/u);
      terminal.send('w');
      terminal.send(key);
      await panelSays(terminal, `[${key} ${policy}]`);
      terminal.send(keys.enter);
      await panelSays(terminal, 'to confirm:');
      expect(panelText(terminal)).toContain(`Delete CronJob shop/report, ${policy}`);
      terminal.send('repor\r');
      await terminal.settle();
      expect(await journalled()).toEqual([]);
      terminal.send('t\r');
      await panelSays(terminal, 'As forecast', 20_000);
      expect(panelText(terminal).replaceAll(/ after \d+s/gu, '')).toContain(end);
      expect(await journalled()).toHaveLength(1);
      await closeDialog(terminal);
      await undoLatest(terminal, 'report');
    },
  );

  test('d wants the name of a Secret typed, since nobody brings its data back', async () => {
    const terminal = await demo();
    await goTo(terminal, 'orders-credentials', 'Secret orders-credentials');
    terminal.send('d');
    await panelSays(terminal, 'Type orders-credentials');
    expect(panelText(terminal)).toContain('Undo cannot bring back the data of Secret orders-credentials');
    terminal.send('y\r');
    await terminal.settle();
    expect(await journalled()).toEqual([]);
    await closeDialog(terminal);
  });

  test('o orphans what a Deployment owns, and z takes it back as far as that goes', async () => {
    const terminal = await demo();
    await goTo(terminal, 'deployment api', 'Deployment api');
    terminal.send('o');
    await panelSays(terminal, 'to confirm:');
    expect(panelText(terminal)).toContain('propagationPolicy Orphan');
    terminal.send('api\r');
    await panelSays(terminal, 'As forecast');
    await closeDialog(terminal);
    terminal.send('z');
    await panelSays(terminal, 'Which action is undone?');
    expect(panelText(terminal)).toContain('delete Deployment shop/api, orphan');
    expect(panelText(terminal)).toContain('+ recreate Deployment api');
    await closeDialog(terminal);
    await undoLatest(terminal, 'api');
    expect(panelText(terminal)).toContain('Not back:');
    await closeDialog(terminal);
    await goTo(terminal, 'deployment api', 'Deployment api');
    expect(terminal.text()).toMatch(/Deployment api +3\/3/u);
    expect(await journalled()).toHaveLength(2);
  });

  test('an undo of an unblocking puts the reference back while its object lives', async () => {
    const terminal = await demo();
    await goTo(terminal, 'egg', 'ConfigMap egg');
    terminal.send('U');
    await panelSays(terminal, 'Which remedy?');
    // None of them is safe, so none is taken by enter alone.
    expect(terminal.text()).toMatch(/(?:^|[┃|]) +1 +caution/mu);
    terminal.send(keys.enter);
    await terminal.settle();
    expect(panelText(terminal)).toContain('None is recommended.');
    terminal.send('1');
    await terminal.waitFor(/(?:^|[┃|]) ?> 1 +caution/mu);
    terminal.send(keys.enter);
    const asked = await panelSays(terminal, /y confirms|to confirm/u);
    terminal.send(asked.includes('y confirms') ? 'y' : 'egg\r');
    await panelSays(terminal, 'As forecast');
    await panelSays(terminal, 'Undo: z');
    // The key works where it is named.
    await undoLatest(terminal, 'egg');
    expect(panelText(terminal)).not.toContain('Undo: z');
  });

  test('u lists the remedies if none is safe: it never takes the deletion of an APIService by itself', async () => {
    const terminal = await demo([], { scenario: 'namespace-stuck' });
    await goTo(terminal, 'namespace legacy', 'Namespace legacy');
    await terminal.waitFor('u unblock');
    terminal.send('u');
    await panelSays(terminal, 'None is recommended.');
    expect(terminal.text()).not.toMatch(/(?:^|[┃|]) ?> *\d/mu);
    const [, row = ''] = /(?:^|[┃|]) +(\d+ +caution) +delete APIService/mu.exec(terminal.text()) ?? [];
    terminal.send(row.trim().charAt(0));
    await terminal.waitFor(/(?:^|[┃|]) ?> *\d+ +caution +delete APIService/mu);
    terminal.send(keys.enter);
    await panelSays(terminal, 'APIService v1beta1.metrics.k8s.io is not being deleted yet. Type legacy');
    terminal.send('y\r');
    await terminal.settle();
    expect(await journalled()).toEqual([]);
  });

  test('space marks several objects, and the number has to be typed', async () => {
    const terminal = await demo();
    await goTo(terminal, 'egg', 'ConfigMap egg');
    await goTo(terminal, 'data-web-0', 'PersistentVolumeClaim data-web-0');
    terminal.send('  ');
    await terminal.waitFor('2 objects marked');
    terminal.send('d');
    const asked = await panelSays(terminal, /\[1 background\]|to confirm/u);
    if (asked.includes('[1 background]')) terminal.send(keys.enter);
    await panelSays(terminal, 'Type 2');
    expect(panelText(terminal)).toMatch(/Delete PersistentVolumeClaim s.* and 1 more, background/u);
    await closeDialog(terminal);
    await terminal.waitFor('2 objects marked', 6_000);
    terminal.send('M');
    await terminal.waitFor(() => !terminal.text().includes('marked'));
    expect(await journalled()).toEqual([]);
  });

  test('z speaks of this cluster alone: that of an earlier demo was another one', async () => {
    const before = await demo();
    await goTo(before, 'statefulset web', 'StatefulSet web');
    before.send('u');
    await panelSays(before, 'y confirms');
    before.send('y');
    await panelSays(before, 'As forecast');
    before.send('\u0003');
    expect(await before.exit).toBe(130);
    expect(await journalled()).toHaveLength(1);
    const terminal = await demo();
    terminal.send('z');
    await panelSays(terminal, 'The journal has no action on this cluster');
  });

  test('p only tells, and Esc sends nothing', async () => {
    const terminal = await demo();
    await goTo(terminal, 'deployment api', 'Deployment api');
    terminal.send('p');
    await panelSays(terminal, 'Forecast only: nothing is sent.');
    expect(panelText(terminal)).toContain('orphan');
    await closeDialog(terminal);
    terminal.send('o');
    await panelSays(terminal, 'to confirm:');
    terminal.send(keys.escape);
    await terminal.waitFor('Nothing was sent.');
    expect(await journalled()).toEqual([]);
  });

  test('where the journal cannot be written, nothing is sent and the dialog says so', async () => {
    await writeFile(path.join(home(), 'kubectl-gc-tree'), 'in the way');
    const terminal = await demo();
    await goTo(terminal, 'statefulset web', 'StatefulSet web');
    terminal.send('u');
    await panelSays(terminal, 'y confirms');
    terminal.send('y');
    await panelSays(terminal, 'The journal cannot be read or written');
    await closeDialog(terminal);
    expect(cursorRow(terminal)).toContain('waits for web-2');
  });

  test('what is typed before the question is no answer to it', async () => {
    const terminal = await demo();
    await goTo(terminal, 'statefulset web', 'StatefulSet web');
    terminal.send('uy');
    await panelSays(terminal, 'y confirms');
    await terminal.settle(400);
    expect(panelText(terminal)).toContain('y confirms');
    expect(await journalled()).toEqual([]);
  });
});

describe('a row of what is to be created', () => {
  test.each([
    [120, 35],
    [60, 15],
  ])('stands below its controller while a deletion is asked about, at %i by %i', async (cols, rows) => {
    const terminal = await demo([], { cols, rows });
    await goTo(terminal, 'pod shop api-', 'Pod api-');
    terminal.send('d');
    await panelSays(terminal, 'y confirms');
    const ghost = /^\+?[ │├└]+1 new Pod\b/mu;
    // The tree behind scrolls, where it has few rows.
    await pressUntil(terminal, keys.down, () => ghost.test(terminal.text()));
    expect(terminal.text()).toMatch(/^\+[ │├└]+1 new Pod +created/mu);
    await closeDialog(terminal);
    expect(terminal.text()).not.toMatch(ghost);
    expect(await journalled()).toEqual([]);
  });
});

describe('where nothing may be changed', () => {
  test('--read-only: the keys are grey and say why, and p still tells', async () => {
    const terminal = await demo(['--read-only']);
    await goTo(terminal, 'statefulset web', 'StatefulSet web');
    expect(terminal.screen().at(-1)).toMatch(
      /\(u unblock\) +\(d delete\) +p plan .*\(o orphan\) +\(z undo\)/u,
    );
    for (const key of ['d', 'o', 'u', 'U', 'z']) {
      terminal.send(key);
      await terminal.waitFor('Not here: read-only');
    }
    terminal.send(':');
    await terminal.waitFor('Command');
    terminal.send('delete:');
    await terminal.waitFor('not permitted: read-only');
    await closeDialog(terminal);
    terminal.send('p');
    await panelSays(terminal, 'Forecast only');
    expect(await journalled()).toEqual([]);
  });

  test('files cannot be changed', async () => {
    const file = path.join(home(), 'cm.yaml');
    await writeFile(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b, uid: c}\n');
    const terminal = program.start(['-f', file], {
      cols: 120,
      rows: 30,
      env: { XDG_STATE_HOME: home() },
    });
    await terminal.waitFor('ConfigMap a');
    await terminal.waitFor('(d delete)');
    terminal.send('d');
    await terminal.waitFor('Not here: files cannot be changed');
  });
});

describe('on every screen', () => {
  test.each(sizes)('g and f choose the grace period and force of a pod, at %i by %i', async (cols, rows) => {
    const terminal = await demo([], { cols, rows });
    await goTo(terminal, 'pod shop api-', 'Pod api-');
    terminal.send('d');
    await panelSays(terminal, 'Grace period of each pod as it is');
    expect(terminal.screen().at(-1)).toMatch(/g grace period {2}f force/u);
    terminal.send('g');
    await panelSays(terminal, 'Grace period of the pods: 1s');
    terminal.send('f');
    await panelSays(terminal, 'By force, without a grace period');
    await panelSays(terminal, /y confirms|to confirm/u);
    await closeDialog(terminal);
    await goTo(terminal, 'service api', 'Service api');
    terminal.send('d');
    await panelSays(terminal, /y confirms|to confirm/u);
    expect(panelText(terminal)).not.toContain('Grace period');
    await closeDialog(terminal);
    expect(await journalled()).toEqual([]);
  });

  test.each(sizes)('the question, the forecast and the keys show at %i by %i', async (cols, rows) => {
    const terminal = await demo([], { cols, rows });
    await goTo(terminal, 'statefulset web', 'StatefulSet web');
    terminal.send('u');
    await panelSays(terminal, 'y confirms');
    expect(panelText(terminal)).toContain('Unblocking StatefulSet shop/web');
    expect(terminal.screen().at(-1)).toMatch(/Esc cancel .*y confirm/u);
    await panelHas(terminal, 'PATCH /api/v1/namespaces/shop/pods/web-2');
    terminal.send('y');
    await panelSays(terminal, 'As forecast');
  });

  test('--ascii draws with nothing else', async () => {
    const terminal = await demo(['--ascii']);
    await goTo(terminal, 'replicaset api-29', 'ReplicaSet api-29');
    terminal.send('d');
    await panelSays(terminal, '[1 background]');
    expect(terminal.text()).toMatch(/^[ -~\n]*$/u);
    terminal.send('3\r');
    await panelSays(terminal, 'to confirm:');
    expect(terminal.text()).toMatch(/^[ -~\n]*$/u);
  });

  test('without colour grey keys and the chosen policy are still told apart', async () => {
    const terminal = await demo(['--read-only'], { env: { NO_COLOR: '1' } });
    await goTo(terminal, 'deployment api', 'Deployment api');
    expect(terminal.screen().at(-1)).toContain('(d delete)');
  });

  test('for screen readers the question and what happens are spoken', async () => {
    const terminal = await demo(['--screen-reader']);
    terminal.send('/statefulset web');
    await terminal.waitFor('Typed: statefulset web');
    await terminal.waitFor(/\d+ hits?/u);
    terminal.send(keys.enter);
    // The row first, and what is behind it when it is asked for.
    await terminal.waitFor(/^StatefulSet web/mu);
    expect(terminal.text()).not.toContain('StatefulSet shop/web is stuck');
    terminal.send('i');
    await terminal.waitFor('StatefulSet shop/web is stuck');
    terminal.send('iu');
    await terminal.waitFor('y confirms');
    expect(terminal.text()).toContain('1 object is deleted');
    terminal.send('y');
    await terminal.waitFor('As forecast');
  });
});
