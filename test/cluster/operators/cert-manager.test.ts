/**
 * cert-manager, whose certificates own most of what comes of them and whose challenges wait for a clean-up: its deletions
 * are forecast, and then seen while it has done nothing yet, and when it has done its work.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { operatorProgram, withoutOperators } from '../../harness/processes/operators.ts';
import { eventually, PATIENTLY } from '../eventually.ts';
import { comesToEnd, type End, type Live, planOf, restingObjects, states } from '../forecast/ends.ts';
import { settled } from '../settled.ts';
import { said } from '../tool.ts';
import { Operator } from './operator.ts';

const NAME = 'cert-manager';

const kinds =
  'namespaces,secrets,services,deployments,replicasets,pods,serviceaccounts,issuers,certificates,certificaterequests,orders,challenges';

const why = await withoutOperators();

const installation = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${NAME}, namespace: ${NAME}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ${NAME}}
rules:
- {apiGroups: [cert-manager.io, acme.cert-manager.io], resources: ['*'], verbs: ['*']}
- {apiGroups: [""], resources: [secrets, events, pods, services], verbs: ['*']}
- {apiGroups: [networking.k8s.io], resources: [ingresses], verbs: ['*']}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ${NAME}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${NAME}}
subjects: [{kind: ServiceAccount, name: ${NAME}, namespace: ${NAME}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${NAME}, namespace: ${NAME}, labels: {app.kubernetes.io/name: ${NAME}}}
spec:
  replicas: 1
  selector: {matchLabels: {app: ${NAME}}}
  template:
    metadata: {labels: {app: ${NAME}}}
    spec:
      serviceAccountName: ${NAME}
      containers: [{name: cert-manager-controller, image: registry.example.com/cert-manager}]
`;

const certificate = (namespace: string): string => `
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: own, namespace: ${namespace}}
spec: {selfSigned: {}}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: web, namespace: ${namespace}}
spec: {secretName: web-tls, dnsNames: [web.example.com], issuerRef: {name: own}}
`;

const issuer = '{name: acme, kind: Issuer, group: acme.cert-manager.io}';

const order = (namespace: string): string => `
apiVersion: acme.cert-manager.io/v1
kind: Order
metadata: {name: edge, namespace: ${namespace}}
spec: {request: eA==, dnsNames: ["${namespace}.example.com"], issuerRef: ${issuer}}
`;

/** As the controller of Orders makes it: cert-manager works at one Challenge for a domain at a time. */
const challenge = (namespace: string, uid: string): string => `
apiVersion: acme.cert-manager.io/v1
kind: Challenge
metadata:
  name: edge
  namespace: ${namespace}
  ownerReferences:
  - {apiVersion: acme.cert-manager.io/v1, kind: Order, name: edge, uid: ${uid}, controller: true, blockOwnerDeletion: true}
spec:
  authorizationURL: https://acme.example.com/authorization
  url: https://acme.example.com/challenge
  dnsName: ${namespace}.example.com
  issuerRef: ${issuer}
  key: key
  token: token
  type: HTTP-01
  solver: {http01: {ingress: {}}}
`;

/**
 * The collector looks for new kinds every 30 seconds. Of two of them it may hear of an owner that is being orphaned
 * before it hears of what that owns, which it then deletes.
 */
async function collectorKnows(cluster: Cluster): Promise<void> {
  const absent = crypto.randomUUID();
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: absent };
  await cluster.apply(`${order('default')}---\n${challenge('default', absent)}`);
  const patch = JSON.stringify({ metadata: { ownerReferences: [owner] } });
  await cluster.kubectl(['patch', 'order/edge', '--type=merge', '-p', patch]);
  await cluster.kubectl(['wait', 'order/edge', 'challenge/edge', '--for=delete', PATIENTLY]);
}

