/** The keys for kubectl: what they ask for, what there is to choose from, and why they refuse. */
import { describe, expect, test } from 'vitest';
import { containersOf } from '../../../src/app/kubectl/containers.ts';
import type { Uid } from '../../../src/model/object.ts';
import { ScreenDriver } from '../screen-driver.ts';

const yaml = `
- {kind: Pod, name: web-0, owners: [apps/v1 ReplicaSet web]}
- {kind: Pod, name: web-1, owners: [apps/v1 ReplicaSet web]}
- {kind: ReplicaSet, name: web}
- {kind: ConfigMap, name: zoo}
`;

/** The cursor is on the row that contains this. */
function at(words: string, driver = ScreenDriver.complete(yaml)): ScreenDriver {
  driver.press('g');
  const row = driver.rows().findIndex(line => line.includes(words));
  for (let i = 0; i < row; i++) driver.press('j');
  return driver;
}

function words(driver: ScreenDriver): readonly string[] | undefined {
  const effect = driver.effects.at(-1);
  return effect?.type === 'kubectl' || effect?.type === 'readKubectl' ? effect.call.words : undefined;
}

function items(driver: ScreenDriver): readonly string[] | undefined {
  const { dialog } = driver.state;
  return dialog?.kind === 'picker' ? dialog.items?.map(({ label, hint }) => `${label} | ${hint}`) : undefined;
}

const podJson = {
  metadata: { annotations: { 'kubectl.kubernetes.io/default-container': 'app' } },
  spec: {
    initContainers: [{ name: 'migrate' }, { name: 'mesh', restartPolicy: 'Always' }],
    containers: [{ name: 'log' }, { name: 'app' }],
    ephemeralContainers: [{ name: 'debugger' }],
  },
  status: {
    initContainerStatuses: [
      { name: 'migrate', restartCount: 0, state: { terminated: { reason: 'Completed' } } },
      { name: 'mesh', restartCount: 0, state: { running: {} } },
    ],
    containerStatuses: [
      { name: 'log', restartCount: 0, state: { running: {} } },
      {
        name: 'app',
        restartCount: 3,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 1 } },
      },
    ],
    ephemeralContainerStatuses: [{ name: 'debugger', restartCount: 0, state: { running: {} } }],
  },
};

function answer(driver: ScreenDriver, json: object = podJson): void {
  const asked = driver.effects.at(-1);
  if (asked?.type !== 'askContainers') throw new Error(`it asked for ${asked?.type ?? 'nothing'}`);
  const { wish, uid } = asked;
  driver.send({ type: 'containers', uid, wish, containers: containersOf({ ...json }) });
}

describe('a key', () => {
  test.each([
    ['D', ['describe', 'configmaps/zoo', '--namespace=shop']],
    ['V', ['events', '--for=configmaps/zoo', '--namespace=shop']],
    ['e', ['edit', 'configmaps/zoo', '--namespace=shop']],
  ])('%s is about the object of the row', (key, expected) => {
    expect(words(at('zoo').press(key))).toEqual(expected);
  });

  test('works in every view that has objects', () => {
    const driver = at('zoo').press('T');
    driver.sort();
    driver.press('enter');
    expect(words(at('ConfigMap', driver).press('D'))?.[0]).toBe('describe');
  });
});

describe('on the heading of a cause', () => {
  const held = (name: string): string => `
- {kind: ConfigMap, name: ${name}, deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain], owners: [v1 ConfigMap front front +b]}`;
  const front = `
- {kind: ConfigMap, name: front, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]}`;
  const onCause = (yaml: string): ScreenDriver => ScreenDriver.complete(yaml).press('2', 'g');

  test('keys show the object that decides', () => {
    const driver = onCause(`${front}${held('back')}`);
    expect(driver.rows()[0]).toContain('holds ConfigMap front and ConfigMap back');
    expect(words(driver.press('D'))).toEqual(['describe', 'configmaps/back', '--namespace=shop']);
    driver.press('escape', 'y');
    expect(driver.state.dialog).toMatchObject({ title: 'ConfigMap shop/back' });
    driver.press('escape', 'm');
    expect(driver.state.dialog).toMatchObject({ title: 'Who set what on ConfigMap shop/back' });
  });

  test('keys say so if several objects decide', () => {
    const driver = onCause(`${held('a')}${held('b')}`).press('y');
    expect(driver.banner()).toBe(' Several objects decide here: move to one first.');
  });
});

