/** The control plane that all cluster tests stand on does what they expect of it, and leaves nothing behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../harness/cluster.ts';
import { startControlPlane } from '../harness/control-plane.ts';
import { DEAD_KUBELET_SHOWS_SOON } from '../harness/processes/layout.ts';
import { testedVersion } from '../harness/processes/versions.ts';
import { eventually, PATIENTLY } from './eventually.ts';

const deployment = (name: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: app, image: registry.example.com/app}]}
`;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)(
  'the control plane of the tests',
  () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await startControlPlane({
        nodes: 3,
        controllerManagerFlags: [DEAD_KUBELET_SHOWS_SOON],
        users: [{ name: 'viewer', token: 'viewer-token', groups: ['readers'] }],
      });
    });
    afterAll(() => cluster.stop());

    const readyPods = (app: string) =>
      cluster.kubectl([
        'get',
        'pods',
        `--selector=app=${app}`,
        '--output=jsonpath={.items[?(@.status.phase=="Running")].metadata.name}',
      ]);
    const countReady = async (app: string) =>
      (await readyPods(app)).split(' ').filter(name => name !== '').length;

    it('runs a Deployment of three on its fake nodes', async () => {
      await cluster.apply(deployment('api'));
      await eventually(async () => expect(await countReady('api')).toBe(3));
    });

    it('knows its version', async () => {
      const version = await cluster.api.json<{ gitVersion: string }>({ path: '/version' });
      expect(version.gitVersion).toBe(testedVersion().version);
    });

    it('makes no pods while the controller manager is stopped, and makes them once it runs again', async () => {
      await cluster.component('kube-controller-manager').stop();
      try {
        await cluster.apply(deployment('later'));
        await cluster.kubectl(['wait', 'pods', '-l', 'app=later', '--for=create', '--timeout=2s']).then(
          () => expect.unreachable('pods were made'),
          error => expect(String(error)).toMatch(/timed out/),
        );
      } finally {
        await cluster.component('kube-controller-manager').start();
      }
      await eventually(async () => expect(await countReady('later')).toBe(3));
    });

    it('keeps the data and the port of an API server that was killed', async () => {
      const apiServer = cluster.component('kube-apiserver');
      await apiServer.kill();
      await expect(cluster.api.send({ path: '/readyz' })).rejects.toThrow();
      await apiServer.start();
      expect(await countReady('api')).toBe(3);
    });

    it('lets a user do what RBAC allows and no more', async () => {
      await cluster.kubectl([
        'create',
        'clusterrole',
        'see-pods',
        '--verb=get,list,watch',
        '--resource=pods',
      ]);
      await cluster.kubectl([
        'create',
        'clusterrolebinding',
        'readers',
        '--clusterrole=see-pods',
        '--group=readers',
      ]);
      const kubeconfig = `--kubeconfig=${await cluster.kubeconfig('viewer')}`;
      // The authorizer hears of a new binding a moment later.
      await eventually(async () =>
        expect(await cluster.kubectl(['get', 'pods', kubeconfig])).toContain('api-'),
      );
      await expect(cluster.kubectl(['get', 'secrets', kubeconfig])).rejects.toThrow(/forbidden/i);
    });

    it('accepts a client certificate, and refuses one that has expired', async () => {
      const valid = await cluster.certificateKubeconfig('carol', { groups: ['system:masters'] });
      expect(await cluster.kubectl(['auth', 'whoami', `--kubeconfig=${valid}`])).toContain('carol');
      const expired = await cluster.certificateKubeconfig('carol', {
        groups: ['system:masters'],
        expired: true,
      });
      await expect(cluster.kubectl(['get', 'pods', `--kubeconfig=${expired}`])).rejects.toThrow(
        /logged in|Unauthorized/i,
      );
    });

    it('proxies to an aggregated API, and says so when its backend is down', async () => {
      await cluster.apply(`
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.broken.example.com}
spec:
  group: broken.example.com
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: nobody, namespace: default}
`);
      await eventually(async () => {
        const { status } = await cluster.api.send({ path: '/apis/broken.example.com/v1' });
        expect(status).toBe(503);
      });
      await cluster.kubectl(['delete', 'apiservice', 'v1.broken.example.com']);
    });

    it('leaves the pods of a dead kubelet terminating, until the kubelet comes back', async () => {
      const [pod] = (await readyPods('api')).split(' ');
      const node = await cluster.kubectl(['get', 'pod', String(pod), '-o', 'jsonpath={.spec.nodeName}']);
      await cluster.stopKubelet(node);
      await eventually(async () => {
        const ready = '{.status.conditions[?(@.type=="Ready")].status}';
        expect(await cluster.kubectl(['get', 'node', node, '-o', `jsonpath=${ready}`])).toBe('Unknown');
      });
      await cluster.kubectl(['delete', 'pod', String(pod), '--wait=false']);
      await expect(cluster.kubectl(['wait', `pod/${pod}`, '--for=delete', '--timeout=3s'])).rejects.toThrow(
        /timed out/,
      );
      await cluster.startKubelet(node);
      await cluster.kubectl(['wait', `pod/${pod}`, '--for=delete', PATIENTLY]);
    });
  },
);

describe('ports for programs that are listed theirs', () => {
  /** A process that takes so many, and keeps them until its input ends. */
  async function takePorts(count: number) {
    const module = pathToFileURL(join(import.meta.dirname, '..', 'harness', 'processes', 'ports.ts')).href;
    const script = `
      import { freePorts } from ${JSON.stringify(module)};
      // All of them look at the same place first.
      Math.random = () => 0;
      console.log((await freePorts(${count})).join(' '));
      process.stdin.resume();`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line = ''] = (await once(createInterface({ input: child.stdout }), 'line')) as string[];
    return { ports: line.split(' ').map(Number), end: () => child.stdin.end() };
  }

  it('are given to one process at a time, and to no outgoing connection', async () => {
    const taken = await Promise.all([30, 30, 30, 30].map(takePorts));
    for (const { end } of taken) end();
    const ports = taken.flatMap(each => each.ports);
    expect(ports).toHaveLength(120);
    expect(new Set(ports).size).toBe(120);
    expect(Math.max(...ports)).toBeLessThan(32_768);
  });
});

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a control plane that ends', () => {
  const alive = (pid: number) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };

  /** Starts `run-cluster.ts` as a person would; resolves once it has printed its line. */
  async function runCluster() {
    const script = join(import.meta.dirname, '..', 'harness', 'run-cluster.ts');
    const child = spawn(process.execPath, [script, '--nodes', '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = new Promise<number | null>(resolve => child.once('exit', resolve));
    let folder = '';
    for await (const line of createInterface({ input: child.stdout })) {
      folder = dirname(line.replace('export KUBECONFIG=', ''));
      break;
    }
    const names = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'];
    const pids = await Promise.all(
      names.map(async name => Number(await readFile(join(folder, `${name}.pid`), 'utf8'))),
    );
    expect(pids.filter(alive)).toHaveLength(5);
    return { child, exited, folder, pids };
  }

  it('leaves no process and no file after Ctrl-C', async () => {
    const { child, exited, folder, pids } = await runCluster();
    child.kill('SIGINT');
    expect(await exited).toBe(0);
    expect(pids.filter(alive)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it('leaves no process and no file when the harness itself is killed', async () => {
    const { child, exited, folder, pids } = await runCluster();
    child.kill('SIGKILL');
    await exited;
    await eventually(async () => {
      expect(pids.filter(alive)).toEqual([]);
      expect(existsSync(folder)).toBe(false);
    });
  });
});
