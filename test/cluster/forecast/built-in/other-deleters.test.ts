/** What real controllers clean up by age and number is told before, in their order. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { minorNumber, testedVersion } from '../../../harness/processes/versions.ts';
import { eventually } from '../../eventually.ts';
import { said } from '../../tool.ts';

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'run', image: 'run' }] } };

describe('Jobs that nobody deletes by hand', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const tells = (...args: readonly string[]): Promise<string> => said(args, { kubeconfig });
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const create = (name: string, spec: object, metadata: object = {}): Promise<unknown> =>
    cluster.api.json({
      method: 'POST',
      path: jobs,
      // Suspended, its controller leaves it alone.
      body: { metadata: { name, ...metadata }, spec: { suspend: true, template, ...spec } },
    });
  const finish = (name: string, at: Date): Promise<unknown> => {
    const time = at.toISOString().replace(/\.\d+Z$/u, 'Z');
    return cluster.api.json({
      method: 'PATCH',
      path: `${jobs}/${name}/status`,
      contentType: 'application/merge-patch+json',
      body: {
        status: {
          startTime: time,
          completionTime: time,
          // The API server refuses SuccessCriteriaMet without a success policy before v1.31.
          conditions: [...(minorNumber(testedVersion()) < 31 ? [] : ['SuccessCriteriaMet']), 'Complete'].map(
            type => ({
              type,
              status: 'True',
              lastTransitionTime: time,
              reason: 'CompletionsReached',
              message: '',
            }),
          ),
        },
      },
    });
  };

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 0, components: ['etcd', 'kube-apiserver'] });
    kubeconfig = await cluster.kubeconfig();
  });
  afterAll(() => cluster?.stop());

  it('go when and in the order in which it was told', async () => {
    await create('timed', { ttlSecondsAfterFinished: 30 });
    const cron = await cluster.api.json<{ metadata: { uid: string } }>({
      method: 'POST',
      path: '/apis/batch/v1/namespaces/default/cronjobs',
      body: {
        metadata: { name: 'nightly' },
        spec: {
          schedule: '0 0 1 1 *',
          successfulJobsHistoryLimit: 1,
          jobTemplate: { spec: { template } },
        },
      },
    });
    const ownerReferences = [
      {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        name: 'nightly',
        uid: cron.metadata.uid,
        controller: true,
      },
    ];
    await create('b-older', {}, { ownerReferences });
    await create('c-newer', {}, { ownerReferences });
    const now = Date.now();
    await finish('timed', new Date(now));
    await finish('b-older', new Date(now - 2000));
    await finish('c-newer', new Date(now - 1000));

    // All of it before it is due.
    const [told, planned, older, newer] = await Promise.all([
      tells('why', 'job/timed'),
      tells('plan', '-n', 'default'),
      tells('why', 'job/b-older'),
      tells('why', 'job/c-newer'),
    ]);
    expect(told).toMatch(/timed is deleted at \S+Z, in the foreground, by the TTL/u);
    const due = Date.parse(/deleted at (\S+Z)/u.exec(told)?.[1] ?? '');
    expect(planned).toContain('Job default/timed is deleted at');
    expect(older).toContain('b-older is deleted when that looks at its CronJob next');
    expect(newer).toContain('c-newer is deleted once another Job of it has succeeded');

    await cluster.component('kube-controller-manager').start();
    const isThere = async (name: string): Promise<boolean> =>
      (await cluster.api.send({ method: 'GET', path: `${jobs}/${name}` })).status === 200;
    await eventually(async () => expect(await isThere('b-older')).toBe(false));
    expect(await isThere('c-newer')).toBe(true);
    await eventually(async () => expect(await isThere('timed')).toBe(false));
    expect(Date.now()).toBeGreaterThanOrEqual(due);
  });
});

describe('a bootstrap token', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 0,
      // By default this cleaner is off.
      controllerManagerFlags: ['--controllers=*,token-cleaner-controller'],
    });
    kubeconfig = await cluster.kubeconfig();
  });
  afterAll(() => cluster?.stop());

  it('goes when its expiration is over, and one without stays', async () => {
    const secrets = '/api/v1/namespaces/kube-system/secrets';
    const create = (id: string, data: Readonly<Record<string, string>>): Promise<unknown> =>
      cluster.api.json({
        method: 'POST',
        path: secrets,
        body: {
          metadata: { name: `bootstrap-token-${id}` },
          type: 'bootstrap.kubernetes.io/token',
          stringData: { 'token-id': id, 'token-secret': '0123456789abcdef', ...data },
        },
      });
    const isThere = async (id: string): Promise<boolean> =>
      (await cluster.api.send({ method: 'GET', path: `${secrets}/bootstrap-token-${id}` })).status === 200;
    await create('keep00', {});
    await create('gone00', { expiration: new Date(Date.now() + 4000).toISOString().replace(/\.\d+/u, '') });
    const told = await said(['why', 'secret/bootstrap-token-keep00', '-n', 'kube-system'], { kubeconfig });
    expect(told.replaceAll(/\s+/gu, ' ')).toMatch(
      /deleted after the expiration in its data, if it has one, by the token cleaner: .* only if its flags enable it/u,
    );
    await eventually(async () => expect(await isThere('gone00')).toBe(false));
    expect(await isThere('keep00')).toBe(true);
  });
});
