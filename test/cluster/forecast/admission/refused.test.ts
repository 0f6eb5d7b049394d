/**
 * Webhooks and policies in forecasts: what they stop on a real API server is what the forecast says, and what they let pass,
 * too (docs/kubernetes.md §12).
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { eventually, PATIENTLY } from '../../eventually.ts';
import { settled } from '../../settled.ts';
import { said } from '../../tool.ts';
import { comesToEnd, type Entry, type Live, liveObjects, type Plan, planOf } from '../ends.ts';
import { controllerManifests, FinalizerController } from '../finalizer-controller.ts';
import { SERVICE_RANGE, WebhookServer, type WebhookServerOptions } from './webhook-server.ts';

interface RefusedPlan extends Plan {
  readonly refused: readonly (Entry & {
    readonly actor: string;
    readonly operation: string;
    readonly anyway?: true;
  })[];
}

const kinds =
  'namespaces,configmaps,secrets,services,deployments,replicasets,pods,serviceaccounts,validatingwebhookconfigurations,validatingadmissionpolicies,crontabs.example.com';
const configurations =
  'validatingwebhookconfigurations,mutatingwebhookconfigurations,validatingadmissionpolicybindings,validatingadmissionpolicies,mutatingadmissionpolicybindings,mutatingadmissionpolicies';

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`;

const nowhere = '{service: {namespace: tools, name: nobody}}';

interface Hook {
  readonly operations: string;
  readonly resources?: string;
  readonly more?: string;
  readonly kind?: string;
}

/** Asked only about namespaces of the test, so that the control plane itself goes on. */
function webhook(
  client: string,
  { operations, resources = 'configmaps', more = '', kind = 'Validating' }: Hook,
): string {
  return `
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}WebhookConfiguration
metadata: {name: keep}
webhooks:
- name: keep.example.com
  sideEffects: None
  timeoutSeconds: 10
  admissionReviewVersions: [v1]
  clientConfig: ${client}
  rules: [{operations: [${operations}], apiGroups: ["*"], apiVersions: ["*"], resources: [${resources}]}]
${more}
`;
}

const choosing = (label: string): string => `  objectSelector: {matchLabels: {${label}: "yes"}}`;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('admission in a forecast', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let worlds = 0;
  /** Namespaces of the test that runs, and those of the ones before, in which the collector may still be catching up. */
  const own: string[] = [];
  const former = new Set<string>();
  const servers: WebhookServer[] = [];
  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 1,
      apiServerFlags: [`--service-cluster-ip-range=${SERVICE_RANGE}`],
      // As clusters are set up; the user that it has here is no component's.
      controllerManagerFlags: ['--use-service-account-credentials=true'],
    });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(definition);
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd/crontabs.example.com', PATIENTLY]);
  });
  afterEach(async () => {
    for (const each of servers.splice(0)) each.stop();
    for (const each of own.splice(0)) former.add(each);
    await cluster.kubectl(['delete', configurations, '--all']);
  });
  afterAll(() => cluster?.stop());

  async function namespaceOf(what: string, label = 'shop'): Promise<string> {
    worlds += 1;
    const name = `${what}-${worlds}`;
    own.push(name);
    await cluster.apply(
      `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}, labels: {world: ${label}}}}`,
    );
    return name;
  }

  async function serverIn(
    namespace: string,
    more: Partial<WebhookServerOptions> = {},
  ): Promise<WebhookServer> {
    const address = `127.77.0.${100 + worlds}`;
    const options = { cluster, namespace, name: 'keep', address, pods: true, ...more };
    const server = await WebhookServer.start(options);
    servers.push(server);
    await cluster.apply(server.manifests);
    await settled(cluster, namespace);
    return server;
  }

  /** An owner and what it owns, which is labelled `below: "yes"`. */
  async function familyIn(namespace: string): Promise<void> {
    await cluster.apply(
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: owner, namespace: ${namespace}, labels: {top: "yes"}}}`,
    );
    const owner = JSON.parse(
      await cluster.kubectl(['get', 'cm/owner', '-n', namespace, '-o', 'json']),
    ) as Live;
    await cluster.apply(`
