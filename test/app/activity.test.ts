import { describe, expect, it } from 'vitest';
import { listState } from '../../src/app/state/state.ts';
import { currentUid } from '../../src/app/views/current.ts';
import { ScreenDriver } from './screen-driver.ts';

const api = `
- { kind: Deployment, name: api }
- { kind: ReplicaSet, name: api-1, owners: [apps/v1 Deployment api api +c +b] }
- { kind: Pod, name: api-1-a, owners: [apps/v1 ReplicaSet api-1 api-1 +c +b] }
- { kind: Pod, name: api-1-b, owners: [apps/v1 ReplicaSet api-1 api-1 +c +b] }`;
const rest = `
- { kind: ConfigMap, name: lone }
- { kind: ConfigMap, name: far, namespace: infra }
- { kind: ConfigMap, name: stays, namespace: infra }`;
const held = `
- { kind: ConfigMap, name: held, deletionTimestamp: '2026-11-21T11:30:00Z', finalizers: [example.com/x] }`;

function opened(
  yaml = api + rest,
  options: ConstructorParameters<typeof ScreenDriver>[0] = {},
): ScreenDriver {
  return ScreenDriver.complete(yaml, options).press('4');
}

/** The whole Deployment goes, its pods first as their watch is the quickest. */
function cascade(driver: ScreenDriver): ScreenDriver {
  driver.remove('- { kind: Deployment, name: api }');
  driver.remove('- { kind: ReplicaSet, name: api-1 }');
  driver.remove('- { kind: Pod, name: api-1-a }\n- { kind: Pod, name: api-1-b }');
  return driver;
}

