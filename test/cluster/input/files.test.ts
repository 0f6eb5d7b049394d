/** Files say of a cluster what the cluster says itself, in every form in which kubectl prints it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import { list, record } from '../../../src/model/json/json.ts';
import { FilesSource } from '../../../src/source/files/files-source.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { settled } from '../settled.ts';
import { runTool } from '../tool.ts';

const shop = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: c, image: registry.example.com/api:1}]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
---
apiVersion: v1
kind: Secret
metadata: {name: db, namespace: shop}
stringData: {greeting: "hello: 'world' # 1\\n\\n  two\\n"}
`;

interface Printed {
  readonly basis: { readonly source: string; readonly complete: boolean };
  readonly roots: readonly unknown[];
}

// What isn't of this test must not come and go between two looks: without a controller manager nothing does.
describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gc-tree-files-'));
  let cluster: Cluster;
  let kubeconfig: string;
  let kinds: string;

  async function printed(...args: string[]): Promise<Printed> {
    const { stdout, stderr, code } = await runTool(['tree', ...args, '-o', 'json'], { kubeconfig });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    return JSON.parse(stdout) as Printed;
  }

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(shop);
    await eventually(async () => {
      const pods = await cluster.kubectl([
        'get',
        'pods',
        '-n',
        'shop',
        '-o',
        'jsonpath={.items[*].status.phase}',
      ]);
      expect(pods).toBe('Running Running');
    });
    await settled(cluster, 'shop');
    // A new definition takes a moment until it serves.
    await eventually(() =>
      cluster.kubectl(
        ['create', '-f', '-'],
        'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: gear, namespace: shop}\n',
      ),
    );
    const uid = await cluster.kubectl([
      'get',
      'widget',
      'gear',
      '-n',
      'shop',
      '-o',
      'jsonpath={.metadata.uid}',
    ]);
    await cluster.component('kube-controller-manager').kill();
    for (const [name, owner] of [
      ['kept', uid],
      ['dangling', '11111111-2222-3333-4444-555555555555'],
    ])
      await cluster.kubectl(
        ['create', '-f', '-'],
        `
apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  namespace: shop
  finalizers: [example.com/hold]
  ownerReferences: [{apiVersion: example.com/v1, kind: Widget, name: gear, uid: ${owner}, blockOwnerDeletion: true}]
`,
      );
    const names = await cluster.kubectl(['api-resources', '--verbs=list,watch,delete', '-o', 'name']);
    kinds = names
      .split('\n')
      .filter(name => name !== '' && !name.startsWith('events'))
      .join(',');
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await cluster?.stop();
  });

  it.each(['yaml', 'json'])('give the same tree as the cluster, printed as %s', async format => {
    const live = await printed('-A');
    expect(live.roots.length).toBeGreaterThan(20);
    for (const more of [[], ['--show-managed-fields']]) {
      const file = join(folder, `all.${format}`);
      writeFileSync(file, await cluster.kubectl(['get', kinds, '-A', '-o', format, ...more]));
      const fromFile = await printed('-A', '-f', file, '--closed-world');
      expect(fromFile.basis).toMatchObject({ source: 'files', complete: true });
      expect(fromFile.roots).toEqual(live.roots);
    }
  });

  it.each(['yaml', 'json'])('give the same tree as the cluster, dumped as %s in both forms', async format => {
    const dump = join(folder, `dump-${format}`);
    await cluster.kubectl(['cluster-info', 'dump', '-A', '-o', format, '--output-directory', dump]);
    const stream = join(folder, `stream.${format}`);
    writeFileSync(stream, await cluster.kubectl(['cluster-info', 'dump', '-A', '-o', format]));
    const live = await printed('-n', 'shop', 'deploy');
    for (const path of [dump, stream]) {
      const { stdout } = await runTool(['tree', 'deploy', '-n', 'shop', '-f', path, '-o', 'json'], {
        kubeconfig,
      });
      expect((JSON.parse(stdout) as Printed).roots).toEqual(live.roots);
    }
  });

  it('that were never in a cluster have the finalizers that the API server gives them', async () => {
    const manifests = `
apiVersion: v1
kind: Namespace
metadata: {name: new}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: new}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /tmp/new}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: new, namespace: new}
spec: {accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: new, namespace: new}
`;
    const file = join(folder, 'new.yaml');
    writeFileSync(file, manifests);
    const view = new ClusterView();
    const source = new FilesSource({
      names: [file],
      closedWorld: false,
      namespace: 'default',
      stdin: () => Readable.from([]),
      now: Date.now,
    });
    await source.start(batch => void view.apply(batch, 0));
    await cluster.kubectl(['create', '-f', file]);
    for (const { object } of view.graph.nodes()) {
      if (object === undefined) continue;
      const { kind } = object.type;
      const live = record(
        JSON.parse(await cluster.kubectl(['get', kind, 'new', '-n', 'new', '-o', 'json'])) as unknown,
      );
      const ofSpec = object.facts?.kind === 'Namespace' ? object.facts.specFinalizers : [];
      expect([kind, object.finalizers, ofSpec]).toEqual([
        kind,
        list(record(live['metadata'])['finalizers']),
        list(record(live['spec'])['finalizers']),
      ]);
    }
  });

  it('name what is wrong with them', async () => {
    const file = join(folder, 'broken.yaml');
    writeFileSync(file, 'apiVersion: v1\nkind: "Pod\n');
    const { stderr, code } = await runTool(['tree', '-f', file]);
    expect(stderr).toBe(
      `kubectl gc-tree: ${file}, line 3, column 1: a line that should be indented further, or a quote or bracket before it that has no end.\n`,
    );
    expect(code).toBe(2);
  });
});
