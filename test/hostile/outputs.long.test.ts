/** What reads an output finds in it what the tool says, and nothing that a name, message or file name says to it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { command } from '../cli/console.ts';
import { elementsOf } from '../cli/documents/xml-reader.ts';

const texts = {
  markup: `</title></style></text></pre><script>alert(1)</script><img src=x onerror=alert(1)>" onload="x`,
  'end of CDATA': ']]><!--x--><![CDATA[<?x?>&lt;&#60;&x;',
  'links of Markdown':
    '[x](javascript:alert(1)) ![x](http://attacker.example/x.png) <http://attacker.example> [1]: x',
  'blocks of Markdown': '\n\n# x\n```\n~~~\n> - | x |\n---|---\n<details open>\n````',
  'words of GitHub': 'x @admin/all @admin #12 owner/repo#12 $\\color{red}{x}$ $$x$$ :bomb: x',
  'commands of GitHub':
    '\n::set-output name=x::y\r\n::add-mask::a\n::stop-commands::x\n##[set-output name=x]y %0A::error::z',
  'commands of Azure':
    '::add-matcher::x ##vso[task.setvariable variable=x]y ##[section]z ##teamcity[x]\n##vso[x]\n ::error::x',
  'links of SARIF': '[x](1) [x](http://attacker.example) \\[x](1) {0} {{0}} {x}',
  'directives of Mermaid':
    '"]\n%%{init: {"securityLevel": "loose"}}%%\nclick n1 href "javascript:alert(1)"\nn1["`**x**`"] end subgraph x;--> #quot; #35; :::x',
  'attributes of DOT':
    '", URL="javascript:alert(1)", label=<<b>x</b>>, x="\\N \\G \\l \\" &lt;b&gt; &amp; &#98; \\',
  controls:
    '\u0000\u0001\u0008\u000b\u000c\u001b[2J\u001b]0;x\u0007\u007f\u0085\u009b31m\u2028\u2029\ufffe\uffff\ud800\udfff',
  directions: '\u202e\u2066\u200b\u200f\ufeff\u00ad\u{e0041}',
  long: `${'x'.repeat(100_000)} ${'<&"\\`['.repeat(2_000)}`,
} as const;

/** The text wherever an API server, or a file, takes any. */
function world(text: string): string {
  const name = JSON.stringify(text.replaceAll('\0', '\\0'));
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', uid: 'u1' } },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: text.replace(/[/%]/gu, ''),
          namespace: 'shop',
          uid: 'u2',
          labels: { x: text },
          annotations: { x: text },
          deletionTimestamp: '2026-01-01T00:00:00Z',
          finalizers: [text],
          ownerReferences: [
            { apiVersion: text, kind: text, name: text, uid: 'u9' },
            { apiVersion: 'v1', kind: 'Secret', name: name, uid: 'u8', blockOwnerDeletion: true },
          ],
        },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: {
          name: 'api',
          namespace: 'shop',
          uid: 'u3',
          deletionTimestamp: '2026-01-01T00:00:00Z',
          finalizers: ['foregroundDeletion'],
        },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: text.replace(/[/%]/gu, ''),
          namespace: 'shop',
          uid: 'u4',
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'Deployment', name: 'api', uid: 'u3', blockOwnerDeletion: true },
          ],
        },
        spec: { nodeName: text, containers: [] },
        status: {
          phase: text,
          reason: text,
          message: text,
          conditions: [{ type: text, status: 'False', reason: text, message: text }],
        },
      },
    ],
  });
}

async function said(line: string, text: string): Promise<string> {
  const { out, err, exitCode } = await command(`${line} -f -`, { stdin: world(text) });
  expect([exitCode, err.includes('kubectl gc-tree: ') ? err.slice(0, 300) : '']).toEqual([
    expect.toBeOneOf([0, 1]),
    '',
  ]);
  return out;
}

