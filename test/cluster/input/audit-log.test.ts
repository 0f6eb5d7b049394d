/** What is told of deletions from the audit log of a real API server, each policy for itself. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool } from '../tool.ts';

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - {level: None, verbs: [get, list, watch]}
  - {level: None, resources: [{group: coordination.k8s.io}, {group: '', resources: [events]}]}
  - {level: RequestResponse}
`;

const policies = ['background', 'foreground', 'orphan'] as const;

describe('the audit log of a real API server', () => {
  let cluster: Cluster;
  let log: string;

  beforeAll(async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'audit-'));
    log = path.join(folder, 'audit.log');
    writeFileSync(path.join(folder, 'policy.yaml'), policy);
    cluster = await startControlPlane({
      nodes: 0,
      components: ['etcd', 'kube-apiserver', 'kube-controller-manager'],
      apiServerFlags: [
        `--audit-policy-file=${path.join(folder, 'policy.yaml')}`,
        `--audit-log-path=${log}`,
        '--audit-log-mode=blocking',
      ],
    });
    const made = async (name: string, more = ''): Promise<string> => {
      await cluster.apply(
        `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default${more}}}`,
      );
      const { metadata } = await cluster.api.json<{ metadata: { uid: string } }>({
        path: `/api/v1/namespaces/default/configmaps/${name}`,
      });
      return metadata.uid;
    };
    for (const each of policies) {
      const uid = await made(each);
      await made(
        `${each}-child`,
        `, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: ${each}, uid: ${uid}, blockOwnerDeletion: true}]`,
      );
    }
    await cluster.apply('{apiVersion: v1, kind: Namespace, metadata: {name: doomed}}');
    await cluster.apply('{apiVersion: v1, kind: ConfigMap, metadata: {name: inside, namespace: doomed}}');
    for (const each of policies)
      await cluster.kubectl(['delete', 'cm', each, `--cascade=${each}`, '--wait=false']);
    await cluster.kubectl(['delete', 'ns', 'doomed', '--wait=false']);
    const gone = ['configmaps/background-child', 'configmaps/foreground', 'configmaps/orphan'].map(
      each => `/api/v1/namespaces/default/${each}`,
    );
    await eventually(async () => {
      for (const each of [...gone, '/api/v1/namespaces/doomed'])
        expect((await cluster.api.send({ path: each })).status).toBe(404);
    });
  });
  afterAll(() => cluster?.stop());

  /** What is said, with the blanks as one. */
  const why = async (words: string): Promise<string> => {
    const { stdout, stderr, code } = await runTool(['why', ...words.split(' '), '--audit-log', log]);
    expect([code, stderr]).toEqual([0, '']);
    return stdout.replaceAll(/[ \n]+/gu, ' ');
  };

  it('tells a background deletion: gone at once, and its dependent by the collector', async () => {
    const said = await why('cm/background');
    expect(said).toMatch(
      /^ConfigMap default\/background was deleted at \S+ by admin, with the policy Background\. It was gone at once\./u,
    );
    expect(said).toContain('from 127.0.0.1, with kubectl/v1.36');
    expect(said).toContain('the garbage collector deleted ConfigMap default/background-child');
  });

  it('tells a foreground deletion: the dependent first, then the finalizer', async () => {
    const said = await why('cm/foreground');
    expect(said).toContain('by admin, with the policy Foreground. It was gone');
    expect(said).toMatch(
      /deleted ConfigMap default\/foreground-child.*removed the finalizer foregroundDeletion: it was gone/u,
    );
  });

  it('tells an orphaning deletion: the reference removed, the dependent kept', async () => {
    const said = await why('cm/orphan');
    expect(said).toContain('by admin, with the policy Orphan. It was gone');
    expect(said).toMatch(
      /removed the owner reference from ConfigMap default\/orphan-child, which stays.*removed the finalizer orphan: it was gone/u,
    );
    expect(said).not.toContain('deleted ConfigMap');
    expect(await why('cm/orphan-child')).toContain(
      'the garbage collector removed its reference to the owner with uid',
    );
  });

  it('leads from what the collector deleted to who deleted its owner', async () => {
    const said = await why('cm/foreground-child');
    expect(said).toContain('was deleted at');
    expect(said).toContain('it was owned by ConfigMap foreground');
    expect(said).toContain('ConfigMap default/foreground was deleted');
  });

  it('tells a namespace and what was in it', async () => {
    expect(await why('ns/doomed')).toMatch(
      /by admin, with the policy Background\. It was gone .* the namespace controller changed its finalizers: it was gone/u,
    );
    expect(await why('cm/inside -n doomed')).toMatch(
      /by the namespace controller.*because Namespace doomed was deleted at \S+ by admin/u,
    );
  });

  it('has each DELETE of the collector that is about an object, in its history', async () => {
    const { stdout } = await runTool(['why', 'cm/background', '--audit-log', log, '-o', 'json']);
    const { items } = JSON.parse(stdout) as { items: { effects: { request: { auditID: string } }[] }[] };
    const told = items.flatMap(({ effects }) => effects.map(({ request }) => request.auditID));
    const logged = readFileSync(log, 'utf8')
      .split('\n')
      .filter(line => line.includes('"verb":"delete"') && line.includes('"background-child"'))
      .map(line => (JSON.parse(line) as { auditID: string }).auditID);
    expect(told).toEqual(logged);
  });
});
