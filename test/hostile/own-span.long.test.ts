/**
 * Hostile names change nothing but themselves: everything that is said of a cluster is said in the same words when its
 * names hold escape sequences, line breaks, quotes and marks, with each name shown in its own place.
 */
import { describe, expect, test } from 'vitest';
import { diagnostics } from '../../src/app/cluster/diagnostics.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { SourceBatch } from '../../src/model/exchange/changes.ts';
import { textEscapes } from '../../src/model/text/shown.ts';
import type { SimulatedCluster } from '../../src/simulation/runtime/simulated-cluster.ts';
import { ScreenDriver } from '../app/screen-driver.ts';
import { consoleFor, SmallSource } from '../cli/console.ts';
import { findingFiles } from '../conformance/findings/files.ts';
import { waited } from '../conformance/findings/judged.ts';
import { graphTypes } from '../conformance/fuzz/random-graphs.ts';
import { playSimulated } from '../conformance/simulate.ts';
import { BatchSource, batchOf, type Which } from './renamed.ts';

/**
 * What is put into every name, and how it has to be shown. One text for each place holds all that is hostile: every
 * command is run on every scenario for each.
 */
const hostile: readonly (readonly [text: string, shown: string, which: Which])[] = [
  [
    '\u001b[2J\u001b]0;x\n\r\t\u0085\u2028\u202e\u2066\u200b\ufeff\u009b31m\u0007\ud800',
    '%1B[2J%1B]0;x%0A%0D%09%C2%85%E2%80%A8%E2%80%AE%E2%81%A6%E2%80%8B%EF%BB%BF%C2%9B31m%07%ED%A0%80',
    'names',
  ],
  ['%1B%E2\u001b[2J\n', '%251B%25E2%1B[2J%0A', 'absent owners'],
];
const BENIGN = 'ZQZ';

const commands = [
  'tree -A -o wide --show-labels',
  'check -A -o wide',
  'check -A',
  'check -A -o junit',
  'plan restart --steps -o wide',
  'podgc -A -o wide',
];

/** All that commands print, without the lines that are commands: those are for shells, see test/shells. */
async function printed(batch: SourceBatch, moment: number, targets: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  const all = [
    ...commands,
    ...targets.flatMap(kind => [
      `why ${kind} --all -A -o wide`,
      `plan delete ${kind} --all -A -o wide --steps`,
    ]),
  ];
  for (const words of all) {
    const { io, services, result } = consoleFor({
      source: new BatchSource(batch),
      columns: 100_000,
      now: () => moment,
    });
    await runCommandLine(words.split(' '), io, services);
    const { out, err } = result();
    lines.push(`$ ${words}`, ...withoutCommands(out), ...withoutCommands(err));
  }
  return lines;
}

function withoutCommands(text: string): string[] {
  return text
    .split('\n')
    .filter(
      line =>
        !/^ *(?:Equivalent: |More about the first: |Undo: )?(?:kubectl|echo|printf|\(no command)/u.test(line),
    )
    .map(line => line.replaceAll(/ {2,}/gu, '  '));
}

/** What the screen shows of every row of its views. */
function drawn(batch: SourceBatch, moment: number): string[] {
  const screen = new ScreenDriver({ namespace: undefined, columns: 4000, rows: 200 });
  screen.send({ type: 'tick', now: moment });
  screen.send({ type: 'batch', batch: batch, now: moment });
  screen.send({ type: 'graphComplete', info: screen.info() });
  screen.send({ type: 'factsComplete', info: screen.info(), diagnostics });
  screen.judge();
  const lines: string[] = [];
  for (const view of ['1', '2', '3']) {
    screen.press(view, '*');
    const rows = screen.rows();
    lines.push(`view ${view}`, screen.title(), screen.tabs(), screen.banner(), screen.footer(), ...rows);
    for (let i = 0; i < Math.min(rows.length, 12); i += 1) {
      lines.push(...withoutCommands(screen.details()));
      screen.press('j');
    }
  }
  return lines.map(line => line.replaceAll(/ {2,}/gu, '  ').replaceAll(/─+/gu, '─'));
}

/** Kinds that have objects of the scenario. */
function kindsIn({ store, discovery }: SimulatedCluster): string[] {
  return discovery.catalog.types
    .filter(type => [...store.list(type)].some(({ namespace }) => !namespace.startsWith('kube-')))
    .map(({ resource, group }) => (group === '' ? resource : `${resource}.${group}`));
}

describe.each(findingFiles())('in the words for $file', ({ scenarios: [scenario] }) => {
  test('each name changes its own place alone', async () => {
    if (scenario === undefined) throw new Error('no scenario');
    const { world } = await playSimulated(scenario, { prefix: 's0', customTypes: graphTypes });
    const { cluster } = world;
    const moment = cluster.clock.now + waited(scenario);
    const kinds = kindsIn(cluster);
    const said = async (text: string, which: Which) => {
      const batch = batchOf(cluster, text, which);
      return [...(await printed(batch, moment, kinds)), ...drawn(batch, moment)];
    };
    const benign = {
      names: await said(BENIGN, 'names'),
      'absent owners': await said(BENIGN, 'absent owners'),
    };
    expect(benign.names.join('\n').split(BENIGN).length).toBeGreaterThan(20);
    for (const [text, shown, which] of hostile) {
      const usual = benign[which];
      const expected = usual.map(line =>
        line
          // A URL has its own encoding.
          .replaceAll(/(?:GET|POST|PUT|PATCH|DELETE) \/api\S*/gu, url =>
            url.replaceAll(`q${BENIGN}q`, `q${textEscapes.pathSegment(text)}q`),
          )
          .replaceAll(`q${BENIGN}q`, `q${shown}q`),
      );
      const found = await said(text, which);
      expect(found.filter((line, i) => line !== expected[i])).toEqual(
        expected.filter((line, i) => line !== found[i]),
      );
    }
  });
});

/** Wrong use, which is answered with names of the cluster. */
const wrong: readonly (readonly string[])[] = [
  ['why', 'pod/web-1'],
  ['why', 'cm/only'],
  ['tree', '-n', 'shops'],
  ['plan', 'taint', 'pods', '--all', 'out-of-service'],
  ['plan', 'unblock', 'secrets', '--all', '--remedy', 'none'],
];

async function errorsOf(character: string): Promise<string[]> {
  const names = [
    { kind: 'Pod', name: `web${character}-1` },
    { kind: 'ConfigMap', name: 'only', namespace: `infra${character}` },
    { kind: 'Secret', name: `held${character}` },
    { kind: 'Namespace', name: `shop${character}s`, namespace: '' },
  ];
  const errors: string[] = [];
  for (const argv of wrong) {
    const source = new SmallSource(names.map(each => `- ${JSON.stringify(each)}`).join('\n'));
    const { io, services, result } = consoleFor({ source });
    expect(await runCommandLine(argv, io, services)).toBe(2);
    errors.push(...result().err.split('\n'));
  }
  return errors;
}

test.each([
  ['\u001b', '%1B'],
  ['\n', '%0A'],
  ['\u202e', '%E2%80%AE'],
  ['\u009b', '%C2%9B'],
])('what is said of wrong use has its names shown in their places: %j', async (character, shown) => {
  const usual = await errorsOf('Q');
  expect(usual.join('\n').match(/Q/gu)).toHaveLength(wrong.length);
  expect(await errorsOf(character)).toEqual(usual.map(line => line.replaceAll('Q', shown)));
});
