/** Sections of the screen as a whole process on a cluster: what a person waits for, and what it costs to look at it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pod } from '../../harness/population/objects.ts';
import type { Row } from '../figures.ts';
import type { Screen } from '../screen.ts';
import { type Context, openScreen, Samples, TARGET } from './section.ts';

export const KEY_P50_MS = 20;
export const KEY_P99_MS = 40;
const SEARCH_MS = 50;
const NAMESPACE_MS = 400;
const FIRST_FORECAST_MS = 150;
const IDLE_PERCENT = 1;
const IDLE_SECONDS = 20;

/** The number on the tab is there once everything has been read and judged. */
export const JUDGED = /2 Problems \d/;

/** Everything is in, so that actions are offered. */
export const LIVE = /\d kinds +live/;
/** What is typed into the box of the search stands behind it. */
export const PROMPT = '│ > ';
const TROUBLED_PODS = 200;
const VIEWS = [
  { key: '1', name: 'tree' },
  { key: '2', name: 'problems' },
  { key: '3', name: 'PodGC' },
] as const;
/** Ends where it began: at the end of a list a key would change nothing. */
const LOOKING_AROUND = ['j', 'j', 'j', 'k', '\u001B[6~', 'j', 'k', 'k', '\u001B[5~', 'k'] as const;
const SEARCHED = ['statefulset-2', 'deployment-1', 'team-00001', 'stset5'] as const;

const pause = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds));

export function isSearching(lines: readonly string[]): boolean {
  return lines.some(line => line.includes('─ Search '));
}

/** To a pod of the target, for which its namespace is unfolded and its owners are. */
export async function jumpToPod(screen: Screen): Promise<void> {
  const pod = `${TARGET.name}-0`;
  await screen.press('/');
  await screen.press(`${TARGET.namespace}/${pod}`);
  await screen.until(new RegExp(`${PROMPT}Pod ${TARGET.namespace}/${pod} `, 'u'));
  await screen.press('\r');
  await screen.until(
    lines => !isSearching(lines) && lines.some(line => line.startsWith('>') && line.includes(`Pod ${pod} `)),
  );
}

/** Everything of the cluster, read and judged. */
async function wholeScreen(context: Context): Promise<Screen> {
  const screen = openScreen(context, ['-A']);
  await screen.until(JUDGED);
  return screen;
}

/** An API server on the same processors has made, or given up, the lists of 150,000 pods by then. */
const SETTLED_MS = 4_000;

export async function measureNamespace(context: Context): Promise<Row[]> {
  const samples = new Samples();
  for (let round = 0; round <= context.rounds; round++) {
    // The API server is still making the lists that the screen before had begun to read.
    await sleep(SETTLED_MS);
    const screen = openScreen(context, ['-n', TARGET.namespace]);
    try {
      const tree = await screen.until(/ Deployment deployment-10 \(3\) +10\/10 /);
      const judged = await screen.until(JUDGED);
      if (round === 0) continue;
      samples.add('tree', tree);
      samples.add('judged', judged);
    } finally {
      await screen.close();
    }
    context.say(`namespace: round ${round} of ${context.rounds}`);
  }
  return [
    {
      what: 'process start → the rows of a namespace of 400 pods',
      unit: 'ms',
      values: samples.of('tree'),
    },
    {
      what: 'process start → the rows of a namespace of 400 pods, all judged',
      unit: 'ms',
      values: samples.of('judged'),
      reach: `${NAMESPACE_MS} ms`,
      limit: NAMESPACE_MS,
    },
  ];
}

export async function measureKeys(context: Context): Promise<Row[]> {
  const samples = new Samples();
  await makeTrouble(context);
  const screen = await wholeScreen(context);
  try {
    // Keys in the overview would move through folded namespaces alone.
    await jumpToPod(screen);
    for (let round = 0; round <= context.rounds; round++) {
      for (const { key, name } of VIEWS) {
        const { first } = await screen.press(key);
        if (round > 0) samples.add('view', first);
        await screen.until(/^>/mu);
        // A folded cause has too few rows to move in.
        if (round === 0 && name === 'problems') await screen.press('*');
        for (let time = 0; time < 4; time++)
          for (const each of LOOKING_AROUND) {
            const frames = await screen.press(each);
            if (round > 0) samples.add(name, frames.first);
          }
      }
      context.say(`keys: round ${round} of ${context.rounds}`);
    }
    const memory = screen.memory();
    return [
      ...VIEWS.flatMap(({ name }) => keyRows(`a key in the ${name} view`, samples.of(name))),
      ...keyRows('a key to another view', samples.of('view')),
      { what: 'resident memory of the screen', unit: 'MB', values: [memory] },
    ];
  } finally {
    await screen.close();
  }
}