describe.skipIf(why !== undefined)(NAME, () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let operator: Operator;
  let worlds = 0;
  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    kubeconfig = await cluster.kubeconfig();
    const { binary, manifests } = await operatorProgram(NAME);
    await cluster.apply(manifests);
    await cluster.kubectl(['wait', 'crd', '--all', '--for=condition=Established', PATIENTLY]);
    await cluster.kubectl(['create', 'namespace', NAME]);
    await cluster.apply(installation);
    await collectorKnows(cluster);
    await settled(cluster, NAME);
    operator = await Operator.start({
      cluster,
      namespace: NAME,
      name: NAME,
      binary,
      env: port => ({ HEALTH_ADDRESS: `127.0.0.1:${port}` }),
      readyPath: '/',
    });
  });
  afterAll(async () => {
    await operator?.stop();
    await cluster?.stop();
  });

  const live = () => restingObjects(cluster, kinds);
  const plan = (...args: readonly string[]) => planOf(kubeconfig, args);
  const endsAs = (before: readonly Live[], end: End) => comesToEnd(cluster, kinds, before, end);

  async function namespaceOf(what: string): Promise<string> {
    worlds += 1;
    const name = `${what}-${worlds}`;
    await cluster.kubectl(['create', 'namespace', name]);
    return name;
  }

  async function uidOf(kind: string, name: string, namespace: string): Promise<string> {
    return cluster.kubectl(['get', kind, name, '-n', namespace, '-o', 'jsonpath={.metadata.uid}']);
  }

  /** A namespace with an Order and its Challenge, to which cert-manager has put its finalizer. */
  async function challenged(): Promise<string> {
    const shop = await namespaceOf('shop');
    await cluster.apply(order(shop));
    await cluster.apply(challenge(shop, await uidOf('order', 'edge', shop)));
    await eventually(async () => {
      const finalizers = ['get', 'challenge/edge', '-n', shop, '-o', 'jsonpath={.metadata.finalizers}'];
      expect(await cluster.kubectl(finalizers)).toContain('acme.cert-manager.io/finalizer');
    });
    return shop;
  }

  it('has the requests of a Certificate go with it, and leaves its Secret', async () => {
    const shop = await namespaceOf('shop');
    await cluster.apply(certificate(shop));
    await cluster.kubectl(['wait', 'certificate/web', '-n', shop, '--for=condition=Ready', PATIENTLY]);
    const before = await live();
    const made = await plan('delete', 'certificate/web', '-n', shop);
    expect(made.outcome).toBe('Completes');
    expect(made.deleted.map(({ object }) => object.kind).sort()).toEqual([
      'Certificate',
      'CertificateRequest',
    ]);
    await cluster.kubectl(['delete', 'certificate/web', '-n', shop]);
    await endsAs(before, made);
  });

  it('brings back the Secret of a Certificate, which is said to be its own', async () => {
    const shop = await namespaceOf('shop');
    await cluster.apply(certificate(shop));
    await cluster.kubectl(['wait', 'certificate/web', '-n', shop, '--for=condition=Ready', PATIENTLY]);
    const told = await said(['why', 'secret/web-tls', '-n', shop], { kubeconfig });
    expect(told).toContain(`cert-manager Certificate ${shop}/web`);
    const uid = await uidOf('secret', 'web-tls', shop);
    const assumed = async (...targets: readonly string[]) =>
      ((await plan('delete', ...targets, '-n', shop)).logical ?? []).map(
        ({ object: { kind, name }, effect, when }) => [kind, name, effect, when].join(' '),
      );
    expect(await assumed('secret/web-tls')).toEqual(['Secret web-tls recreated automatically']);
    expect(await assumed('secret/web-tls', 'certificate/web')).toEqual([]);
    await cluster.kubectl(['delete', 'secret/web-tls', '-n', shop]);
    await eventually(async () => expect(await uidOf('secret', 'web-tls', shop)).not.toBe(uid));
    // Nobody says so of a copy.
    const copied = await namespaceOf('copied');
    await cluster.apply(`
apiVersion: v1
kind: Secret
metadata: {name: web-tls, namespace: ${copied}, annotations: {cert-manager.io/certificate-name: web}}
`);
    expect(await said(['why', 'secret/web-tls', '-n', copied], { kubeconfig })).not.toContain('Managed by');
  });

  it.each([
    ['Challenge', 'background'],
    ['Challenge', 'foreground'],
    ['Order', 'background'],
    ['Order', 'foreground'],
    ['Order', 'orphan'],
  ])('that runs lets go of a Challenge: %s, %s', async (kind, cascade) => {
    const shop = await challenged();
    const before = await live();
    operator.pause();
    const words = ['delete', `${kind.toLowerCase()}/edge`, '-n', shop, `--cascade=${cascade}`];
    const made = await plan(...words);
    const depends = cascade === 'orphan' ? ['Completes', []] : ['Depends', ['edge running']];
    expect([made.outcome, states(made)]).toEqual(depends);
    await cluster.kubectl([...words, '--wait=false']);
    await endsAs(before, made);
    operator.resume();
    await endsAs(before, made.ifHandled ?? made);
    // An orphan would be one more of what comes.
    await cluster.kubectl(['delete', 'challenge/edge', '-n', shop, '--ignore-not-found']);
  });

  it('that is scaled to nothing leaves it stuck until it is back', async () => {
    const shop = await challenged();
    const scale = ['scale', `deployment/${NAME}`, '-n', NAME];
    await cluster.kubectl([...scale, '--replicas=0']);
    await operator.isRunning(false);
    await settled(cluster, NAME);
    const before = await live();
    const made = await plan('delete', `ns/${shop}`);
    expect([made.outcome, made.ifHandled, states(made)]).toEqual(['Stuck', undefined, ['edge notReady']]);
    await cluster.kubectl(['delete', 'ns', shop, '--wait=false']);
    await endsAs(before, made);
    await cluster.kubectl([...scale, '--replicas=1']);
    await operator.isRunning(true);
    await cluster.kubectl(['wait', `ns/${shop}`, '--for=delete', PATIENTLY]);
  });

  it('that is uninstalled with its definitions leaves it stuck', async () => {
    await challenged();
    const before = await live();
    operator.pause();
    const words = ['delete', 'crd/challenges.acme.cert-manager.io', `ns/${NAME}`];
    const made = await plan(...words);
    expect([made.outcome, states(made)]).toEqual(['Stuck', ['edge goesToo']]);
    expect(made.warnings[0]).toContain('may never be deleted');
    await cluster.kubectl([...words, '--wait=false']);
    await operator.isRunning(false);
    await endsAs(before, made);
  });
});
