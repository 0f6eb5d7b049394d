/** What files say in YAML is what the real kubectl reads in them: merge keys, scalars, keys, and whatever people write. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../../src/model/json/json.ts';
import { readYamlDocument, YamlError } from '../../../src/source/files/yaml/yaml-document.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { mergeCases } from '../../source/files/merge-cases.ts';
import { configMap, drawn } from '../../source/files/yaml-texts.ts';
import { runTool } from '../tool.ts';

/** Why what kubectl reads is refused here: each is told, and nothing is read otherwise. */
const refusals = [
  /a line that should be indented further, or a quote/u,
  /kubectl takes for a line break/u,
  /which kubectl reads otherwise/u,
  /missed comma between flow collection entries/u,
];

function ours(text: string): unknown {
  return readYamlDocument(text, { maxDepth: 500, maxAliasCharacters: 1_000_000, maxNodes: 1_000_000 });
}

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('YAML', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-yaml-'));
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await cluster?.stop();
  });

  /** What kubectl prints, whether it fails in the end or not. */
  async function printed(args: readonly string[]): Promise<string> {
    const { kubectl } = await controlPlaneBinaries();
    const env = { HOME: folder, KUBECONFIG: await cluster.kubeconfig() };
    return new Promise(resolve => {
      execFile(kubectl, args, { env, maxBuffer: 256 * 1024 * 1024 }, (_error, stdout) => resolve(stdout));
    });
  }

  /** The data of the ConfigMaps that kubectl reads in documents, by name; those that it refuses are missing. */
  async function read(documents: ReadonlyMap<string, string>): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>();
    const below = mkdtempSync(path.join(folder, 'documents-'));
    for (const [name, text] of documents) writeFileSync(path.join(below, `${name}.yaml`), text);
    // It goes on behind a file that it cannot read, and fails in the end.
    const args = ['create', '--dry-run=client', '--validate=false', '-o', 'json', '-f', below];
    const stdout = await printed(args);
    for (const printed of stdout.split(/^(?=\{$)/mu).filter(each => each.trim() !== '')) {
      const object = record(JSON.parse(printed));
      found.set(String(record(object['metadata'])['name']), object['data'] ?? null);
    }
    rmSync(below, { recursive: true });
    return found;
  }

  it('is read as kubectl reads it where merge keys are concerned', async () => {
    const documents = new Map(
      mergeCases.map(({ text }, index) => [
        `m${index}`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m${index}}\ndata:\n  ${text.replaceAll('\n', '\n  ')}\n`,
      ]),
    );
    const theirs = await read(documents);
    for (const [index, { what, value }] of mergeCases.entries())
      expect({ what, value: theirs.get(`m${index}`) }).toEqual({ what, value });
  });

  it('is read as kubectl reads it, or refused in words, however it is written', async () => {
    const documents = new Map<string, string>();
    for (const [index, draws] of fc.sample(drawn, 2_000).entries())
      documents.set(`d${index}`, configMap(`d${index}`, draws));
    const theirs = await read(documents);
    let both = 0;
    let indented = 0;
    for (const [name, text] of documents) {
      const their = theirs.has(name) ? { data: theirs.get(name) } : undefined;
      let our: { data: unknown } | undefined;
      try {
        our = { data: JSON.parse(JSON.stringify(record(ours(text))['data'] ?? null)) };
      } catch (error) {
        if (!(error instanceof YamlError)) throw error;
        if (their !== undefined && !refusals.some(each => each.test(error.message)))
          expect({ text, refused: error.message }).toEqual({ text, read: their });
        if (their !== undefined && /should be indented further/u.test(error.message)) indented++;
        continue;
      }
      if (their === undefined) continue;
      both++;
      if (!isDeepStrictEqual(our, their)) expect({ text, ...our }).toEqual({ text, ...their });
    }
    expect(both).toBeGreaterThan(1_000);
    // What is wrong with some of them besides is said in these words, too.
    expect(indented).toBeLessThan(15);
  });

  it('that merges an owner in is a tree in files as it is in the cluster', async () => {
    const owner = JSON.parse(
      await cluster.kubectl(
        ['create', '-o', 'json', '-f', '-'],
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: owner, namespace: default}\n',
      ),
    ) as { readonly metadata: { readonly uid: string } };
    const child = `
apiVersion: v1
kind: ConfigMap
metadata:
  <<: {labels: {app: shop}, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: ${owner.metadata.uid}, controller: yes}]}
  name: child
  namespace: default
`;
    await cluster.kubectl(['create', '-f', '-'], child);
    mkdirSync(path.join(folder, 'shop'));
    const file = path.join(folder, 'shop/all.yaml');
    const first = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: owner, namespace: default, uid: ${owner.metadata.uid}}\n`;
    writeFileSync(file, `${first}---\n${child}`);
    const args = ['tree', 'cm/owner', '-n', 'default', '--no-headers'];
    const live = names(await runTool(args, { kubeconfig: await cluster.kubeconfig() }));
    const files = names(await runTool([...args, '-f', file]));
    expect(live).toEqual(['ConfigMap default/owner', '└─ ConfigMap child']);
    expect(files).toEqual(live);
  });
});

/** The first column, without the mark of what was asked for. */
function names({ stdout }: { readonly stdout: string }): string[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map(line => line.replace(/^[* ] /u, '').split(/ {2,}/u)[0] ?? '');
}
