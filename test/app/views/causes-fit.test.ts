/** The causes of problems can be read on the first screen of each demo, in the tree, in Problems, in the pulse and under a forecast. */
import { beforeAll, expect, test } from 'vitest';
import type { TreeItem } from '../../../src/app/cluster/tree/item.ts';
import { paintingOf } from '../../../src/app/painting/make.ts';
import { layoutOf } from '../../../src/app/state/layout.ts';
import type { State } from '../../../src/app/state/state.ts';
import { movesOf } from '../../../src/app/views/lists.ts';
import { viewOf } from '../../../src/app/views/registry.ts';
import type { Finding } from '../../../src/diagnosis/engine/finding.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
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
/** Words of rows that a forecast paints as stuck: what decides, and the row. */
const painted = new Map<number, [cause: string, said: string][]>(sizes.map(([columns]) => [columns, []]));

// The screen loads the rules by itself, which may take longer than the test waits.
beforeAll(() => import('../../../src/app/cluster/diagnostics.ts'));

beforeAll(async () => {
  for (const demo of scenarioNames()) {
    const { session, second } = sessionOn(openDemo(demo));
    const until = async (holds: (state: State) => boolean): Promise<void> => {
      do await second(40);
      while (!holds(session.getState()));
    };
    await until(({ cluster }) => cluster?.problems?.isAllJudged === true);
    for (const [columns, rows] of sizes) {
      session.dispatch({ type: 'resized', columns, rows });
      for (const view of ['6', '2', '1']) {
        session.dispatch({ type: 'key', key: { text: view } });
        await second(5);
        shown.get(columns)?.push(...problemLines(demo, session.getState()));
      }
      painted.get(columns)?.push(...paintedLines(session.getState()));
    }
    await session.close();
  }
});

function linesOf(state: State) {
  const { tree } = layoutOf(state);
  return [
    ...viewOf(state)
      .lines(state, tree?.width ?? 0)
      .rows(movesOf(state).top(state), tree?.height ?? 0),
  ];
}

/** Paints what becomes of the first object with a problem if it is deleted. */
function paintedLines(state: State): readonly [cause: string, said: string][] {
  const { cluster, tree, now } = state;
  const first = cluster?.rows.window(0, 40).find(item => findingOf(cluster, item) !== undefined);
  const target = first?.kind === 'object' ? first.node.object : undefined;
  if (cluster === undefined || target === undefined) return [];
  const forecaster = Forecaster.create(cluster.view, { now });
  const painting = paintingOf(
    forecaster.forecast({ verb: 'delete', cascade: 'foreground', targets: [target] }),
  );
  cluster.paint(painting);
  const lines = linesOf(state).flatMap(({ spans }, i): [string, string][] => {
    const item = cluster.rows.at(tree.top + i);
    const cause = item?.kind === 'object' ? painting.of(item.uid)?.cause : undefined;
    return cause === undefined ? [] : [[cause, saidIn(spans.slice(5))]];
  });
  cluster.paint(undefined);
  return lines;
}

function problemLines(demo: string, state: State): readonly ProblemLine[] {
  const top = movesOf(state).top(state);
  return linesOf(state).flatMap(({ spans }, i) => {
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
  if (view === 'pulse') {
    const row = cluster?.pulse?.rows.window(at, 1)[0];
    return row?.kind === 'item' && row.item.of === 'finding' ? row.item.finding : undefined;
  }
  return findingOf(cluster, cluster?.rows.at(at));
}

function findingOf(cluster: State['cluster'], item: TreeItem | undefined): Finding | undefined {
  return item?.kind === 'object' ? cluster?.problems?.worstOf(item.node.uid) : undefined;
}

/** Takes the text of the columns after the name up to a gap, without its sign. */
function saidIn(spans: Line): string {
  const text = spans.map(span => span.text).join('');
  return text.replace(/^[✗⚠] /u, '').replace(/ (?: .*)?$/u, '');
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

test.each(sizes)('a forecast cuts no cause at %i by %i', columns => {
  const lines = painted.get(columns) ?? [];
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter(([cause, said]) => !said.includes(cause) && said.includes('…'))).toEqual([]);
});
