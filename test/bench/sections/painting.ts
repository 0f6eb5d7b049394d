/**
 * Sections `painting` and `turns`, on the screen of a dump: another policy is chosen, and the tree of 5,000 objects is painted
 * with its forecast; and keys while 10,000 objects are forecast.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { objectJson } from '../../../src/model/object-json.ts';
import type { Row } from '../figures.ts';
import { Maker, reference, workload } from '../generated-cluster.ts';
import type { Screen } from '../screen.ts';
import { JUDGED, keyRows } from './screen.ts';
import { openScreen, Samples } from './section.ts';

const NAMESPACE = 'ns-0';
const NAME = 'large';
const SETS = 50;
const PODS_OF_SET = 99;
/** One of so many pods is held by a finalizer, so that not all rows look alike. */
const HELD_OF = 10;
const ROUNDS = 7;
/** Between two keys: a fast typist's pace. */
const PAUSE_MS = 60;
/** Of the list, below title, tabs and heading. */
const FIRST_ROW = 3;
const TIMES = 5;
/** In the order in which they are chosen, the first one being chosen from the start. */
const POLICIES = [
  { key: '2', shown: '[2 foreground]' },
  { key: '3', shown: '[3 orphan]' },
  { key: '1', shown: '[1 background]' },
] as const;

/** What the tree looks like while they are chosen, and how it comes to that. */
const LOOKS = [
  { name: 'all unfolded', keys: ['*', 'g'], shown: ` Pod ${NAME}-0-0 ` },
  { name: 'its ReplicaSets folded', keys: ['-', 'g', 'l'], shown: ` ReplicaSet ${NAME}-49 ` },
] as const;

const pause = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds));

export function measurePainting(): Promise<Row[]> {
  return onTree(SETS, async screen => {
    const rows: Row[] = [];
    for (const { name, keys, shown } of LOOKS) {
      for (const key of keys) screen.type(key);
      await screen.until(lines => lines.some(line => line.includes(shown)));
      const what = `another policy for a tree of 5,000 objects, ${name}`;
      rows.push(...keyRows(what, await switches(screen)));
    }
    return rows;
  });
}

/** A key while `p` forecasts what deleting 10,000 objects does by each policy, and what happens if no user acts. */
export function measureTurns(): Promise<Row[]> {
  return onTree(2 * SETS, async screen => {
    const samples = new Samples();
    screen.type('*');
    await screen.until(lines => lines.some(line => line.includes(` Pod ${NAME}-0-0 `)));
    for (let round = 0; round <= ROUNDS; round++) {
      await pause(PAUSE_MS);
      let isMade = false;
      const typed = screen.type('p');
      const made = screen.until(/\[1 background\]/u, typed).then(at => {
        isMade = true;
        return at;
      });
      while (!isMade) {
        await pause(PAUSE_MS);
        const scrolled = await scroll(screen);
        if (round > 0) samples.add('key', scrolled);
      }
      const took = await made;
      if (round > 0) samples.add('made', took);
      await screen.press('\u001B');
    }
    return [
      ...keyRows(
        'a key that scrolls while a tree of 10,000 objects is forecast four times',
        samples.of('key'),
      ),
      { what: '— `p` → the forecasts meanwhile', unit: 'ms', values: samples.of('made') },
    ];
  });
}

/** Milliseconds until the rows behind the panel have moved on. */
async function scroll(screen: Screen): Promise<number> {
  let before = '';
  await screen.until(lines => (before = firstName(lines)) !== '');
  const typed = screen.type('j');
  return screen.until(lines => firstName(lines) !== before, typed);
}

/** Of the object in the first row, without what is painted on it. */
function firstName(lines: readonly string[]): string {
  return /[A-Z]\w+ [-\w]+/u.exec(lines[FIRST_ROW] ?? '')?.[0] ?? '';
}

async function onTree(sets: number, measure: (screen: Screen) => Promise<Row[]>): Promise<Row[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gc-tree-painting-'));
  try {
    const dump = path.join(folder, 'dump.json');
    await writeFile(dump, dumpOfTree(sets));
    const args = ['-f', dump, '-n', NAMESPACE, `deploy/${NAME}`];
    const screen = openScreen({ env: { HOME: folder, KUBECONFIG: undefined }, own: undefined }, args);
    try {
      await screen.until(JUDGED);
      return await measure(screen);
    } finally {
      await screen.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each time the forecasts are other ones, which nothing has been painted with yet. */
async function switches(screen: Screen): Promise<readonly number[]> {
  const samples = new Samples();
  for (let round = 0; round <= ROUNDS; round++) {
    await screen.press('p');
    await screen.until(/\[1 background\]/u);
    for (let time = 0; time < TIMES; time++)
      for (const { key, shown } of POLICIES) {
        const { last } = await screen.press(key);
        await screen.until(lines => lines.some(line => line.includes(shown)));
        if (round > 0) samples.add('switch', last);
      }
    await screen.press('\u001B');
  }
  return samples.of('switch');
}

/** A Deployment with old ReplicaSets that nobody scaled down, 100 objects for each, as `kubectl get -o json` prints them. */
function dumpOfTree(sets: number): string {
  const make = new Maker();
  make.nodesAndNamespaces();
  const labels = ['app', NAME];
  const top = make.add('Deployment', NAMESPACE, NAME, { facts: workload(sets * PODS_OF_SET, labels) });
  for (let number = 0; number < sets; number++) {
    const name = `${NAME}-${number}`;
    const setLabels = [...labels, 'pod-template-hash', String(number)];
    const facts = workload(PODS_OF_SET, setLabels);
    const set = make.add('ReplicaSet', NAMESPACE, name, {
      owners: [reference(top)],
      labels: setLabels,
      facts,
    });
    for (let pod = 0; pod < PODS_OF_SET; pod++)
      make.add('Pod', NAMESPACE, `${name}-${pod}`, {
        owners: [reference(set)],
        labels: setLabels,
        finalizers: pod % HELD_OF === 0 ? ['example.com/hold'] : [],
        facts: make.podFacts(),
      });
  }
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: make.objects.map(objectJson.write) });
}
