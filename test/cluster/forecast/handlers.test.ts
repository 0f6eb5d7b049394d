/**
 * Handlers of finalizers, forecast and then seen at work: what is there before they have done anything is what the
 * forecast's own lists say, and what is there afterwards is what `ifHandled` says.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually, PATIENTLY } from '../eventually.ts';
import { settled } from '../settled.ts';
import { runTool } from '../tool.ts';
import { comesToEnd, type End, type Live, liveObjects, planOf, restingObjects, states } from './ends.ts';
import { type ControllerOptions, controllerManifests, FinalizerController } from './finalizer-controller.ts';

const kinds = 'namespaces,configmaps,secrets,services,deployments,replicasets,pods,serviceaccounts';

const finalizer = 'example.com/drain';

const held = (namespace: string, more = ''): string => `
apiVersion: v1
kind: ConfigMap
metadata: {name: held, namespace: ${namespace}, finalizers: [${finalizer}]${more}}
`;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('handlers of finalizers', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let worlds = 0;
  const namespaces: string[] = [];
  let controller: FinalizerController | undefined;
  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    kubeconfig = await cluster.kubeconfig();
  });
  afterEach(async () => {
    const last = controller;
    controller = undefined;
    await last?.stop();
    // What is left of one world would be a handler in the next, or come to an end in it.
    const left = namespaces.splice(0);
    if (left.length === 0) return;
    await eventually(async () => {
      for (const { kind, metadata } of await liveObjects(cluster, kinds)) {
        if (metadata.finalizers === undefined || !left.includes(metadata.namespace ?? '')) continue;
        const patch = '{"metadata":{"finalizers":null}}';
        await cluster.kubectl([
          'patch',
          kind,
          metadata.name,
          '-n',
          metadata.namespace ?? '',
          '--type=merge',
          '-p',
          patch,
        ]);
      }
      await cluster.kubectl(['delete', 'namespaces', ...left, '--ignore-not-found', PATIENTLY]);
    });
  });
  afterAll(() => cluster.stop());

  async function namespaceOf(what: string): Promise<string> {
    worlds += 1;
    const name = `${what}-${worlds}`;
    await cluster.kubectl(['create', 'namespace', name]);
    namespaces.push(name);
    return name;
  }

  /** A controller of ConfigMaps in a namespace, with its pod running; it looks on. */
  async function controllerIn(
    namespace: string,
    more: Partial<ControllerOptions> = {},
  ): Promise<FinalizerController> {
    const options = {
      cluster,
      namespace,
      name: 'drain-operator',
      finalizer,
      resource: 'configmaps',
      ...more,
    };
    if (options.outside !== true) {
      await cluster.apply(controllerManifests(options));
      await settled(cluster, namespace);
    }
    controller = await FinalizerController.start(options);
    return controller;
  }

  const live = () => restingObjects(cluster, kinds);
  const plan = (...args: readonly string[]) => planOf(kubeconfig, args);
  const endsAs = (before: readonly Live[], end: End) => comesToEnd(cluster, kinds, before, end);

  it.each(['background', 'foreground'])('one that runs: both ends come as forecast (%s)', async cascade => {
    const ops = await namespaceOf('ops');
    const shop = await namespaceOf('shop');
    const handler = await controllerIn(ops);
    await cluster.apply(held(shop));
    const { uid } = (JSON.parse(await cluster.kubectl(['get', 'cm/held', '-n', shop, '-o', 'json'])) as Live)
      .metadata;
    const owner = `[{apiVersion: v1, kind: ConfigMap, name: held, uid: ${uid}, blockOwnerDeletion: true}]`;
    await cluster.apply(`
apiVersion: v1
kind: ConfigMap
metadata: {name: below, namespace: ${shop}, ownerReferences: ${owner}}
`);
    const before = await live();
    const made = await plan('delete', 'cm/held', '-n', shop, `--cascade=${cascade}`);
    expect([made.outcome, states(made)]).toEqual(['Depends', ['held running']]);
    await cluster.kubectl(['delete', 'cm/held', '-n', shop, `--cascade=${cascade}`, '--wait=false']);
    await endsAs(before, made);
    handler.work();
    expect(made.ifHandled?.terminating).toEqual([]);
    await endsAs(before, made.ifHandled ?? made);
  });

  it('one that runs elsewhere, and a whole namespace that waits for it', async () => {
    const ops = await namespaceOf('ops');
    const shop = await namespaceOf('shop');
    const handler = await controllerIn(ops);
    await cluster.apply(`${held(shop)}---\n${controllerManifests({ namespace: shop, name: 'web' })}`);
    await settled(cluster, shop);
    const before = await live();
    const made = await plan('delete', `ns/${shop}`);
    expect([made.outcome, states(made)]).toEqual(['Depends', ['held running']]);
    await cluster.kubectl(['delete', 'ns', shop, '--wait=false']);
    await endsAs(before, made);
    handler.work();
    await endsAs(before, made.ifHandled ?? made);
  });

  it('one that runs outside', async () => {
    const shop = await namespaceOf('shop');
    const cleanup = 'service.kubernetes.io/load-balancer-cleanup';
    await cluster.apply(`
apiVersion: v1
kind: Service
metadata: {name: edge, namespace: ${shop}, finalizers: [${cleanup}]}
spec: {type: LoadBalancer, ports: [{port: 80}]}
`);
    const handler = await controllerIn('', { outside: true, finalizer: cleanup, resource: 'services' });
    const before = await live();
    const made = await plan('delete', 'svc/edge', '-n', shop);
    expect([made.outcome, states(made)]).toEqual(['Depends', ['edge outside']]);
    await cluster.kubectl(['delete', 'svc/edge', '-n', shop, '--wait=false']);
    await endsAs(before, made);
    handler.work();
    await endsAs(before, made.ifHandled ?? made);
  });

  it('one that is missing, and one that is scaled to nothing', async () => {
    const shop = await namespaceOf('shop');
    await cluster.apply(held(shop));
    const absent = await plan('delete', 'cm/held', '-n', shop);
    expect([absent.outcome, absent.ifHandled, states(absent)]).toEqual(['Stuck', undefined, ['held absent']]);
    const ops = await namespaceOf('ops');
    const handler = await controllerIn(ops);
    await cluster.kubectl(['scale', 'deployment/drain-operator', '--replicas=0', '-n', ops]);
    await settled(cluster, ops);
    handler.work();
    const before = await live();
    const down = await plan('delete', 'cm/held', '-n', shop);
    expect([down.outcome, down.ifHandled, states(down)]).toEqual(['Stuck', undefined, ['held notReady']]);
    await cluster.kubectl(['delete', 'cm/held', '-n', shop, '--wait=false']);
    await endsAs(before, down);
    // It comes back, and from there on everything is as if it had been there.
    const later = await live();
    await cluster.kubectl(['scale', 'deployment/drain-operator', '--replicas=1', '-n', ops]);
    await settled(cluster, ops);
    await endsAs(later, { deleted: absent.terminating, terminating: [] });
  });

  it('one that may not remove it: it tries, and what it holds stays', async () => {
    const ops = await namespaceOf('ops');
    const shop = await namespaceOf('shop');
    const handler = await controllerIn(ops);
    await cluster.kubectl(['delete', 'clusterrolebinding', `${ops}-drain-operator`]);
    await cluster.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ${ops}-reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: drain-operator, namespace: ${ops}}]
