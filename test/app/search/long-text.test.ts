/** Reading an object's YAML and other long texts by keys: words that are found, parts that are folded or one key away. */
import { describe, expect, test } from 'vitest';
import { dialogView } from '../../../src/app/dialogs/dialog-view.ts';
import { liveObjectLines } from '../../../src/app/session/object-documents.ts';
import { ScreenDriver } from '../screen-driver.ts';

const object = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-0',
    labels: Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`label-${i}`, 'x'])),
    finalizers: ['example.com/drain'],
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u' }],
    managedFields: [{ manager: 'kubelet', operation: 'Update' }, { manager: 'drain-operator' }],
  },
  spec: { containers: Array.from({ length: 20 }, (_, i) => ({ name: `c-${i}`, image: 'Nginx' })) },
  status: { phase: 'Running', message: 'finalizers: are elsewhere' },
};

function opened(given: object = object, rows = 24): ScreenDriver {
  const driver = ScreenDriver.complete('- {kind: Pod, name: web-0}', { columns: 80, rows }).press('y');
  driver.send({ type: 'document', title: 'Pod shop/web-0', lines: liveObjectLines({ ...given }) });
  return driver;
}

function view({ state }: ScreenDriver): {
  readonly lines: string[];
  readonly status: string;
  prompt?: string | undefined;
} {
  if (state.dialog === undefined) return { lines: [], status: 'closed' };
  const { lines, status, prompt } = dialogView(state, state.dialog);
  return { lines: lines.map(({ spans }) => spans.map(({ text }) => text).join('')), status, prompt };
}

const all = (driver: ScreenDriver): string[] =>
  driver.state.dialog?.kind === 'text'
    ? driver.state.dialog.lines.map(line => line.map(({ text }) => text).join(''))
    : [];

describe('YAML', () => {
  test('opens with managed fields and status folded, and says how much that is', () => {
    const lines = all(opened());
    expect(lines).toContain('  managedFields: (3 lines folded)');
    expect(lines).toContain('status: (2 lines folded)');
    expect(lines.join('\n')).not.toContain('kubelet');
    expect(lines.join('\n')).not.toContain('Running');
    expect(lines).toContain('  - example.com/drain');
  });

  test('unfolds them by a key each, and folds them again', () => {
    const driver = opened().press('s');
    expect(all(driver)).toContain('  phase: Running');
    expect(view(driver).lines).toContain('status:');
    driver.press('m');
    expect(all(driver).join('\n')).toContain('manager: drain-operator');
    driver.press('s', 'm');
    expect(all(driver)).toEqual(all(opened()));
  });

  test('goes to finalizers and owner references', () => {
    const driver = opened();
    expect(view(driver).lines.join('\n')).not.toContain('example.com/drain');
    driver.press('f');
    expect(view(driver).lines).toContain('  - example.com/drain');
    driver.press('g', 'o');
    expect(view(driver).lines.join('\n')).toContain('kind: StatefulSet');
  });

  test('is copied whole, what is folded included, and a key that is none says so', () => {
    const driver = opened().press('c');
    const effect = driver.effects.at(-1);
    const text = effect?.type === 'copy' ? effect.text : '';
    expect(text).toMatch(/^apiVersion: v1\nkind: Pod\n/u);
    expect(text).toContain('\n  phase: Running\n');
    driver.send({ type: 'copied', text, how: 'Copied' });
    expect(driver.state.notice?.text).toMatch(/^Copied: \d\d lines$/u);
    driver.send({ type: 'copied', text, how: undefined });
    expect(driver.state.notice?.text).toContain('No clipboard of this terminal can be reached');
    expect(driver.press('x').state.notice?.text).toBe('No key x here; Esc goes back.');
    expect(driver.state.dialog).toMatchObject({ kind: 'text', yaml: true });
  });

  test('goes to a part of which nothing but its first line shows', () => {
    const labels = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`label-${i}`, 'x']));
    const driver = opened({ ...object, metadata: { ...object.metadata, labels } });
    expect(view(driver).lines.at(-2)).toBe('  ownerReferences:');
    driver.press('o');
    expect(view(driver).lines).toContain('    uid: u');
    // Its heading stands out, also where nothing has to scroll.
    const { dialog } = driver.state;
    const styled =
      dialog?.kind === 'text' ? dialog.lines.flat().filter(({ style }) => style === 'chosen') : [];
    expect(styled.map(({ text }) => text).join('')).toBe('  ownerReferences:');
  });

  test('says what the object has not', () => {
    const driver = opened({ kind: 'Pod', metadata: { name: 'web-0' } });
    for (const [key, words] of Object.entries({
      f: 'It has no finalizers.',
      o: 'It has no owner references.',
      s: 'It has no status.',
      m: 'It has no managed fields.',
    })) {
      driver.press(key);
      expect(driver.state.notice?.text).toBe(words);
    }
  });
});

describe('words', () => {
  test('are found as they are typed, in any case, also in what is folded', () => {
    const driver = opened().press('/', ...'KUBELET');
    expect(view(driver).prompt).toBe('KUBELET');
    expect(view(driver).lines.join('\n')).toContain('manager: kubelet');
    expect(view(driver).status).toContain('line 1 of 1 that contain it');
    expect(all(driver)).toContain('status: (2 lines folded)');
  });

  test('are gone through with n and N, round and round', () => {
    const driver = opened().press('/', ...'nginx', 'enter');
    const nth = (): string => view(driver).status.split(';')[0] ?? '';
    expect(nth()).toBe('line 1 of 20 that contain it');
    driver.press('n', 'n');
    expect(nth()).toBe('line 3 of 20 that contain it');
    driver.press('N', 'N', 'N');
    expect(nth()).toBe('line 20 of 20 that contain it');
    expect(view(driver).lines.join('\n')).toContain('name: c-19');
    driver.press('n');
    expect(nth()).toBe('line 1 of 20 that contain it');
  });

  test('that are nowhere are said to be, and Esc forgets them before it closes', () => {
    const driver = opened().press('/', ...'zzz');
    expect(view(driver).status).toContain('nothing found');
    driver.press('enter', 'escape');
    expect(driver.state.dialog?.kind).toBe('text');
    expect(view(driver).status).not.toContain('found');
    driver.press('escape');
    expect(driver.state.dialog).toBeUndefined();
  });

  test('are typed: letters are no keys, and what is pasted is looked for', () => {
    const driver = opened().press('/', 'q', 'w', 's');
    expect(view(driver).prompt).toBe('qws');
    driver.press('ctrl-u');
    driver.send({ type: 'paste', text: 'drain-operator' });
    expect(view(driver).lines.join('\n')).toContain('manager: drain-operator');
  });

  test('are found in every text, such as the help', () => {
    const driver = ScreenDriver.complete('- {kind: Pod, name: web-0}', { columns: 80, rows: 24 });
    driver.press('?', '/', ...'redraw');
    expect(view(driver).lines.join('\n')).toContain('Redraw the screen');
  });
});
