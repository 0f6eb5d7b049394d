/**
 * Section `loading`: keys on the screen of one namespace while the rest of the cluster is being read, from the moment at
 * which it was judged until everything is live. A key counts until its own effect is on the screen.
 */
import type { Row } from '../figures.ts';
import type { Answer, Screen } from '../screen.ts';
import { isSearching, JUDGED, KEY_P50_MS, KEY_P99_MS, LIVE, PROMPT } from './screen.ts';
import { type Context, openScreen, Samples, TARGET } from './section.ts';

const SEARCHED = 'deployment-1';
const MOVES = 8;
/** Between two keys: a fast typist's pace. */
const PAUSE_MS = 60;

const pause = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds));

export async function measureLoading(context: Context): Promise<Row[]> {
  const samples = new Samples();
  for (let round = 0; round <= context.rounds; round++) {
    const screen = openScreen(context, ['-n', TARGET.namespace]);
    try {
      await screen.until(JUDGED);
      let isLive = false;
      const live = screen.until(LIVE).then(at => {
        isLive = true;
        return at;
      });
      while (!isLive) {
        const cursor = await moveCursor(screen, () => isLive);
        const letters = await search(screen, () => isLive);
        if (round === 0) continue;
        for (const each of cursor) add(samples, 'cursor', each);
        for (const each of letters) add(samples, 'letter', each);
      }
      const at = await live;
      if (round > 0) samples.add('live', at);
    } finally {
      await screen.close();
    }
    context.say(`loading: round ${round} of ${context.rounds}`);
  }
  const half = { reach: `${KEY_P50_MS} ms`, limit: KEY_P50_MS };
  const most = { p99: true, reach: `${KEY_P99_MS} ms`, limit: KEY_P99_MS } as const;
  const rows = (what: string, name: string): Row[] => [
    { what: `while the rest loads: ${what}, p50`, unit: 'ms', values: samples.of(name), ...half },
    { what: `while the rest loads: ${what}, p99`, unit: 'ms', values: samples.of(name), ...most },
    {
      what: `— ${what}, without waiting for a processor, p99`,
      unit: 'ms',
      values: samples.of(`${name}, running`),
      p99: true,
    },
  ];
  const all = [
    ...rows('a key → the cursor has moved', 'cursor'),
    ...rows('a letter of a search → it is shown', 'letter'),
    { what: '— process start → everything is read', unit: 'ms', values: samples.of('live') } as const,
  ];
  // A small cluster is read before anybody gets to a search.
  return all.filter(({ values }) => values.length > 0);
}

function add(samples: Samples, name: string, { took, waited }: Answer): void {
  samples.add(name, took);
  samples.add(`${name}, running`, took - waited);
}

/** Down and up again; a key that is pressed when everything is there already doesn't count. */
async function moveCursor(screen: Screen, isLive: () => boolean): Promise<Answer[]> {
  const took: Answer[] = [];
  for (let key = 0; key < MOVES && !isLive(); key++) {
    const moved = await screen.move(key % 2 === 0 ? 'j' : 'k');
    if (!isLive()) took.push(moved);
    await pause(PAUSE_MS);
  }
  return took;
}

async function search(screen: Screen, isLive: () => boolean): Promise<Answer[]> {
  const took: Answer[] = [];
  screen.type('/');
  await screen.until(new RegExp(`${PROMPT}_`, 'u'));
  let query = '';
  for (const letter of SEARCHED) {
    if (isLive()) break;
    query += letter;
    const shown = await screen.answer(letter, new RegExp(`${PROMPT}${query}_`, 'u'));
    if (!isLive()) took.push(shown);
    await pause(PAUSE_MS);
  }
  screen.type('\u001B');
  await screen.until(lines => !isSearching(lines));
  return took;
}
