/** Metadata is refused in files where the real kubectl and API server refuse it, file by file. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('malformed metadata', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-malformed-'));
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
    await cluster.apply(widgetDefinition);
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

  /** What kubectl says as it refuses the file; undefined if it accepts it. */
  async function refusal(file: string): Promise<string | undefined> {
    const { kubectl } = await controlPlaneBinaries();
    const env = { HOME: folder, KUBECONFIG: await cluster.kubeconfig() };
    return new Promise(resolve => {
      execFile(kubectl, ['apply', '--dry-run=server', '-f', file], { env }, (error, _, said) =>
        resolve(error === null ? undefined : said),
      );
    });
  }

  it('is refused as kubectl refuses it', async () => {
    const differing: object[] = [];
    let refused = 0;
    let accepted = 0;
    const manifests = [...oddManifests(35, 1_000)];
    const compareNext = async (): Promise<void> => {
      for (let next = manifests.pop(); next !== undefined && refused < MALFORMED; next = manifests.pop()) {
        const written = path.join(folder, next.file);
        writeFileSync(written, next.text);
        const theirs = await refusal(written);
        // A namespace of another name is no fault of the manifest: this server just doesn't have it.
        if (theirs !== undefined && /\(NotFound\)/u.test(theirs)) continue;
        if (theirs === undefined) accepted++;
        else refused++;
        const said = await failure([written]);
        const ours = said === 'no failure' ? undefined : said;
        if ((theirs === undefined) !== (ours === undefined))
          differing.push({ text: next.text, theirs, ours });
      }
    };
    await Promise.all([compareNext(), compareNext(), compareNext()]);
    expect(differing).toEqual([]);
    expect(refused).toBeGreaterThanOrEqual(MALFORMED);
    expect(accepted).toBeGreaterThan(10);
  }, 600_000);
});
