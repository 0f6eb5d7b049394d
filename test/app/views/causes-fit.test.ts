/** The causes of problems can be read on the first screen of each demo, in the tree and in Problems. */
import { beforeAll, expect, test } from 'vitest';
import { layoutOf } from '../../../src/app/state/layout.ts';
import type { State } from '../../../src/app/state/state.ts';
import { movesOf } from '../../../src/app/views/lists.ts';
import { viewOf } from '../../../src/app/views/registry.ts';
import type { Finding } from '../../../src/diagnosis/engine/finding.ts';
import { openDemo } from '../../../src/source/demo/demo-source.ts';
import { scenarioNames } from '../../../src/source/demo/scenarios.ts';
import type { Line } from '../../../src/text/terminal/style.ts';
import { sessionOn } from '../source-session.ts';

interface ProblemLine {
  readonly demo: string;
  /** The problem as the row names it. */
  readonly said: string;
  readonly finding: Finding;
}

const sizes = [
  [140, 40],
  [100, 30],
  [80, 24],
] as const;
const shown = new Map<number, ProblemLine[]>(sizes.map(([columns]) => [columns, []]));

// The screen loads the rules by itself, which may take longer than the test waits.
beforeAll(() => import('../../../src/app/cluster/diagnostics.ts'));

beforeAll(async () => {
  for (const demo of scenarioNames()) {
    const { session, second } = sessionOn(openDemo(demo));
    for (let i = 0; i < 5; i++) await second(40);
    for (const [columns, rows] of sizes) {
      session.dispatch({ type: 'resized', columns, rows });
      for (const view of ['1', '2']) {
        session.dispatch({ type: 'key', key: { text: view } });
        await second(5);
        shown.get(columns)?.push(...problemLines(demo, session.getState()));
      }
    }
    await session.close();
  }
});

function problemLines(demo: string, state: State): readonly ProblemLine[] {
  const { tree } = layoutOf(state);
  const top = movesOf(state).top(state);
  const lines = [
    ...viewOf(state)
      .lines(state, tree?.width ?? 0)
      .rows(top, tree?.height ?? 0),
  ];
  return lines.flatMap(({ spans }, i) => {
    const finding = findingAt(state, top + i);
    return finding === undefined
      ? []
      : [{ demo, finding, said: saidIn(spans.slice(state.view === 'tree' ? 5 : 2)) }];
  });
}

function findingAt({ view, cluster }: State, at: number): Finding | undefined {
  if (view === 'problems') {
    const row = cluster?.problems?.rows.window(at, 1)[0];
    return row?.kind === 'item' ? row.item : undefined;
  }
  const item = cluster?.rows.at(at);
  return item?.kind === 'object' ? cluster?.problems?.worstOf(item.node.uid) : undefined;
}

/** Takes the text of the columns after the name up to a gap, without its sign. */
function saidIn(spans: Line): string {
  const text = spans.map(span => span.text).join('');
  return text.replace(/^[✗⚠] /u, '').replace(/ {2,}.*$/u, '');
}

test.each(sizes)('no cause is cut at %i by %i', columns => {
  const lines = shown.get(columns) ?? [];
  expect(lines.length).toBeGreaterThan(60);
  const cut = lines.filter(({ said, finding: { brief, chain } }) => {
    const finalizer = chain.at(-1)?.finalizer;
    const isWhole = said.length > 8 && brief.includes(said.replace(' (assumed)', ''));
    return !isWhole && (finalizer === undefined || !said.includes(finalizer));
  });
  expect(cut.map(({ demo, said, finding }) => [demo, said, finding.brief])).toEqual([]);
});
