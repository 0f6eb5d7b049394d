import { describe, expect, test } from 'vitest';
import { paintedLines, paintTree } from '../../../../src/cli/documents/plan/painted-tree.ts';
import { printDot, printMermaid } from '../../../../src/cli/documents/print/diagram.ts';
import { printHtml, printSvg } from '../../../../src/cli/documents/print/picture.ts';
import { treeContext } from '../../../../src/cli/documents/tree/ownership-tree.ts';
import { Forecast } from '../../../../src/forecast/plan/forecast-result.ts';
import type { ClusterView } from '../../../../src/graph/cluster-view.ts';
import { objectTitle } from '../../../../src/model/text/titles.ts';
import { Random } from '../../../../src/simulation/runtime/random.ts';
import { Fates } from '../../../../src/text/plan/fate-words.ts';
import { Glyphs } from '../../../../src/text/terminal/glyphs.ts';
import {
  deployment,
  nodes,
  operator,
  planDelete,
  planHandled,
  pod,
  viewOf,
} from '../../../forecast/fixtures.ts';
import { viewOf as viewOfWorld, world } from '../../../forecast/random-world.ts';

function rows(view: ClusterView, forecast: Forecast, wide = false): string[] {
  return [...paintedLines(paintTree(view.graph, forecast), { glyphs: Glyphs.unicode, wide })].map(
    ({ spans }) => spans.map(({ text }) => text).join(''),
  );
}

const shop = viewOf(nodes + deployment('api', 2));

describe('a forecast painted on the tree', () => {
  test('says of each object what becomes of it, with what comes in its place', () => {
    expect(rows(shop, planDelete(shop, 'api-h', 'orphan'))).toMatchInlineSnapshot(`
      [
        "  Deployment shop/api  stays",
        "- ├─ ReplicaSet api-h  deleted",
        "~ │  ├─ Pod api-h-0    loses an owner reference and gets 1 owner reference",
        "~ │  └─ Pod api-h-1    loses an owner reference and gets 1 owner reference",
        "+ └─ 1 new ReplicaSet  created",
      ]
    `);
    expect(rows(shop, planDelete(shop, 'api-h-0'))).toMatchInlineSnapshot(`
      [
        "  Deployment shop/api  stays",
        "  └─ ReplicaSet api-h  stays",
        "-    ├─ Pod api-h-0    deleted",
        "+    └─ 1 new Pod      created",
      ]
    `);
  });

  test('has what waits for a handler, and what goes then', () => {
    const view = viewOf(`${nodes}${operator(1)}
- {kind: ConfigMap, name: rec, finalizers: [example.com/drain]}
- {kind: Secret, name: key, owners: [v1 ConfigMap rec rec +b]}
`);
    expect(rows(view, planHandled(view, 'rec'))).toMatchInlineSnapshot(`
      [
        "! ConfigMap shop/rec  waits for finalizer example.com/drain, which its own controller has to remove",
        "- └─ Secret key       deleted then",
      ]
    `);
  });

  test('counts what is alike, and has a row for each when asked to', () => {
    const view = viewOf(nodes + deployment('api', 40));
    const made = planDelete(view, 'api');
    expect(rows(view, made)).toHaveLength(2 + 9 + 1);
    expect(rows(view, made).at(-1)).toMatch(/^- +└─ and 31 more Pods +deleted$/u);
    expect(rows(view, made, true)).toHaveLength(2 + 40);
  });

  test('leaves nothing out: every object of random forecasts has its sign, and no other object has one', () => {
    let signs = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const random = new Random(seed);
      const objects = world(random);
      const view = viewOfWorld(objects);
      const target = objects[random.below(objects.length)];
      for (const cascade of ['background', 'foreground', 'orphan'] as const) {
        const made = planDelete(view, target?.uid ?? '', cascade);
        const fates = Fates.of(made);
        const expected = new Set([
          ...Forecast.own(made.deleted).map(({ object }) => object.uid),
          ...Forecast.own(made.terminating).map(({ object }) => object.uid),
          ...Forecast.own(made.changed).map(({ object }) => object.uid),
          ...Forecast.own(made.doomed).map(({ object }) => object.uid),
          ...made.timingDependent.map(({ object }) => object.uid),
        ]);
        expect(new Set(fates.objects.map(({ uid }) => uid)), `seed ${seed}`).toEqual(expected);
        const shown = rows(view, made, true);
        for (const object of fates.objects) {
          const sign = Fates.signs[fates.of(object.uid)?.kind ?? 'stuck'];
          const name = objectTitle(object).split('/').at(-1) ?? '';
          expect(
            shown.some(
              row => row.startsWith(`${sign} `) && row.split(/ {2,}|─ /u).some(cell => cell.endsWith(name)),
            ),
            `seed ${seed}: ${sign} ${name}\n${shown.join('\n')}`,
          ).toBe(true);
          signs += 1;
        }
      }
    }
    expect(signs).toBeGreaterThan(200);
  });
});

describe('a picture of a forecast', () => {
  const hostile = viewOf(`${nodes}
- {kind: ConfigMap, name: "a</text><script>alert(1)</script>\\"'\\u001b[31m"}
- {kind: Secret, name: 'b"];x', owners: ['v1 ConfigMap a hostile +b']}
${pod('p', '')}`);
  const uid = [...hostile.graph.nodes()].find(({ identity }) => identity.name.startsWith('a<'))?.uid ?? '';
  const made = planDelete(hostile, uid);
  const lines = [...paintedLines(paintTree(hostile.graph, made), { glyphs: Glyphs.unicode, wide: true })].map(
    ({ spans }) => spans,
  );

  test('refers to nothing outside of itself, and holds hostile names as text', () => {
    const svg = [...printSvg(lines, 'x </title>')].join('');
    const html = [...printHtml(lines, 'x </title>')].join('');
    for (const text of [svg, html]) {
      expect(text).not.toContain('<script');
      expect(text).not.toContain('\u001b');
      expect(text.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|@import|src=|href=/u);
    }
    expect(svg.match(/<text /gu)?.length).toBe(svg.match(/<\/text>/gu)?.length);
  });

  test('has each object once in a diagram, with its fate', () => {
    const { selection, fates } = paintTree(shop.graph, planDelete(shop, 'api-h-0'));
    const dot = [...printDot(selection, treeContext(shop), fates)].join('');
    expect(dot).toContain(String.raw`label="Pod shop/api-h-0\ndeleted"`);
    expect(dot).toContain('label="1 new Pod"');
    const mermaid = [...printMermaid(selection, treeContext(shop), fates)].join('');
    expect(mermaid).toContain('["Pod shop/api-h-0<br/>deleted"]');
    expect(mermaid).toMatch(/-\.-> n\d+_0\(\["1 new Pod"\]\)/u);
  });
});
