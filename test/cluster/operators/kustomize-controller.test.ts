/**
 * Flux's kustomize-controller, which prunes what a Kustomization has applied before that may go: its deletions are
 * forecast, and then seen while it has done nothing yet, and when it has done its work.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { withoutOperators } from '../../harness/processes/operators.ts';
import { eventually } from '../eventually.ts';
import {
  comesToEnd,
  type End,
  type Live,
  liveObjects,
  type Plan,
  planOf,
  restingObjects,
  states,
} from '../forecast/ends.ts';
import { oneDeployment } from '../manifests.ts';
import { settled } from '../settled.ts';
import {
  applied,
  FLUX,
  fluxManifests,
  installFlux,
  kustomization,
  runFlux,
  type Sources,
  serveSources,
} from './flux.ts';
import type { Operator } from './operator.ts';

const kinds =
  'namespaces,configmaps,secrets,services,deployments,replicasets,pods,serviceaccounts,kustomizations,gitrepositories';

const why = await withoutOperators();

const PRUNE = 'kustomize.toolkit.fluxcd.io/prune';

/** What a source has, for a namespace: one of it is not to be pruned. */
const shop = (namespace: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: ${namespace}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kept, namespace: ${namespace}, annotations: {${PRUNE}: disabled}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: ${namespace}}
spec: {ports: [{port: 80}]}
---
${oneDeployment('web', namespace)}`;

const all = ['ConfigMap kept', 'ConfigMap settings', 'Deployment web', 'Service web'];

describe.skipIf(why !== undefined)(`Flux's ${FLUX}`, () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let sources: Sources;
  let flux: Operator;
  let worlds = 0;
  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    kubeconfig = await cluster.kubeconfig();
    sources = await serveSources(cluster);
    await installFlux(cluster);
    await cluster.kubectl(['create', 'namespace', 'flux-system']);
    // Another of Flux's controllers, whose finalizer is called the same.
    await cluster.apply(
      `${await fluxManifests('flux-system')}\n---\n${oneDeployment('source-controller', 'flux-system')}`,
    );
    await settled(cluster, 'flux-system');
    flux = await runFlux(cluster, 'flux-system');
  });
  afterAll(async () => {
    await flux?.stop();
    await sources?.close();
    await cluster?.stop();
  });

  const live = () => restingObjects(cluster, kinds);
  // What is applied elsewhere isn't read beside an object in a namespace, unless told.
  const plan = (...args: readonly string[]) =>
    planOf(kubeconfig, args.includes('-n') ? [...args, '-A'] : args);
  const endsAs = (before: readonly Live[], end: End) => comesToEnd(cluster, kinds, before, end);

  async function namespaceOf(what: string): Promise<string> {
    worlds += 1;
    const name = `${what}-${worlds}`;
    await cluster.kubectl(['create', 'namespace', name]);
    return name;
  }

  /** A Kustomization `shop` in a namespace that has been applied, to another namespace unless told. */
  async function applies({ spec = '', inside = false } = {}): Promise<{
    readonly fleet: string;
    readonly target: string;
  }> {
    const fleet = await namespaceOf('fleet');
    const target = inside ? fleet : await namespaceOf('target');
    await sources.source(fleet, 'shop', shop(target));
    await cluster.apply(kustomization(fleet, 'shop', spec));
    await applied(cluster, fleet, 'shop');
    await settled(cluster, target);
    expect(await leftIn(target)).toEqual(all);
    return { fleet, target };
  }

  /** Of what the source has, what is there and not being deleted. */
  async function leftIn(target: string): Promise<string[]> {
    return (await liveObjects(cluster, kinds))
      .filter(({ metadata: { namespace, deletionTimestamp } }) => namespace === target && !deletionTimestamp)
      .map(({ kind, metadata: { name } }) => `${kind} ${name}`)
      .filter(each => all.includes(each))
      .sort();
  }

  /** Resolves once exactly this is left of what was applied, and nobody has more to do. */
  async function leaves(target: string, expected: readonly string[]): Promise<void> {
    await eventually(async () => expect(await leftIn(target)).toEqual(expected));
    await settled(cluster, target);
    expect(await leftIn(target)).toEqual(expected);
  }

  /** Of what the source has, `KIND NAME EFFECT WHEN` as the plan says of it. */
  const assumed = ({ logical = [] }: Plan): string[] =>
    logical
      .map(({ object: { kind, name }, effect, when }) => ({ title: `${kind} ${name}`, effect, when }))
      .filter(({ title }) => all.includes(title))
      .map(({ title, effect, when }) => [title, effect, ...(when === undefined ? [] : [when])].join(' '))
      .sort();

  const nothingElse = (before: readonly Live[], fleet: string): readonly Live[] =>
    before.filter(({ metadata: { name, namespace } }) => namespace === fleet || name === fleet);

  it.each(['background', 'foreground'])(
    'that runs prunes what was applied, and both ends come (%s)',
    async cascade => {
      const { fleet, target } = await applies();
      const before = await live();
      flux.pause();
      const words = ['delete', 'kustomization/shop', '-n', fleet, `--cascade=${cascade}`];
      const made = await plan(...words);
      expect([made.outcome, states(made)]).toEqual(['Depends', ['shop running']]);
      // Of all that Flux runs this one has to do it.
      expect(made.terminating[0]?.handlers[0]?.evidence.join()).not.toContain('source-controller');
      await cluster.kubectl([...words, '--wait=false']);
      await endsAs(before, made);
      flux.resume();
      expect(made.ifHandled?.terminating).toEqual([]);
      expect(assumed(made)).toEqual([
        'ConfigMap kept kept',
        'ConfigMap settings deleted automatically',
        'Deployment web deleted automatically',
        'Service web deleted automatically',
      ]);
      await endsAs(nothingElse(before, fleet), made.ifHandled ?? made);
      await leaves(target, ['ConfigMap kept']);
    },
  );

  it.each([', prune: false', ', deletionPolicy: Orphan', ', suspend: true'])(
    'that runs prunes nothing with%s',
    async spec => {
      const { fleet, target } = await applies();
      const patch = JSON.stringify({ spec: parse(`{${spec.slice(2)}}`) });
      await cluster.kubectl(['patch', 'kustomization/shop', '-n', fleet, '--type=merge', '-p', patch]);
      const before = await live();
      const made = await plan('delete', 'kustomization/shop', '-n', fleet);
      expect([made.outcome, states(made)]).toEqual(['Depends', ['shop running']]);
      expect(assumed(made)).toEqual(all.map(each => `${each} kept`));
      await cluster.kubectl(['delete', 'kustomization/shop', '-n', fleet]);
      await endsAs(before, made.ifHandled ?? made);
      await leaves(target, all);
    },
  );

  it('that runs leaves what is marked in the cluster, and what has lost its labels', async () => {
    const { fleet, target } = await applies();
    await cluster.kubectl(['label', 'cm/settings', '-n', target, `${PRUNE}=Disabled`]);
    await cluster.kubectl([
      'annotate',
      'service/web',
      '-n',
      target,
      'kustomize.toolkit.fluxcd.io/ssa=ignore',
    ]);
    await cluster.kubectl(['label', 'deployment/web', '-n', target, 'kustomize.toolkit.fluxcd.io/name-']);
    const made = await plan('delete', 'kustomization/shop', '-n', fleet);
    expect(assumed(made)).toEqual(all.map(each => `${each} kept`));
    await cluster.kubectl(['delete', 'kustomization/shop', '-n', fleet]);
    await leaves(target, all);
  });

  it('that runs prunes nothing as a ServiceAccount that is gone', async () => {
    const fleet = await namespaceOf('fleet');
    const target = await namespaceOf('target');
    await cluster.kubectl(['create', 'serviceaccount', 'tenant', '-n', fleet]);
    const binding = ['tenant', '--clusterrole=admin', `--serviceaccount=${fleet}:tenant`, '-n', target];
    await cluster.kubectl(['create', 'rolebinding', ...binding]);
    await sources.source(fleet, 'shop', shop(target));
    await cluster.apply(kustomization(fleet, 'shop', ', serviceAccountName: tenant'));
    await applied(cluster, fleet, 'shop');
    await settled(cluster, target);
    // Which goes first decides.
    const together = await plan('delete', `ns/${fleet}`);
    expect(assumed(together)).toEqual([
      'ConfigMap kept kept',
      ...all.slice(1).map(each => `${each} deleted unknown`),
    ]);
    const there = await plan('delete', 'kustomization/shop', '-n', fleet);
    expect(assumed(there)).toEqual([
      'ConfigMap kept kept',
      ...all.slice(1).map(each => `${each} deleted automatically`),
    ]);
    await cluster.kubectl(['delete', 'serviceaccount/tenant', '-n', fleet]);
    const made = await plan('delete', 'kustomization/shop', '-n', fleet);
    expect(assumed(made)).toEqual(all.map(each => `${each} kept`));
    await cluster.kubectl(['delete', 'kustomization/shop', '-n', fleet]);
    await leaves(target, all);
  });

  it('that runs brings back what is deleted of what it applies', async () => {
    const { fleet, target } = await applies();
    const words = ['delete', 'cm/settings', 'service/web', '-n', target];
    const made = await plan(...words);
    expect([made.outcome, assumed(made)]).toEqual([
      'Completes',
      ['ConfigMap settings recreated automatically', 'Service web recreated automatically'],
    ]);
    await cluster.kubectl(words);
    const now = `reconcile.fluxcd.io/requestedAt=${Date.now()}`;
    await cluster.kubectl(['annotate', 'kustomization/shop', '-n', fleet, now]);
    await leaves(target, all);
    const whole = await plan('delete', `ns/${target}`);
    expect(assumed(whole)).toEqual(all.map(each => `${each} recreated onRequest`));
    await cluster.kubectl(['delete', 'ns', target]);
    await cluster.kubectl(['annotate', 'kustomization/shop', '-n', fleet, `${now}0`, '--overwrite']);
    await eventually(async () => {
      const ready = ['get', 'kustomization/shop', '-n', fleet, '-o', 'jsonpath={.status.conditions}'];
      expect(await cluster.kubectl(ready)).toContain(`namespaces \\"${target}\\" not found`);
    });
    expect(await leftIn(target)).toEqual([]);
  });

  it('that runs puts an owner reference back with another change alone, and the collector finds nobody there', async () => {
    const fleet = await namespaceOf('fleet');
    const target = await namespaceOf('target');
    await cluster.kubectl(['create', 'configmap', 'owner', '-n', target]);
    const read = async (name: string, path: string): Promise<string> =>
      cluster.kubectl(['get', `cm/${name}`, '-n', target, '--ignore-not-found', '-o', `jsonpath={${path}}`]);
    const uid = await read('owner', '.metadata.uid');
    const reference = `{apiVersion: v1, kind: ConfigMap, name: owner, uid: ${uid}}`;
    const owned = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: ${target}, labels: {app: shop}, ownerReferences: [${reference}]}
`;
    await sources.source(fleet, 'shop', owned);
    await cluster.apply(kustomization(fleet, 'shop'));
    await applied(cluster, fleet, 'shop');
    await settled(cluster, target);
    const first = await read('settings', '.metadata.uid');
    const words = ['delete', 'cm/owner', '-n', target, '--cascade=orphan'];
    expect(assumed(await plan(...words))).toEqual(['ConfigMap settings reverted onRequest']);
    await cluster.kubectl(words);
    await eventually(async () => expect(await read('settings', '.metadata.ownerReferences')).toBe(''));
    const reconciles = async (at: string): Promise<void> => {
      const asked = `reconcile.fluxcd.io/requestedAt=${at}`;
      await cluster.kubectl(['annotate', 'kustomization/shop', '-n', fleet, asked, '--overwrite']);
      const handled = [
        'get',
        'kustomization/shop',
        '-n',
        fleet,
        '-o',
        'jsonpath={.status.lastHandledReconcileAt}',
      ];
      await eventually(async () => expect(await cluster.kubectl(handled)).toBe(at));
    };
    await reconciles('one');
    expect(await read('settings', '.metadata.uid}{.metadata.ownerReferences')).toBe(first);
    await cluster.kubectl(['label', 'cm/settings', '-n', target, 'app-']);
    await reconciles('two');
    await eventually(async () => expect(await read('settings', '.metadata.uid')).not.toBe(first));
  });

  it('that is scaled to nothing leaves it stuck, whatever else of Flux runs, until it is back', async () => {
    const { fleet, target } = await applies();
    const scale = ['scale', `deployment/${FLUX}`, '-n', 'flux-system'];
    await cluster.kubectl([...scale, '--replicas=0']);
    await flux.isRunning(false);
    await settled(cluster, 'flux-system');
    const before = await live();
    const made = await plan('delete', 'kustomization/shop', '-n', fleet);
    expect([made.outcome, made.ifHandled, states(made)]).toEqual(['Stuck', undefined, ['shop notReady']]);
    expect(assumed(made).filter(each => each.endsWith('automatically'))).toEqual([]);
    await cluster.kubectl(['delete', 'kustomization/shop', '-n', fleet, '--wait=false']);
    await endsAs(before, made);
    await leaves(target, all);
    await cluster.kubectl([...scale, '--replicas=1']);
    await flux.isRunning(true);
    await leaves(target, ['ConfigMap kept']);
  });

  it('that runs elsewhere: a namespace with the Kustomization and what it has applied', async () => {
    const { fleet } = await applies({ inside: true });
    const before = await live();
    flux.pause();
    const made = await plan('delete', `ns/${fleet}`);
    expect([made.outcome, states(made)]).toEqual(['Depends', ['shop running']]);
    await cluster.kubectl(['delete', 'ns', fleet, '--wait=false']);
    await endsAs(before, made);
    flux.resume();
    expect(made.ifHandled?.terminating).toEqual([]);
    await endsAs(before, made.ifHandled ?? made);
  });

  it('that goes with its namespace leaves the Kustomization in it stuck', async () => {
    const target = await namespaceOf('target');
    await sources.source('flux-system', 'shop', shop(target));
    await cluster.apply(kustomization('flux-system', 'shop'));
    await applied(cluster, 'flux-system', 'shop');
    await settled(cluster, target);
    await settled(cluster, 'flux-system');
    const before = await live();
    const made = await plan('delete', 'ns/flux-system');
    expect([made.outcome, made.ifHandled, states(made)]).toEqual(['Stuck', undefined, ['shop goesToo']]);
    expect(made.warnings[0]).toContain('Kustomization flux-system/shop may never be deleted');
    await cluster.kubectl(['delete', 'ns', 'flux-system', '--wait=false']);
    await flux.isRunning(false);
    await endsAs(before, made);
    await leaves(target, all);
  });
});