apiVersion: v1
kind: ConfigMap
metadata:
  name: below
  namespace: ${namespace}
  labels: {below: "yes"}
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: ${owner.metadata.uid}, blockOwnerDeletion: true}]
`);
  }

  /** Until requests like those of a trial object are refused. */
  async function counts(namespace: string, ...labels: readonly string[]): Promise<void> {
    const metadata = `{name: trial, namespace: ${namespace}, labels: {${labels.map(each => `${each}: "yes"`).join(', ')}}}`;
    await eventually(async () => {
      await cluster.apply(`{apiVersion: v1, kind: ConfigMap, metadata: ${metadata}}`);
      await expect(cluster.kubectl(['delete', 'cm/trial', '-n', namespace])).rejects.toThrow();
    });
  }

  /** Without what is left of the tests before. */
  async function live(): Promise<readonly Live[]> {
    return (await liveObjects(cluster, kinds)).filter(
      ({ kind, metadata: { name, namespace } }) =>
        !former.has(kind === 'Namespace' ? name : (namespace ?? '')),
    );
  }

  const plan = (...args: readonly string[]) => planOf<RefusedPlan>(kubeconfig, args);

  const refused = (made: RefusedPlan): string[] =>
    made.refused.flatMap(({ object, actor, operation, anyway }) =>
      anyway ? [] : `${operation} ${object.name} by ${actor}`,
    );

  /** Deletes what was forecast, and compares. */
  async function proves(made: RefusedPlan, ...args: readonly string[]): Promise<void> {
    const before = await live();
    const deletion = cluster.kubectl(['delete', ...args, '--wait=false']);
    if (made.outcome === 'Refused') await expect(deletion).rejects.toThrow();
    else await deletion;
    const end = made.outcome === 'Refused' ? { deleted: [], terminating: [] } : made;
    await comesToEnd(cluster, kinds, before, end);
  }

  it.each<[string, string, Hook, string, string[]]>([
    ['the user', 'background', { operations: 'DELETE' }, 'Refused', ['DELETE owner by user']],
    [
      'the collector',
      'background',
      { operations: 'DELETE', more: choosing('below') },
      'Stuck',
      ['DELETE below by garbage-collector'],
    ],
    [
      'the end of a foreground deletion',
      'foreground',
      { operations: '"*"', more: choosing('top') },
      'Refused',
      ['DELETE owner by user'],
    ],
    [
      'dependents that are to be orphaned',
      'orphan',
      { operations: 'UPDATE', more: choosing('below') },
      'Stuck',
      ['UPDATE below by garbage-collector'],
    ],
    [
      'the owner that waits for its dependents',
      'foreground',
      { operations: 'UPDATE', more: choosing('top') },
      'Stuck',
      ['UPDATE owner by garbage-collector'],
    ],
    [
      'nobody with failurePolicy Ignore',
      'background',
      { operations: '"*"', more: '  failurePolicy: Ignore' },
      'Completes',
      [],
    ],
    [
      'nobody about other subresources',
      'foreground',
      { operations: '"*"', resources: 'configmaps/status' },
      'Completes',
      [],
    ],
    [
      'nobody by its conditions',
      'background',
      {
        operations: 'DELETE',
        more: "  matchConditions: [{name: only, expression: \"request.operation != 'DELETE' || oldObject.metadata.name == 'trial'\"}]",
      },
      'Completes',
      [],
    ],
    [
      'who it is, by its conditions',
      'background',
      {
        operations: 'DELETE',
        more: "  matchConditions: [{name: only, expression: \"request.userInfo.username.startsWith('system:') || request.name == 'trial'\"}]",
      },
      'Stuck',
      ['DELETE below by garbage-collector'],
    ],
    [
      'the mutating one as well',
      'orphan',
      { operations: 'UPDATE', kind: 'Mutating', more: choosing('below') },
      'Stuck',
      ['UPDATE below by garbage-collector'],
    ],
  ])('a dead webhook refuses %s', async (_who, cascade, hook, outcome, requests) => {
    const shop = await namespaceOf('shop');
    await familyIn(shop);
    await cluster.apply(webhook(nowhere, hook));
    // What it is asked about counts a moment later; a second one shows when.
    await cluster.apply(
      webhook(nowhere, { operations: 'DELETE', more: choosing('trial') }).replaceAll('keep', 'trial'),
    );
    await counts(shop, 'trial');
    const made = await plan('delete', 'cm/owner', '-n', shop, `--cascade=${cascade}`);
    expect([made.outcome, refused(made)]).toEqual([outcome, requests]);
    await proves(made, 'cm/owner', '-n', shop, `--cascade=${cascade}`);
  });

  it('a dead webhook is asked where the labels of the Namespace say so', async () => {
    const shop = await namespaceOf('shop', 'hooked');
    const other = await namespaceOf('other', 'free');
    for (const each of [shop, other]) await familyIn(each);
    const more = '  namespaceSelector: {matchLabels: {world: hooked}}';
    await cluster.apply(webhook(nowhere, { operations: 'DELETE', more }));
    await counts(shop);
    for (const [namespace, outcome] of [
      [shop, 'Refused'],
      [other, 'Completes'],
    ] as const) {
      const made = await plan('delete', 'cm/owner', '-n', namespace);
      expect(made.outcome).toBe(outcome);
      await proves(made, 'cm/owner', '-n', namespace);
    }
    // Its content stays, and with it the namespace; the Namespace itself is chosen by its own labels.
    const made = await plan('delete', `ns/${shop}`);
    expect([made.outcome, refused(made).includes('DELETE below by namespace-controller')]).toEqual([
      'Stuck',
      true,
    ]);
    await cluster.kubectl(['delete', 'validatingwebhookconfigurations', '--all']);
    await cluster.apply(webhook(nowhere, { operations: 'DELETE', resources: 'namespaces', more }));
    await eventually(() =>
      expect(cluster.kubectl(['delete', `ns/${shop}`, '--dry-run=server'])).rejects.toThrow(),
    );
    expect((await plan('delete', `ns/${shop}`)).outcome).toBe('Refused');
    const free = await plan('delete', `ns/${other}`);
    expect(free.outcome).toBe('Completes');
    await proves(free, `ns/${other}`);
  });

  it('configurations, and instances of a definition, go without it', async () => {
    const shop = await namespaceOf('shop');
    await cluster.apply(
      `{apiVersion: example.com/v1, kind: CronTab, metadata: {name: nightly, namespace: ${shop}}}`,
    );
    await cluster.apply(
      webhook(nowhere, { operations: '"*"', resources: 'crontabs, validatingwebhookconfigurations' }),
    );
    await eventually(() =>
      expect(
        cluster.kubectl(['delete', 'crontab/nightly', '-n', shop, '--dry-run=server']),
      ).rejects.toThrow(),
    );
    expect((await plan('delete', 'crontab/nightly', '-n', shop)).outcome).toBe('Refused');
    const made = await plan('delete', 'crd/crontabs.example.com');
    expect([made.outcome, refused(made)]).toEqual(['Completes', []]);
    await cluster.kubectl(['delete', 'crd/crontabs.example.com']);
    expect(await cluster.kubectl(['get', 'crd/crontabs.example.com', '--ignore-not-found'])).toBe('');
    await cluster.apply(definition);
    const own = await plan('delete', 'validatingwebhookconfiguration/keep');
    expect(own.outcome).toBe('Completes');
    await proves(own, 'validatingwebhookconfiguration/keep');
  });

  it('one that answers decides itself, which is said; one that stops answering stops everything', async () => {
    const tools = await namespaceOf('tools');
    const shop = await namespaceOf('shop');
    const server = await serverIn(tools);
    await familyIn(shop);
    await cluster.apply(webhook(server.clientConfig, { operations: 'DELETE', more: choosing('below') }));
    server.manner = 'refuse';
    await counts(shop, 'below');
    const made = await plan('delete', 'cm/owner', '-n', shop);
    expect([made.outcome, made.warnings.join('\n')]).toEqual([
      'Completes',
      expect.stringContaining('(webhook keep.example.com) lets requests pass, such as DELETE of ConfigMap'),
    ]);
    server.manner = 'allow';
    await proves(made, 'cm/owner', '-n', shop);
    const asked = server.asked.filter(({ oldName }) => oldName === 'below');
    expect(asked.at(-1)).toMatchObject({ operation: 'DELETE', name: 'below', hasObject: false });
    // A silent one and one at a URL: nothing of the cluster shows it.
    server.manner = 'silent';
    await familyIn(shop);
    expect((await plan('delete', 'cm/owner', '-n', shop)).warnings.join('\n')).toContain(
      'what it answers is not known',
    );
    // Without its pods it is dead.
    await cluster.kubectl(['scale', 'deployment/keep', '--replicas=0', '-n', tools]);
    await eventually(async () =>
      expect(await cluster.kubectl(['get', 'pods', '-n', tools, '-o', 'name'])).toBe(''),
    );
  });

  it('one whose pods run in the namespace that is emptied keeps the rest of it', async () => {
    const tools = await namespaceOf('tools');
    const server = await serverIn(tools);
    await cluster.apply(
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: ${tools}, labels: {below: "yes"}}}`,
    );
    await cluster.apply(webhook(server.clientConfig, { operations: 'DELETE', more: choosing('below') }));
    server.manner = 'refuse';
    await counts(tools, 'below');
    server.manner = 'allow';
    await cluster.kubectl(['delete', 'cm/trial', '-n', tools]);
    const made = await plan('delete', `ns/${tools}`);
    expect([made.outcome, refused(made)]).toEqual(['Stuck', ['DELETE settings by namespace-controller']]);
    expect(made.warnings[0]).toContain('stays, but its backend doesn');
    await proves(made, `ns/${tools}`);
    const { asked } = server;
    expect(asked.filter(({ oldName }) => oldName === 'settings')).toEqual([]);
  });

  it('one whose Service is deleted answers over open connections, and then stops the collector', async () => {
    const tools = await namespaceOf('tools');
    const shop = await namespaceOf('shop');
    const server = await serverIn(tools, { pods: false });
    await familyIn(shop);
    await cluster.apply(webhook(server.clientConfig, { operations: 'DELETE', more: choosing('below') }));
    server.manner = 'refuse';
    await counts(shop, 'below');
    server.manner = 'allow';
    const made = await plan('delete', 'svc/keep', '-n', tools);
    expect(made.warnings[0]).toContain(
      `Service ${tools}/keep is deleted. The API server refuses every DELETE of`,
    );
    await proves(made, 'svc/keep', '-n', tools);
    // Over the connection that is open.
    await cluster.apply(
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: spare, namespace: ${shop}, labels: {below: "yes"}}}`,
    );
    await cluster.kubectl(['delete', 'cm/spare', '-n', shop]);
    server.disconnect();
    const after = await plan('delete', 'cm/owner', '-n', shop);
    expect([after.outcome, refused(after)]).toEqual(['Stuck', ['DELETE below by garbage-collector']]);
    await proves(after, 'cm/owner', '-n', shop);
  });

  it('a handler cannot remove its finalizer where a webhook is dead or a policy denies it', async () => {
    const ops = await namespaceOf('ops');
    const options = {
      cluster,
      namespace: ops,
      name: 'drain-operator',
      finalizer: 'example.com/drain',
      resource: 'configmaps',
    };
    await cluster.apply(controllerManifests(options));
    await settled(cluster, ops);
    const controller = await FinalizerController.start(options);
    controller.work();
    try {
      for (const stop of [
        webhook(nowhere, { operations: 'UPDATE', more: choosing('held') }),
        policy({ operations: 'UPDATE', more: 'objectSelector: {matchLabels: {held: "yes"}}' }),
      ]) {
        const shop = await namespaceOf('shop');
        await cluster.apply(
          `{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: ${shop}, labels: {held: "yes"}, finalizers: [example.com/drain]}}`,
        );
        await cluster.apply(stop);
        await eventually(() =>
          expect(
            cluster.kubectl(['annotate', 'cm/held', 'a=b', '-n', shop, '--dry-run=server']),
          ).rejects.toThrow(),
        );
        const made = await plan('delete', 'cm/held', '-n', shop);
        expect([made.outcome, made.ifHandled]).toEqual(['Stuck', undefined]);
        const before = controller.refusals;
        await cluster.kubectl(['delete', 'cm/held', '-n', shop, '--wait=false']);
        await eventually(() => expect(controller.refusals).toBeGreaterThan(before + 1));
        expect(await said(['why', 'cm/held', '-n', shop, '--probe'], { kubeconfig })).toMatch(
          /drain-operator would remove the finalizer example.com\/drain from ConfigMap shop-\d+\/held, (and admission policy strict rejects it|but webhook keep.example.com must be called first and doesn't answer)/u,
        );
        expect(await cluster.kubectl(['get', 'cm/held', '-n', shop, '-o', 'name'])).toContain('held');
        await cluster.kubectl(['delete', configurations, '--all']);
        await eventually(async () =>
          expect(await cluster.kubectl(['get', 'cm/held', '-n', shop, '--ignore-not-found'])).toBe(''),
        );
      }
    } finally {
      await controller.stop();
    }
  });

  it.each<[string, string, string, string[]]>([
    ['denies everybody', policy({ operations: 'DELETE' }), 'Refused', ['DELETE owner by user']],
    [
      'denies the collector',
      policy({
        operations: 'DELETE',
        conditions: "request.userInfo.username.startsWith('system:') || request.name == 'trial'",
      }),
      'Stuck',
      ['DELETE below by garbage-collector'],
    ],
    [
      'judges by labels',
      policy({
        operations: 'DELETE',
        validation: "!has(oldObject.metadata.labels) || !('below' in oldObject.metadata.labels)",
      }),
      'Stuck',
      ['DELETE below by garbage-collector'],
    ],
    [
      'names objects',
      policy({ operations: 'DELETE', rule: ', resourceNames: [below, trial]' }),
      'Stuck',
      ['DELETE below by garbage-collector'],
    ],
    ['only warns', policy({ operations: 'DELETE', action: 'Warn' }), 'Completes', []],
    [
      'is bound to other objects',
      policy({
        operations: 'DELETE',
        binding: ', matchResources: {objectSelector: {matchLabels: {trial: "yes"}}}',
      }),
      'Completes',
      [],
    ],
  ])('a policy that %s', async (_how, manifests, outcome, requests) => {
    const shop = await namespaceOf('shop');
    await familyIn(shop);
    await cluster.apply(manifests);
    if (!manifests.includes('Warn')) await counts(shop, 'trial', 'below');
    const made = await plan('delete', 'cm/owner', '-n', shop);
    expect([made.outcome, refused(made)]).toEqual([outcome, requests]);
    await proves(made, 'cm/owner', '-n', shop);
  });

  it('a policy that changes objects is said to, and is never about deletions', async () => {
    const shop = await namespaceOf('shop');
    await familyIn(shop);
    await cluster.apply(`
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: mark}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    objectSelector: {matchLabels: {below: "yes"}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [configmaps]}]
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: "add", path: "/data", value: {"a": "b"}}]'}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: mark}
spec: {policyName: mark}
`);
    // What it is asked about counts a moment later.
    const annotated = ['annotate', 'cm/below', 'a=b', '-n', shop, '--dry-run=server', '-o', 'json'];
    await eventually(async () =>
      expect(JSON.parse(await cluster.kubectl(annotated))).toMatchObject({ data: { a: 'b' } }),
    );
    const deleting = await plan('delete', 'cm/owner', '-n', shop);
    expect([deleting.outcome, deleting.warnings]).toEqual(['Completes', []]);
    const orphaning = await plan('delete', 'cm/owner', '-n', shop, '--cascade=orphan');
    expect([orphaning.outcome, orphaning.warnings.join('\n')]).toEqual([
      'Completes',
      expect.stringContaining('MutatingAdmissionPolicyBinding mark (policy mark)'),
    ]);
    await proves(orphaning, 'cm/owner', '-n', shop, '--cascade=orphan');
    const made = JSON.parse(await cluster.kubectl(['get', 'cm/below', '-n', shop, '-o', 'json'])) as {
      readonly data?: unknown;
    };
    expect(made.data).toEqual({ a: 'b' });
  });
});

interface PolicyParts {
  readonly operations: string;
  readonly conditions?: string;
  readonly validation?: string;
  readonly action?: string;
  readonly rule?: string;
  readonly more?: string;
  readonly binding?: string;
}

function policy({
  operations,
  conditions,
  validation = 'false',
  action = 'Deny',
  rule = '',
  more = '',
  binding = '',
}: PolicyParts): string {
  const asked =
    conditions === undefined
      ? ''
      : `matchConditions: [{name: only, expression: ${JSON.stringify(conditions)}}]`;
  return `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: strict}
spec:
  matchConstraints:
    ${more}
    resourceRules: [{operations: [${operations}], apiGroups: [""], apiVersions: [v1], resources: [configmaps]${rule}}]
  ${asked}
  validations: [{expression: ${JSON.stringify(validation)}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: everywhere}
spec: {policyName: strict, validationActions: [${action}]${binding}}
`;
}
