import { afterEach, beforeEach, expect, test } from 'vitest';
import { GroupedRows } from '../../src/app/cluster/grouped-rows.ts';
import type { ClusterModel } from '../../src/app/cluster/model.ts';
import { commandOfView, commands } from '../../src/app/commands/bindings.ts';
import { views } from '../../src/app/views/registry.ts';
import { drawList, listOf, rowIn, type View } from '../../src/app/views/view.ts';
import type { GraphNode } from '../../src/graph/node.ts';
import { objectTitle } from '../../src/model/text/titles.ts';
import { TextLine } from '../../src/text/terminal/text-line.ts';
import { padEnd } from '../../src/text/terminal/width.ts';
import { ScreenDriver } from './screen-driver.ts';

const lists = new WeakMap<ClusterModel, GroupedRows<string, GraphNode>>();

/** Objects with finalizers, made of nothing but what a view may use. */
function rowsOf(cluster: ClusterModel): GroupedRows<string, GraphNode> {
  let rows = lists.get(cluster);
  if (rows === undefined) {
    const items = [...cluster.view.graph.nodes()]
      .filter(({ object }) => (object?.finalizers.length ?? 0) > 0)
      .sort((a, b) => (a.identity.name < b.identity.name ? -1 : 1));
    rows = new GroupedRows({
      groups: terms => [
        {
          id: 'held',
          head: 'Held',
          folded: false,
          items: items.filter(({ identity }) => terms.every(term => identity.name.includes(term))),
        },
      ],
      keyOf: ({ uid }) => uid,
    });
    lists.set(cluster, rows);
  }
  return rows;
}

const heldView: View = {
  id: 'held',
  key: '7',
  title: 'Held',
  about: 'what finalizers hold',
  words: ['held'],
  legend: [['held', 'a finalizer holds it']],
  count: ({ cluster }) => cluster && rowsOf(cluster).itemsUnder('held').length,
  lines: (state, width) =>
    drawList(state, {
      id: 'held',
      header: [{ text: padEnd(' HELD', width), style: 'muted' }],
      rows: state.cluster && rowsOf(state.cluster),
      draw: (row, chosen) => [
        {
          text: padEnd(
            `${chosen ? '>' : ' '} ${row.kind === 'group' ? row.head : objectTitle(row.item.identity)}`,
            width,
          ),
          style: 'plain',
        },
      ],
    }),
  empty: () => [{ text: 'Nothing is held.', style: 'plain' }],
  details: (state, cluster) => {
    const row = rowIn(state, 'held', rowsOf(cluster));
    return row?.kind === 'item' ? [TextLine.of(`Held by ${row.item.object?.finalizers.join()}`)] : [];
  },
  list: listOf({ rows: rowsOf, noun: 'what is held', uidOf: ({ uid }) => uid }),
};

const command = commandOfView(heldView);

beforeEach(() => {
  views.push(heldView);
  commands.push(command);
});

afterEach(() => {
  views.splice(views.indexOf(heldView), 1);
  commands.splice(commands.indexOf(command), 1);
});

const yaml = `
- { kind: ConfigMap, name: one, finalizers: [example.com/drain] }
- { kind: ConfigMap, name: two, finalizers: [example.com/drain] }
- { kind: ConfigMap, name: free }
`;

test('a seventh view has its tab, rows, details, keys and help by being registered', () => {
  const driver = ScreenDriver.complete(yaml);
  expect(driver.tabs()).toContain(' 7 Held 2 ');
  driver.press('7');
  expect(driver.tabs()).toContain('[7 Held 2]');
  expect(driver.rows().map(row => row.trim())).toEqual([
    'Held',
    '> ConfigMap shop/one',
    'ConfigMap shop/two',
  ]);
  expect(driver.details()).toContain('Held by example.com/drain');
  driver.press('j', 'space', 'space');
  expect(driver.rows().some(row => row.startsWith('> ConfigMap shop/two'))).toBe(true);
  driver.press('?');
  const { dialog } = driver.state;
  const help = dialog?.kind === 'text' ? dialog.lines.flatMap(line => line.map(({ text }) => text)) : [];
  expect(help).toContain('Held: what finalizers hold');
});

test('a seventh view is found by its word, narrowed by words and left by Enter to the tree', () => {
  const driver = ScreenDriver.complete(yaml);
  driver.press(':', ...'held', 'enter');
  expect(driver.state.view).toBe('held');
  driver.press('/', ...'two', 'tab');
  expect(driver.rows().map(row => row.trim())).toEqual(['Held', '> ConfigMap shop/two']);
  expect(driver.banner()).toContain('Only what is held that contain "two"');
  driver.press('enter');
  expect(driver.state.view).toBe('tree');
});
