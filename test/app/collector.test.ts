import { describe, expect, it } from 'vitest';
import { currentUid } from '../../src/app/views/current.ts';
import { CollectorState } from '../../src/collector/collector-state.ts';
import { ScreenDriver } from './screen-driver.ts';

const world = `
- { kind: ConfigMap, name: orphan, owners: [v1 ConfigMap gone gone-uid] }
- { kind: ConfigMap, name: leaving, deletionTimestamp: '2026-11-21T11:59:00Z', finalizers: [orphan] }
- { kind: ConfigMap, name: waits, uid: w, deletionTimestamp: '2026-11-21T11:59:00Z', finalizers: [foregroundDeletion] }
- { kind: ConfigMap, name: blocks, owners: [v1 ConfigMap waits w +b], deletionTimestamp: '2026-11-21T11:59:00Z', finalizers: [example.com/x] }
- { kind: ConfigMap, name: healthy }
- { kind: ConfigMap, name: far, namespace: infra, owners: [v1 ConfigMap other other-uid] }`;

function opened(yaml = world, options: ConstructorParameters<typeof ScreenDriver>[0] = {}): ScreenDriver {
  const driver = ScreenDriver.complete(yaml, options).press('5');
  driver.followCollector();
  return driver;
}

/** The rows below a heading. */
function below(driver: ScreenDriver, heading: string): string[] {
  const rows = driver.rows();
  const at = rows.findIndex(row => row.includes(` ${heading} (`));
  const rest = rows.slice(at + 1);
  const end = rest.findIndex(row => /[▾▸] /u.test(row));
  return (end < 0 ? rest : rest.slice(0, end)).map(row => row.replace(/^>/u, '').trim());
}

describe('the Collector view', () => {
  it('says what it waits for, and asks for what it shows once it is opened', () => {
    const driver = new ScreenDriver();
    driver.press('5');
    expect(driver.rows()[0]).toMatch(/^Still loading/u);
    const loaded = ScreenDriver.complete(world).press('5');
    expect(loaded.effects).toContainEqual({ type: 'followCollector' });
    expect(loaded.rows()).toEqual(['Everything has arrived and is being looked at.']);
  });

  it('has what the collector would work on, waits for and remembers', () => {
    const driver = opened();
    expect(below(driver, 'due')).toEqual([
      expect.stringMatching(/^ConfigMap leaving {2}OrphanDependents/u),
      expect.stringMatching(/^ConfigMap orphan {2}DeleteBackground/u),
    ]);
    expect(below(driver, 'waits')).toEqual(['ConfigMap waits']);
    expect(below(driver, 'absent owners')).toEqual(['ConfigMap gone']);
    expect(driver.rows().join('\n')).not.toContain('healthy');
  });

  it('marks it as inferred, and says what that leaves out', () => {
    const driver = opened();
    driver.press('g');
    expect(driver.details()).toContain('Inferred from visible objects');
    expect(driver.details().replaceAll(/\s+/gu, ' ')).toContain('in an order that cannot be seen');
  });

  it('follows what changes, with what that means to the graph', () => {
    const driver = opened();
    driver.remove('- { kind: ConfigMap, name: orphan }');
    expect(below(driver, 'due')).toEqual(['ConfigMap leaving  OrphanDependents']);
    expect(below(driver, 'latest changes')).toEqual([
      expect.stringMatching(/^12:00:00\.0Z deleted ConfigMap orphan {2}It is gone: its node is removed/u),
    ]);
    driver.remove('- { kind: ConfigMap, name: blocks }');
    expect(below(driver, 'due')).toEqual([
      'ConfigMap leaving  OrphanDependents',
      'ConfigMap waits  RemoveForegroundFinalizer',
    ]);
    expect(below(driver, 'waits')).toEqual([]);
    // What changes nothing of it is not told.
    driver.change('- { kind: ConfigMap, name: healthy, labels: { a: b } }');
    expect(below(driver, 'latest changes')).toHaveLength(2);
    // Nor what no watch has told anybody.
    driver.remove('- { kind: ConfigMap, name: healthy }', { unseen: true });
    expect(below(driver, 'latest changes')).toHaveLength(2);
    driver.press('G', 'up');
    expect(driver.details()).toMatch(/graph event: deleted\s+ConfigMap shop\/blocks \(inferred\)/u);
  });

  it('is followed only while it is shown', () => {
    const driver = opened();
    driver.press('1');
    expect(driver.state.cluster?.collector?.following).toBe(false);
    driver.remove('- { kind: ConfigMap, name: orphan }');
    driver.press('5');
    expect(driver.effects.at(-1)).toEqual({ type: 'followCollector' });
    driver.followCollector();
    expect(below(driver, 'due')).toEqual(['ConfigMap leaving  OrphanDependents']);
    expect(below(driver, 'latest changes')).toEqual([]);
  });

  it('shows an object in the tree, and its answer beside', () => {
    const driver = opened();
    driver.press('/', ...'orphan', 'tab');
    expect(below(driver, 'due')).toEqual(['ConfigMap orphan  DeleteBackground']);
    driver.press('g', 'j');
    expect(driver.details()).toMatch(/^ConfigMap shop\/orphan/u);
    driver.press('enter');
    expect(driver.state.view).toBe('tree');
    expect(currentUid(driver.state)).toBe('orphan');
  });

  it('shows the namespace on the screen, and all of what is in none', () => {
    const driver = opened();
    driver.press('n', ...'infra', 'enter');
    expect(below(driver, 'due')).toEqual(['ConfigMap far  DeleteBackground']);
  });

  it('unfolds monitors where a kind cannot be seen', () => {
    expect(below(opened(), 'monitors')).toEqual([]);
    const driver = opened(world, { failedGroups: [{ resource: '*.metrics.k8s.io', reason: '503' }] });
    expect(below(driver, 'monitors')[0]).toBe('*.metrics.k8s.io  cannot be discovered');
  });

  it('has what a simulated collector says of itself in place of what is inferred', () => {
    const driver = opened();
    const told = { ...CollectorState.stopped(driver.state.now, '1.36'), running: true, nodes: 3 };
    driver.state.cluster?.collector?.tell({
      ...told,
      queues: [{ name: 'attemptToDelete', items: [], backingOff: [] }],
    });
    expect(below(driver, 'attemptToDelete')).toEqual([]);
    driver.press('g');
    expect(driver.details()).toContain('Told by the simulated collector of Kubernetes 1.36 itself.');
  });

  it.each([60, 80, 120, 200])('keeps each row within the list at %i columns', columns => {
    const driver = opened(world, { columns });
    for (const row of driver.rows()) expect(row.length).toBeLessThanOrEqual(columns);
    expect(driver.tabs()).toMatch(/\[5 Collector\].*\? help/u);
  });

  it('draws in ASCII alone', () => {
    const driver = opened(world, { ascii: true }).press('g');
    expect(driver.rows().join('\n')).toMatch(/^[ -~\n]*$/u);
    expect(driver.details()).toMatch(/^[ -~\n]*$/u);
  });
});
