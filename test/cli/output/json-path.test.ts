/** `-o jsonpath`, whose answers are those of kubectl v1.36 to the same templates, unless it says otherwise. */
import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { parseTemplate, printTemplate } from '../../../src/cli/runtime/json-path.ts';
import { consoleFor, SmallSource } from '../console.ts';

const source = new SmallSource(`
- { kind: Namespace, name: shop, namespace: "" }
- { kind: Deployment, name: web }
- { kind: ConfigMap, name: old, owners: [apps/v1 Deployment legacy] }`);

const run = async (words: readonly string[]) => {
  const { io, services, result } = consoleFor({ source });
  const exitCode = await runCommandLine(words, io, services);
  return { ...result(), exitCode };
};

describe('a template', () => {
  const document = {
    kind: 'Config',
    users: null,
    clusters: [
      { name: 'a', cluster: { server: 'https://z', port: 1 } },
      { name: 'b', cluster: { server: 'https://y', port: 2 } },
    ],
    hostile: 'a\u001b[2J',
  };

  test.each([
    ['{.clusters[*].name}', 'a b'],
    ['{.clusters[0]}', '{"cluster":{"port":1,"server":"https://z"},"name":"a"}'],
    ['{.none}{.clusters[*].none}', ''],
    ['{.users}', 'null'],
    ['x{.kind}y', 'xConfigy'],
    ['{$.kind}{@.kind}{ .kind }', 'ConfigConfigConfig'],
    ['{range .clusters[*]}{.name}{"\\t"}{.cluster.server}{"\\n"}{end}', 'a\thttps://z\nb\thttps://y\n'],
    ["{range .clusters[*]}{@.name}{','}{end}", 'a,b,'],
    ['{range .clusters[*]}{range .cluster}{.port}{end}{"}"}{end}', '1}2}'],
    ['{.clusters[?(@.name=="b")].cluster.server}', 'https://y'],
    ["{.clusters[?(@.name!='b')].name}", 'a'],
    ['{.clusters[?(@.cluster.port==2)].name}', 'b'],
    ['{.clusters[?(@.cluster)].name}', 'a b'],
    ['{.clusters[-1].name}', 'b'],
    // kubectl prints control characters, and fails for an index out of bounds.
    ['{.hostile}', 'a%1B[2J'],
    ['{.clusters[5].name}', ''],
  ])('%s prints %s', (template, text) => {
    expect(printTemplate(document, parseTemplate(template))).toBe(text);
  });
});

test('check prints its findings in a range, and keeps its exit code', async () => {
  const template = '{range .items[*]}{.code} {.object.name}{"\\n"}{end}';
  const { out, exitCode } = await run(['check', '-A', '-o', `jsonpath=${template}`]);
  expect(out).toMatch(/^\w+ old\n$/u);
  expect(exitCode).toBe(1);
});

test.each([
  ['jsonpath', 'jsonpath needs a template'],
  ['jsonpath={.items', 'its braces or quotes do not match'],
  ['jsonpath=.items', 'it has no field in braces'],
  ['jsonpath={range .items}{.code}', 'a {range} has no {end}'],
  ['jsonpath={.code}{end}', '{end} closes no {range}'],
  ['jsonpath={..code}', 'cannot read the path "..code"'],
  ['jsonpath={.items[0:2]}', 'cannot read the path ".items[0:2]"'],
  ["jsonpath={.items[0]['a','b']}", 'cannot read the path'],
  ['jsonpath={.items[?(@.since>1)]}', 'cannot read the path'],
  ['jsonpath-file=x', 'unknown output format'],
])('-o %s is refused', async (format, message) => {
  const { out, err, exitCode } = await run(['check', '-o', format]);
  expect(err).toContain(message);
  expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
  expect([out, exitCode]).toEqual(['', 2]);
});