---${held(shop)}`);
    handler.work();
    const before = await live();
    const made = await plan('delete', 'cm/held', '-n', shop);
    expect([made.outcome, made.ifHandled, states(made)]).toEqual(['Stuck', undefined, ['held notReady']]);
    await cluster.kubectl(['delete', 'cm/held', '-n', shop, '--wait=false']);
    await eventually(() => expect(handler.refusals).toBeGreaterThan(1));
    await endsAs(before, made);
  });

  it.each(['serviceaccount', 'clusterrolebinding'])(
    'one whose %s is deleted by the same action',
    async type => {
      const ops = await namespaceOf('ops');
      const handler = await controllerIn(ops);
      await cluster.apply(held(ops));
      const name = type === 'serviceaccount' ? 'drain-operator' : `${ops}-drain-operator`;
      const targets = ['cm/held', `${type}/${name}`];
      const before = await live();
      const made = await plan('delete', ...targets, '-n', ops);
      expect([made.outcome, made.ifHandled, states(made)]).toEqual(['Stuck', undefined, ['held goesToo']]);
      await cluster.kubectl(['delete', ...targets, '-n', ops, '--wait=false']);
      // It is too late: as its forecast says it may be.
      handler.work();
      await eventually(() => expect(handler.refusals).toBeGreaterThan(1));
      await endsAs(before, made);
    },
  );

  it('one that is deleted with what it cleans up, and the order that works', async () => {
    const both = await namespaceOf('both');
    const handler = await controllerIn(both);
    handler.work();
    await cluster.apply(held(both));
    const before = await live();
    const made = await plan('delete', `ns/${both}`);
    expect([made.outcome, states(made)]).toEqual(['Stuck', ['held goesToo']]);
    expect(made.warnings[0]).toContain(`ConfigMap ${both}/held may never be deleted`);
    await cluster.kubectl(['delete', 'ns', both, '--wait=false']);
    await endsAs(before, made);

    await handler.stop();
    const other = await namespaceOf('other');
    const second = await controllerIn(other);
    second.work();
    await cluster.apply(held(other));
    const warned = (await plan('delete', `ns/${other}`)).warnings[0] ?? '';
    const commands = warned.slice(warned.indexOf('kubectl delete')).split(' && ');
    expect(commands).toHaveLength(2);
    for (const command of commands) await cluster.kubectl(command.split(' ').slice(1));
    expect(await cluster.kubectl(['get', 'ns', other, '--ignore-not-found'])).toBe('');
  });

  it('is followed by delete to the end in which it has done its work', async () => {
    const ops = await namespaceOf('ops');
    const shop = await namespaceOf('shop');
    await cluster.apply(held(shop));
    const words = ['delete', 'cm/held', '-n', shop, '--yes', '-o', 'json'];
    const refused = await runTool(words, { kubeconfig });
    expect(JSON.parse(refused.stdout)).toMatchObject({ exit: { reason: 'WouldGetStuck' } });
    const handler = await controllerIn(ops);
    handler.work();
    const done = await runTool(words, { kubeconfig });
    expect([done.code, done.stderr]).toEqual([0, expect.anything()]);
    expect(JSON.parse(done.stdout)).toMatchObject({ exit: { reason: 'Done' } });
    expect(await cluster.kubectl(['get', 'cm/held', '-n', shop, '--ignore-not-found'])).toBe('');
  });
});