/** Rows for the problems and for PodGC: pods that were on a node that is gone, and are held. */
async function makeTrouble({ cluster }: Context): Promise<void> {
  const namespace = 'troubled';
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await cluster.api.json({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });
  for (let number = 0; number < TROUBLED_PODS; number++) {
    const name = `held-${number}`;
    const metadata = { name, namespace, finalizers: ['example.com/hold'] };
    await cluster.api.json({ method: 'POST', path, body: { ...pod(metadata, 'gone', false), metadata } });
    await cluster.api.json({ method: 'DELETE', path: `${path}/${name}` });
  }
}

/** The median and the 99th percentile of what a key takes, as it is to be. */
export function keyRows(what: string, values: readonly number[]): Row[] {
  return [
    {
      what: `${what} → the finished frame, p50`,
      unit: 'ms',
      values,
      reach: `${KEY_P50_MS} ms`,
      limit: KEY_P50_MS,
    },
    {
      what: `${what} → the finished frame, p99`,
      unit: 'ms',
      values,
      p99: true,
      reach: `${KEY_P99_MS} ms`,
      limit: KEY_P99_MS,
    },
  ];
}

export async function measureSearch(context: Context): Promise<Row[]> {
  const samples = new Samples();
  const screen = await wholeScreen(context);
  try {
    for (let round = 0; round <= context.rounds; round++) {
      for (const text of SEARCHED) {
        await screen.press('/');
        for (const letter of text) {
          const { first, last } = await screen.press(letter);
          if (round === 0) continue;
          samples.add('letter', first);
          samples.add('results', last);
        }
        await screen.until(/│ > [A-Z]\w+ \S+/u);
        await screen.press('\u001B');
      }
      context.say(`search: round ${round} of ${context.rounds}`);
    }
  } finally {
    await screen.close();
  }
  return [
    {
      what: 'a letter of a search → it is shown, p99',
      unit: 'ms',
      values: samples.of('letter'),
      p99: true,
      reach: `${KEY_P99_MS} ms`,
      limit: KEY_P99_MS,
    },
    {
      what: 'a letter of a search → its results',
      unit: 'ms',
      values: samples.of('results'),
      reach: `${SEARCH_MS} ms`,
      limit: SEARCH_MS,
    },
  ];
}

/** The first one of a process finds code that nothing has compiled yet. */
export async function measureForecastOnScreen(context: Context): Promise<Row[]> {
  const samples = new Samples();
  for (let round = 0; round <= context.rounds; round++) {
    const screen = openScreen(context, ['-n', TARGET.namespace]);
    try {
      await screen.until(LIVE);
      await pause(1_000);
      await screen.press('\u001B[B');
      for (const which of ['first', 'second']) {
        const typed = screen.type('p');
        const forecast = await screen.until(/Forecast: delete [^]*Deleting /, typed);
        if (round > 0) samples.add(which, forecast);
        await screen.press('\u001B');
      }
    } finally {
      await screen.close();
    }
    context.say(`first-forecast: round ${round} of ${context.rounds}`);
  }
  return [
    {
      what: "the screen's first `p` → the forecast",
      unit: 'ms',
      values: samples.of('first'),
      reach: `${FIRST_FORECAST_MS} ms`,
      limit: FIRST_FORECAST_MS,
    },
    { what: '— its second one', unit: 'ms', values: samples.of('second') },
  ];
}

/** Three times of twenty seconds, since a minute is what a person notices of a fan. */
export async function measureIdle(context: Context): Promise<Row[]> {
  const values: number[] = [];
  const screen = await wholeScreen(context);
  try {
    // What was read is settled, and collected, before nothing happens.
    await pause(10_000);
    for (let window = 1; window <= 3; window++) {
      const from = performance.now();
      const before = screen.processorTime();
      await pause(IDLE_SECONDS * 1_000);
      values.push((100 * (screen.processorTime() - before)) / (performance.now() - from));
      context.say(`idle: ${IDLE_SECONDS} s, ${(values.at(-1) ?? 0).toFixed(1)} % of a core`);
    }
  } finally {
    await screen.close();
  }
  return [
    {
      what: `processor time of the screen while nothing happens, ${IDLE_SECONDS} s`,
      unit: '% of a core',
      values,
      reach: `${IDLE_PERCENT} %`,
      limit: IDLE_PERCENT,
    },
  ];
}