describe('logs', () => {
  test('of a pod are those of a container, chosen with the part of it', () => {
    const driver = at('web-0').press('L');
    expect(items(driver)).toBeUndefined();
    answer(driver);
    expect(items(driver)).toEqual([
      'app: follow | waiting: CrashLoopBackOff, 3 restarts',
      'app: all so far | waiting: CrashLoopBackOff, 3 restarts',
      'app: before its last restart | waiting: CrashLoopBackOff, 3 restarts',
      'all containers: follow | 5 containers',
      'all containers: all so far | 5 containers',
      'log: follow | running',
      'log: all so far | running',
      'debugger: follow | ephemeral container, running',
      'debugger: all so far | ephemeral container, running',
      'migrate: follow | init container, ended: Completed',
      'migrate: all so far | init container, ended: Completed',
      'mesh: follow | sidecar, running',
      'mesh: all so far | sidecar, running',
    ]);
    driver.press('down', 'down', 'enter');
    expect(words(driver)).toEqual([
      'logs',
      'pods/web-0',
      '--namespace=shop',
      '--container=app',
      '--previous',
    ]);
    expect(driver.state.dialog).toMatchObject({ kind: 'text', loading: true });
  });

  test('of a workload are those of its pods, or of the one that kubectl takes', () => {
    const driver = at('ReplicaSet web').press('L');
    expect(items(driver)?.map(each => each.split(' |')[0])).toEqual([
      'Pod shop/web-0',
      'Pod shop/web-1',
      'ReplicaSet shop/web',
    ]);
    driver.press('down', 'enter');
    answer(driver);
    driver.press('enter');
    expect(words(driver)?.slice(0, 2)).toEqual(['logs', 'pods/web-1']);
    const whole = at('ReplicaSet web').press('L', 'end', 'enter');
    expect(words(whole)?.slice(0, 2)).toEqual(['logs', 'replicasets.v1.apps/web']);
  });

  test('of what has no pods say so', () => {
    const driver = at('zoo').press('L');
    expect(driver.effects.some(({ type }) => type === 'kubectl')).toBe(false);
    expect(driver.banner()).toContain('Logs are those of pods, and none is below this ConfigMap.');
  });

  test('of a pod that is gone say so', () => {
    const driver = at('web-0').press('L');
    const failure = 'The pod no longer exists.';
    const asked = driver.effects.at(-1);
    const uid = asked?.type === 'askContainers' ? asked.uid : ('' as Uid);
    driver.send({ type: 'containers', uid, wish: 'logs', failure });
    expect(driver.state.dialog).toMatchObject({
      title: 'Logs of Pod shop/web-0',
      lines: [[{ text: failure, style: 'danger' }]],
    });
  });
});

describe('a shell', () => {
  test('is in one of the containers that run', () => {
    const driver = at('web-0').press('!');
    answer(driver);
    expect(items(driver)?.map(each => each.split(' |')[0])).toEqual(['log', 'debugger', 'mesh']);
    driver.press('down', 'enter');
    expect(words(driver)).toContain('--container=debugger');
  });

  test('opens at once where there is only one to enter', () => {
    const driver = at('web-0').press('!');
    answer(driver, {
      spec: { containers: [{ name: 'app' }] },
      status: { containerStatuses: [{ name: 'app', state: { running: {} } }] },
    });
    expect(words(driver)).toContain('--container=app');
    expect(driver.state.dialog).toBeUndefined();
  });

  test('does not open where nothing runs, nor in what is no pod', () => {
    const driver = at('web-0').press('!');
    answer(driver, { spec: { containers: [{ name: 'app' }] } });
    expect(driver.banner()).toContain('None of its containers runs.');
    expect(at('zoo').press('!').banner()).toContain('A shell opens in a pod, and this is a ConfigMap.');
  });

  test('does not open because of an answer that comes after the choice was closed', () => {
    const driver = at('web-0').press('!');
    const asked = driver.effects.at(-1);
    const uid = asked?.type === 'askContainers' ? asked.uid : ('' as Uid);
    driver.press('escape');
    driver.send({ type: 'containers', uid, wish: 'shell', containers: containersOf(podJson) });
    expect(words(driver)).toBeUndefined();
    expect(driver.state.dialog).toBeUndefined();
  });
});

describe('refused', () => {
  test.each([
    ['demo', 'this one is simulated'],
    ['files', 'these are files'],
    ['replay', 'this is a recording'],
  ] as const)('is everything of %s, with the reason', (source, reason) => {
    for (const [key, verb] of Object.entries({
      D: 'describe',
      V: 'events',
      L: 'logs',
      e: 'edit',
      '!': 'exec',
    })) {
      const driver = at('web-0', ScreenDriver.complete(yaml, { info: { source } })).press(key);
      expect(driver.banner()).toContain(`kubectl ${verb} needs a cluster, and ${reason}.`);
      expect(driver.effects.some(({ type }) => type === 'kubectl' || type === 'askContainers')).toBe(false);
    }
  });

  test('are edit and shell with --read-only, and nothing else', () => {
    const readOnly = (key: string): ScreenDriver => {
      const driver = at('web-0');
      driver.state = { ...driver.state, options: { ...driver.state.options, readOnly: true } };
      return driver.press(key);
    };
    for (const key of ['e', '!']) expect(readOnly(key).banner()).toContain('Not here: read-only');
    expect(words(readOnly('e'))).toBeUndefined();
    expect(words(readOnly('D'))?.[0]).toBe('describe');
    expect(readOnly('L').effects.at(-1)?.type).toBe('askContainers');
  });
});