const plan = 'plan delete ns/shop';

describe.each(Object.entries(texts))('%s', (_, text) => {
  test('is text in HTML and SVG', async () => {
    for (const format of ['html', 'svg']) {
      const out = await said(`${plan} -o ${format}`, text);
      const tags = [...out.matchAll(/<[^>]*>?/gu)].map(([tag]) => tag.replaceAll(/"[-\w.#%:/ ]*"/gu, '""'));
      const known =
        /^<(?:!doctype html|html lang=""|meta charset=""|\/?(?:html|title|style|pre|span|text|svg)|span class=""|svg xmlns="" width="" height="" viewBox="" role=""|rect class="" width="" height=""\/|text class="" x="" y="" textLength="" xml:space="")>$/u;
      expect(tags.filter(tag => !known.test(tag))).toEqual([]);
      expect(out).not.toMatch(/&(?!#\d+;)|[^\n\P{C}]/u);
      expect(out.match(/<style>/gu)).toHaveLength(1);
    }
  });

  test.each(['tree', plan])('is a label in the diagrams of %s', async line => {
    const mermaid = await said(`${line} -o mermaid`, text);
    const label = String.raw`"(?:[\p{L}\p{N} ./:_-]|#\d+;|<br/>)*"`;
    const lines = new RegExp(
      String.raw`^(?:flowchart LR|  n\d+(?:\[${label}\]|\(\[${label}\]\))|  style n\d+ [\w:#,-]+|  n\d+ (?:==>|-->)(?:\|\w+\|)? n\d+|  n\d+ -\.-> n\d+_\d+\(\[${label}\]\))$`,
      'u',
    );
    expect(
      mermaid
        .trimEnd()
        .split('\n')
        .filter(each => !lines.test(each)),
    ).toEqual([]);
    const dot = await said(`${line} -o dot`, text);
    // An entity of HTML is read in every label.
    const quoted = String.raw`"(?:[^"\\\n&]|\\[\\"n]|&amp;)*"`;
    const attributes = String.raw`\[(?:, )?(?:(?:, )?\w+=(?:${quoted}|\w+))+\]`;
    const statements = new RegExp(
      String.raw`^(?:digraph "gc-tree" \{|  rankdir=LR;|  node ${attributes};|  n\d+(?:_\d+)? ${attributes};|  n\d+ -> n\d+(?:_\d+)?(?: ${attributes})?;|\})$`,
      'u',
    );
    expect(
      dot
        .trimEnd()
        .split('\n')
        .filter(each => !statements.test(each)),
    ).toEqual([]);
  });

  test.each(['check', plan])('is text in the Markdown of %s', async line => {
    const out = await said(`${line} -o markdown`, text);
    const prose = out
      .replaceAll(/^(`{3,})text\n(?:(?!\1\n).*\n)*\1\n/gmu, '')
      .replaceAll(/\]\(https:\/\/github\.com\/[\w./#-]*\)/gu, '')
      .replaceAll(/^### |^\| ?\[?|(?<= )\| ?\[?|(?: --- \|)+$/gmu, '')
      .replaceAll(/<span>[@$#:.]<\/span>/gu, '')
      .replaceAll(/\\./gu, '');
    expect(prose).not.toMatch(/[`*{}[\]<>#|~&@$]/u);
    expect(prose).not.toMatch(/^(?: {4}|\t|[-+*>] |\d+[.)] )/mu);
    expect(prose).not.toMatch(/https?:\/\/|www\./iu);
  });

  test.each(['tree', 'tree -o wide', 'check', 'check -o wide', plan, 'why cm -n shop', 'podgc'])(
    'is no command in the log of a pipeline that runs %s',
    async line => {
      const formats = line.includes('-o ') ? [''] : ['', ' -o json', ' -o yaml'];
      for (const format of formats) {
        const { out, err } = await command(`${line}${format} -f -`, { stdin: world(text) });
        // What Azure's agent and GitHub's runner look for: the latter `::` after blanks alone.
        expect(`${out}\n${err}`).not.toMatch(/##\w*\[|^\s*::/mu);
      }
    },
  );

  test.each(['check', plan])('is a message in the annotations of %s', async line => {
    const out = await said(`${line} -o github`, text);
    for (const each of out.trimEnd().split('\n'))
      expect(each).toMatch(/^::(?:error|warning|notice) (?:file=[^:,]*,line=\d+,)?title=[^:,\r]*::[^\r]*$/u);
  });

  test('is text in JUnit that XML 1.0 can hold', async () => {
    const out = await said('check -o junit', text);
    expect(out).not.toMatch(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
    expect(elementsOf(out, 'testcase').length).toBeGreaterThan(2);
    const names = [...out.matchAll(/<\/?([\w!?[-]+)/gu)].map(([, name = '']) => name);
    expect([...new Set(names)].sort()).toEqual([
      '?xml',
      'failure',
      'skipped',

      'testcase',
      'testsuite',
      'testsuites',
    ]);
  });

  test('is text in SARIF', async () => {
    const { runs } = JSON.parse(await said('check -o sarif', text)) as {
      readonly runs: readonly [
        {
          readonly results: readonly {
            readonly message: { readonly text: string };
            readonly relatedLocations?: readonly { readonly message: { readonly text: string } }[];
          }[];
        },
      ];
    };
    const [{ results }] = runs;
    expect(results.length).toBeGreaterThan(0);
    const messages = results.flatMap(({ message, relatedLocations = [] }) => [
      message,
      ...relatedLocations.map(each => each.message),
    ]);
    for (const each of messages) {
      expect(Object.keys(each)).toEqual(['text']);
      // 3.11.5 and 3.11.6 of SARIF 2.1.0: placeholders, and links in plain text.
      expect(each.text.replaceAll(/\\[\\[\]]|\{\{|\}\}/gu, '')).not.toMatch(/\]\(|\{\d+\}/u);
    }
  });
});

describe('file names', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'names-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const names = [
    'a\n::set-output name=x::y',
    '::error file=a,line=1::b',
    '..%2f..%2fx',
    '[x](javascript:alert(1))',
    ']]><script>',
    '\u202e\u0007',
    '__proto__',
    '{0}',
    '@admin $x$ #1',
    '..x',
  ];

  test.each(names)('%j', async name => {
    const below = path.join(folder, 'repository');
    mkdirSync(below, { recursive: true });
    writeFileSync(
      path.join(below, `${name}.yaml`),
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop","uid":"u","deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["a.example/b"]}}',
    );
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(below);
    const said = async (format: string): Promise<string> =>
      (await command(`check -f ${below} -o ${format}`)).out;
    try {
      const github = await said('github');
      for (const each of github.trimEnd().split('\n'))
        expect(each).toMatch(
          /^::(?:error|warning|notice) (?:file=[^:,\r]*,line=\d+,)?title=[^:,\r]*::[^\r]*$/u,
        );
      expect(decodeURIComponent(/file=([^,]*)/u.exec(github)?.[1] ?? '')).toBe(`${name}.yaml`);
      const sarif = JSON.parse(await said('sarif')) as {
        runs: [{ results: [{ locations: [{ physicalLocation: { artifactLocation: { uri: string } } }] }] }];
      };
      const { uri } = sarif.runs[0].results[0].locations[0].physicalLocation.artifactLocation;
      expect(new URL(uri, 'file:///repository/').pathname).toMatch(/^\/repository\/[^/]*$/u);
      expect(decodeURIComponent(uri)).toBe(`${name}.yaml`);
      expect(elementsOf(await said('junit'), 'testcase').length).toBeGreaterThan(2);
    } finally {
      cwd.mockRestore();
      rmSync(path.join(below, `${name}.yaml`));
    }
  });
});