describe('the Activity view', () => {
  it('says what it waits for before everything is there', () => {
    const driver = new ScreenDriver();
    driver.press('4');
    expect(driver.rows()).toEqual(['Still loading. Changes are shown once everything has arrived.']);
  });

  it('begins with what is being deleted already, and says from when on it follows', () => {
    expect(opened(api + held).rows()).toEqual([
      expect.stringMatching(
        /^ {3}11:30:00.0Z held +ConfigMap held: by a request; waits for finalizer example/u,
      ),
      '>  12:00:00.0Z followed from here on',
    ]);
  });

  it('puts what follows below its action', () => {
    expect(cascade(opened()).rows()).toEqual([
      '   12:00:00.0Z followed from here on',
      ' ▾ 12:00:00.0Z deleted  Deployment api: by a request',
      expect.stringMatching(
        /^ {3}12:00:00.0Z collected {2}ReplicaSet api-1: its only owner Deployment api was deleted/u,
      ),
      expect.stringMatching(/^ {3}12:00:00.0Z collected {2}Pod api-1-a: its only owner ReplicaSet api-1/u),
      expect.stringMatching(/^> {2}12:00:00.0Z collected {2}Pod api-1-b: its only owner/u),
    ]);
  });

  it('says that it does not know yet, and moves an entry below the action that explains it', () => {
    const driver = opened();
    driver.remove('- { kind: Pod, name: api-1-a }');
    expect(driver.rows().at(-1)).toBe('>  12:00:00.0Z deleted  Pod api-1-a: why is not known yet');
    expect(driver.details()).toContain('Why is not known yet');
    driver.remove('- { kind: ReplicaSet, name: api-1, owners: [] }');
    driver.wait(2_000);
    expect(driver.rows().join('\n')).not.toContain('not known yet');
  });

  it('goes with what is new, until the cursor is moved away, and again from G on', () => {
    const driver = cascade(opened(undefined, { rows: 22 }));
    driver.press('up');
    const row = driver.rows().find(each => each.startsWith('>'));
    driver.remove('- { kind: ConfigMap, name: lone }');
    expect(driver.rows().find(each => each.startsWith('>'))).toBe(row);
    expect(listState(driver.state, 'activity').following).toBe(false);
    driver.press('G');
    driver.change('- { kind: ConfigMap, name: lone, uid: again }');
    expect(driver.rows().at(-1)).toMatch(/^> .* recreated +ConfigMap lone/u);
  });

  it('goes with what is new again once it was scrolled down to with the wheel', () => {
    const driver = cascade(opened(undefined, { rows: 15, columns: 80 }));
    driver.send({ type: 'wheel', lines: -3, column: 5, row: 5 });
    driver.press('g');
    expect(listState(driver.state, 'activity').following).toBe(false);
    driver.send({ type: 'wheel', lines: 30, column: 5, row: 5 });
    expect(listState(driver.state, 'activity').following).toBe(true);
  });

  it('moves an action to the end when something follows from it', () => {
    const driver = opened();
    driver.remove('- { kind: Deployment, name: api }');
    driver.remove('- { kind: ConfigMap, name: lone }');
    driver.remove('- { kind: ReplicaSet, name: api-1 }');
    expect(driver.rows().map(row => row.slice(15).trim())).toEqual([
      'followed from here on',
      'deleted  ConfigMap lone: by a request',
      'deleted  Deployment api: by a request',
      expect.stringMatching(/^collected {2}ReplicaSet api-1/u),
    ]);
  });

  it('folds what follows, and counts it', () => {
    const driver = cascade(opened()).press('left', 'left');
    expect(driver.rows()).toEqual([
      '   12:00:00.0Z followed from here on',
      '>▸ 12:00:00.0Z deleted  Deployment api (3 more): by a request',
    ]);
    expect(driver.press('right').rows()).toHaveLength(5);
  });

  it('shows an object that is there in the tree, and what is known of one that is gone', () => {
    const driver = cascade(opened(api + held)).press('g');
    expect(driver.footer()).toContain('enter show in tree');
    driver.press('G');
    expect(driver.footer()).toContain('enter what is known');
    driver.press('enter');
    const { dialog } = driver.state;
    if (dialog?.kind !== 'text') throw new Error('no text');
    expect(dialog.title).toBe('Pod shop/api-1-b is gone');
    const text = dialog.lines.map(line => line.map(span => span.text).join('')).join('\n');
    expect(text).toContain('uid api-1-b');
    expect(text).toContain('its only owner ReplicaSet api-1 was deleted');
    driver.press('escape', 'g', 'enter');
    expect(driver.state.view).toBe('tree');
    expect(currentUid(driver.state)).toBe('held');
  });

  it('says where another object has the name of one that is gone', () => {
    const driver = opened();
    driver.remove('- { kind: ConfigMap, name: lone }');
    driver.change('- { kind: ConfigMap, name: lone, uid: second }');
    driver.press('up', 'enter');
    expect(JSON.stringify(driver.state.dialog)).toMatch(/has this name now, with the uid second/u);
  });

  it('narrows to words, with what follows from an action that has them', () => {
    const driver = cascade(opened());
    driver.remove('- { kind: ConfigMap, name: lone }');
    driver.press('/', ...'deployment', 'tab');
    expect(driver.banner()).toContain('Only entries that contain "deployment".');
    expect(driver.rows()).toHaveLength(4);
    driver.press('escape', '/', ...'lone', 'tab');
    expect(driver.rows()).toHaveLength(1);
    driver.press('escape');
    expect(driver.rows()).toHaveLength(6);
    driver.press('/', ...'nothing', 'tab');
    expect(driver.rows()).toEqual([
      'No entry so far is of that kind and contains these words. Esc shows all.',
    ]);
    expect(driver.press('escape').rows()).toHaveLength(6);
  });

  it('narrows to kinds with f, counts them, and follows them', () => {
    const driver = cascade(opened());
    driver.press('f');
    const { dialog } = driver.state;
    if (dialog?.kind !== 'picker') throw new Error('no picker');
    expect(dialog.items?.find(({ id }) => id === 'Collected')?.hint).toMatch(/^3 entries: it is gone/u);
    driver.press(...'collected', 'enter');
    expect(driver.banner()).toContain('Only entries of these kinds: collected.');
    // The action stands above what follows from it.
    expect(driver.rows()).toHaveLength(4);
    driver.remove('- { kind: ConfigMap, name: lone }');
    expect(driver.rows().join('\n')).not.toContain('lone');
    driver.press('f', ...'ownership', 'enter');
    expect(driver.rows()).toEqual([expect.stringMatching(/^No entry so far/u)]);
    expect(driver.press('escape').rows()).toHaveLength(6);
  });

  it('shows the namespace on the screen', () => {
    const driver = opened();
    driver.remove('- { kind: ConfigMap, name: far, namespace: infra }');
    driver.remove('- { kind: ConfigMap, name: lone }');
    expect(driver.rows().join('\n')).not.toContain('far');
    driver.press('n', ...'infra', 'enter');
    expect(driver.rows()).toHaveLength(2);
    expect(driver.rows().join('\n')).toContain('ConfigMap far');
  });

  it('says when the cluster was not followed', () => {
    const driver = opened();
    const lost = { state: 'lost', reason: 'refused', since: driver.state.now + 500 } as const;
    driver.send({ type: 'batch', batch: { changes: [], connection: lost }, now: driver.state.now + 1_000 });
    expect(driver.rows().at(-1)).toMatch(/12:00:00.5Z not followed until now/u);
    driver.send({
      type: 'batch',
      batch: { changes: [], connection: { state: 'live' } },
      now: driver.state.now + 9_000,
    });
    expect(driver.rows().at(-1)).toMatch(
      /not followed until 12:00:10.0Z: changes of that time are shown as they were/u,
    );
    expect(driver.details()).toContain('Not followed');
  });

  it('tells of what cannot be seen, and what is not recorded, where it begins', () => {
    const driver = opened(undefined, { failedGroups: [{ resource: '*.metrics.k8s.io', reason: '503' }] });
    expect(driver.details()).toMatch(/Changes are shown from 2026-11-21T12:00:00Z on/u);
    expect(driver.details().replaceAll(/\s+/gu, ' ')).toContain(
      '1 kind cannot be seen, so its objects are not shown',
    );
  });

  it.each([60, 80, 120, 200])('keeps each row within the list at %i columns', columns => {
    const driver = cascade(opened(api + held, { columns }));
    for (const row of driver.rows()) expect(row.length).toBeLessThanOrEqual(columns);
    expect(driver.tabs()).toMatch(/\[4 Activity\].*\? help/u);
  });

  it('draws in ASCII alone', () => {
    expect(
      cascade(opened(undefined, { ascii: true }))
        .rows()
        .join('\n'),
    ).toMatch(/^[ -~\n]*$/u);
  });
});
