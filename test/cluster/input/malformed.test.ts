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

  async function applied(file: string): Promise<boolean> {
    const { kubectl } = await controlPlaneBinaries();
    const env = { HOME: folder, KUBECONFIG: await cluster.kubeconfig() };
    return new Promise(resolve => {
      execFile(kubectl, ['apply', '--dry-run=server', '-f', file], { env }, error => resolve(error === null));
    });
  }

  it('is refused as kubectl refuses it', async () => {
    let refused = 0;
    for (const { file, text } of oddManifests(35, 1_000)) {
      if (refused === MALFORMED) break;
      const written = path.join(folder, file);
      writeFileSync(written, text);
      const accepts = await applied(written);
      if (!accepts) refused++;
      const said = await failure([written]);
      expect({ text, accepts, said: accepts ? said : said !== 'no failure' }).toEqual({
        text,
        accepts,
        said: accepts ? 'no failure' : true,
      });
    }
    expect(refused).toBe(MALFORMED);
  }, 600_000);
});
