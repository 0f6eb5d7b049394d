/** Metadata is refused in files where the real kubectl and API server refuse it, file by file. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { oddManifests, widgetDefinition } from '../../source/files/odd-metadata.ts';
import { failure } from '../../source/files/reading.ts';
import { eventually } from '../eventually.ts';

const MALFORMED = 300;
/** Files for one run of kubectl, which goes on after a file that it refuses. */
const BATCH = 100;
/** Says nothing about metadata: the namespace isn't there. */
const NO_NAMESPACE = /\(NotFound\).*namespaces "[^"]*" not found/u;
/** A manifest's bodies are good, so kubectl and the server have to speak of its metadata. */
const ABOUT_METADATA =
  /metadata|ObjectMeta|OwnerReference|ownerReferences|resource name may not be empty|invalid resource name|generate name/u;

interface Compared {
  readonly file: string;
  readonly text: string;
  readonly kubectl: string;
  readonly tool: string;
}

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('malformed metadata', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-malformed-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  let cluster: Cluster;
  let kubectl: string;

  beforeAll(async () => {
    ({ kubectl } = await controlPlaneBinaries());
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
    await cluster.apply(widgetDefinition);
    // `text` is a namespace that some of the manifests name.
    for (const name of ['shop', 'text']) await cluster.kubectl(['create', 'namespace', name]);
    copyFileSync(await cluster.kubeconfig(), kubeconfig);
    await run(['config', 'set-context', '--current', '--namespace=shop']);
    await eventually(() =>
      cluster.kubectl(
        ['apply', '--dry-run=server', '-f', '-'],
        'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: gear}\n',
      ),
    );
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await cluster?.stop();
  });

  function run(args: readonly string[]): Promise<{ readonly out: string; readonly err: string }> {
    const env = { HOME: folder, KUBECONFIG: kubeconfig };
    return new Promise(resolve => {
      execFile(kubectl, args, { env, maxBuffer: 2 ** 28 }, (_, out, err) => {
        resolve({ out, err });
      });
    });
  }

  /** What kubectl says of each file: '' where it accepts it. */
  async function applied(folderOfFiles: string, files: readonly string[]): Promise<Map<string, string>> {
    const { out, err } = await run(['apply', '--dry-run=server', '-f', folderOfFiles]);
    const said = new Map<string, string>();
    const unnamed: string[] = [];
    let last: string | undefined;
    for (const line of err.split('\n')) {
      const named = files.find(file => line.includes(path.join(folderOfFiles, file)));
      if (named === undefined && last === undefined) unnamed.push(line);
      last = /^(?:error|Error|unable)/u.test(line) ? named : (named ?? last);
      if (last !== undefined) said.set(last, `${said.get(last) ?? ''}${line.slice(0, 2_000)}\n`);
    }
    const accepted = out.split('\n').filter(line => line.endsWith('(server dry run)')).length;
    if (accepted === files.length - said.size) return said;
    // Some refusals name no file: these files are tried one by one.
    for (const file of files) {
      if (said.has(file)) continue;
      const alone = await run(['apply', '--dry-run=server', '-f', path.join(folderOfFiles, file)]);
      if (!alone.out.includes('(server dry run)')) said.set(file, alone.err);
    }
    return said;
  }

  it('is refused as kubectl refuses it', async () => {
    const manifests = oddManifests(35, 1_200);
    const differ: Compared[] = [];
    let refused = 0;
    let agreed = 0;
    let accepted = 0;
    let nothingSaid = 0;
    for (let at = 0; at < manifests.length && refused < MALFORMED; at += BATCH) {
      const batch = manifests.slice(at, at + BATCH);
      const here = path.join(folder, `batch-${at}`);
      mkdirSync(here);
      for (const { file, text } of batch) writeFileSync(path.join(here, file), text);
      const said = await applied(
        here,
        batch.map(({ file }) => file),
      );
      for (const { file, text } of batch) {
        const answer = said.get(file) ?? '';
        if (NO_NAMESPACE.test(answer)) {
          nothingSaid++;
          continue;
        }
        if (answer !== '' && refused === MALFORMED) continue;
        const tool = await failure([path.join(here, file)]);
        const agrees =
          (answer === '' || ABOUT_METADATA.test(answer)) && (answer === '') === (tool === 'no failure');
        if (answer === '') accepted++;
        else {
          refused++;
          if (agrees) agreed++;
        }
        if (!agrees) differ.push({ file, text: text.slice(0, 2_000), kubectl: answer, tool });
      }
    }
    console.info(
      `kubectl refused ${refused} files, of which ${agreed} agree; it accepted ${accepted}; ${nothingSaid} name a namespace that isn't there; ${differ.length} differ`,
    );
    expect(differ.slice(0, 20)).toEqual([]);
    expect({ refused, agreed }).toEqual({ refused: MALFORMED, agreed: MALFORMED });
  }, 1_200_000);
});
