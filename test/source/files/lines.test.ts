/** At which line of its file an object stands. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderOf, read } from './reading.ts';

const yaml = `# Everything of the shop.

---
# The first.
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---

apiVersion: v1
kind: ConfigMap
metadata: {name: b}
--- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
`;

const list = `apiVersion: v1
items:
# Of the list.
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: d}
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: e
kind: List
`;

const json = `{"apiVersion": "v1", "kind": "ConfigMap",
 "metadata": {"name": "f"}}
{
  "kind": "ConfigMapList", "apiVersion": "v1",
  "items": [
    {"metadata": {"name": "g"}}, {"metadata": {"name": "h"}},
    {
      "metadata": {"name": "i"}
    }
  ]
}
==== START logs for container x of pod y/z ====
{ not this
==== END logs for container x of pod y/z ====
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "j"}}
`;

const flow = `
apiVersion: v1
kind: List
items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: k}},
  {apiVersion: v1, kind: ConfigMap, metadata: {name: l}}]
`;

const expected = {
  yaml: { a: 5, b: 10, c: 13 },
  list: { d: 4, e: 7 },
  json: { f: 1, g: 6, h: 6, i: 7, j: 15 },
  // It isn't read element by element: the line of the list.
  flow: { k: 2, l: 2 },
};

const texts = { yaml, list, json, flow };

test.each(Object.keys(texts) as (keyof typeof texts)[])('in %s, however the bytes arrive', async form => {
  for (const chunk of [1, 7, 65_536]) {
    const { source, view } = await read(['-'], { stdin: texts[form], chunk });
    const lines = [...view.graph.nodes()].map(({ identity }) => [
      identity.name,
      source.fileLine(identity.uid),
    ]);
    expect(Object.fromEntries(lines)).toEqual(
      Object.fromEntries(Object.entries(expected[form]).map(([name, line]) => [name, { file: '-', line }])),
    );
  }
});

test('of several files, and behind a byte order mark and Windows line ends', async () => {
  const folder = folderOf({ 'x/list.yaml': `\ufeff${list.replaceAll('\n', '\r\n')}`, 'y.yaml': yaml });
  const { source, view } = await read([folder]);
  const at = (name: string) => {
    const node = [...view.graph.nodes()].find(({ identity }) => identity.name === name);
    return node && source.fileLine(node.identity.uid);
  };
  expect(at('e')).toEqual({ file: path.join(folder, 'x/list.yaml'), line: 7 });
  expect(at('a')).toEqual({ file: path.join(folder, 'y.yaml'), line: 5 });
});
