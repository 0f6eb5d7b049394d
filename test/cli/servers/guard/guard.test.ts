import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { LookUp } from '../../../../src/model/exchange/changes.ts';
import { type JsonRecord, list, record, text } from '../../../../src/model/json/json.ts';
import type { ResourceType } from '../../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../../src/source/built-in-types.ts';
import { CertificateAuthority } from '../../../harness/certificates.ts';
import { command } from '../../console.ts';
import { objects } from '../../documents/cluster.ts';
import { ask, type Rules, type Serving, startServing } from '../serve/serving.ts';
import { type Asked, judge, ListingSource, post, reviewOf, startListed, warningsFor } from './reviewing.ts';

const hold = 'finalizers: [example.com/keep]';
const deleting = `deletionTimestamp: '2026-11-21T11:50:00Z', deletionGracePeriodSeconds: 0, ${hold}`;
const cluster = `
- {kind: Namespace, name: shop, namespace: ''}
- {kind: Namespace, name: bank, namespace: ''}
- {kind: Deployment, name: web, spec: {replicas: 1, selector: {matchLabels: {app: web}}}}
- {kind: ReplicaSet, name: web-1, owners: [apps/v1 Deployment web web +c +b], labels: {app: web}, spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}}
- {kind: Node, name: node-1, namespace: '', status: {conditions: [{type: Ready, status: 'True'}]}}
- {kind: Pod, name: web-1-a, owners: [apps/v1 ReplicaSet web-1 web-1 +c +b], labels: {app: web}, status: {phase: Running}}
- {kind: Pod, name: bare, status: {phase: Running}}
- {kind: Secret, name: of-bare, owners: [v1 Pod bare]}
- {kind: Deployment, name: reader, spec: {replicas: 1, selector: {matchLabels: {app: reader}}, template: {metadata: {labels: {app: reader}}, spec: {volumes: [{name: all, configMap: {name: read}}]}}}}
- {kind: ConfigMap, name: read}
- {kind: ConfigMap, name: leaf}
- {kind: ConfigMap, name: parent, ${hold}}
- {kind: Secret, name: child, owners: [v1 ConfigMap parent]}
- {kind: ConfigMap, name: stuck, ${deleting}}
- {kind: Secret, name: under-stuck, owners: [v1 ConfigMap stuck]}
- {kind: ConfigMap, name: applied, labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux-system}}
- {kind: Secret, name: of-applied, owners: [v1 ConfigMap applied]}
- {kind: Job, name: import, spec: {template: {spec: {}}}}
- {kind: Secret, name: of-import, owners: [batch/v1 Job import]}
- {kind: ConfigMap, name: "evil\\e]0;pwned\\a", owners: [v1 ConfigMap hidden]}
- {kind: ConfigMap, name: hidden}
- {kind: ConfigMap, name: leaving, deletionTimestamp: '2026-11-21T11:50:00Z', finalizers: [foregroundDeletion]}
- {kind: ConfigMap, name: blocker, ${deleting}, owners: [v1 ConfigMap leaving leaving +b]}
- {kind: PersistentVolumeClaim, name: data, finalizers: [kubernetes.io/pvc-protection], spec: {volumeName: pv-1}, status: {phase: Bound}}
- {kind: PersistentVolume, name: pv-1, namespace: '', finalizers: [kubernetes.io/pv-protection], spec: {persistentVolumeReclaimPolicy: Delete, claimRef: {kind: PersistentVolumeClaim, namespace: shop, name: data, uid: data}}, status: {phase: Bound}}
`;

const rules: Rules = {
  alice: ['*.* in *'],
  clerk: ['replicasets.apps in shop'],
  author: ['configmaps. in shop', 'deployments.apps in shop'],
  stranger: [],
};
const web: Asked = { kind: 'Deployment', apiVersion: 'apps/v1', name: 'web' };
const preview = 'Preview: kubectl gc-tree plan delete deployment/web -n shop';

/** Answers what is asked about permissions, a moment later. */
class AnsweringSource extends ListingSource {
  readonly #state: 'allowed' | 'denied';
  /** Names of their objects. */
  readonly asked: string[] = [];

  constructor(yaml: string, given: Rules, state: 'allowed' | 'denied') {
    super(yaml, given);
    this.#state = state;
  }

  lookUp(wanted: Iterable<LookUp>): void {
    const open = [...wanted].filter(({ of, name }) => of === 'permission' && !this.asked.includes(name));
    this.asked.push(...open.map(({ name }) => name));
    const lookUps = open.map(lookUp => ({ lookUp, answer: { state: this.#state } }));
    setImmediate(() => this.emit({ changes: [], lookUps }));
  }
}

let serving: Serving | undefined;

async function guard(
  source = new ListingSource(cluster, rules),
  words: readonly string[] = ['--guard'],
): Promise<Serving> {
  serving = await startListed(source, words);
  return serving;
}

afterEach(async () => {
  await serving?.end();
  serving = undefined;
});

describe('what a request is answered', () => {
  it('tells what else is deleted, and how to preview it', async () => {
    expect(await judge(await guard(), web)).toEqual({
      uid: 'review-web',
      allowed: true,
      warnings: ['Also deleted: ReplicaSet web-1 and Pod web-1-a', preview],
      message: undefined,
    });
  });

  it('says nothing if nothing else happens, or if it is made again', async () => {
    const at = await guard();
    for (const asked of [
      { kind: 'Pod', name: 'web-1-a' },
      { kind: 'ConfigMap', name: 'leaf' },
    ])
      expect([asked.name, await warningsFor(at, asked)]).toEqual([asked.name, []]);
  });

  it('tells what is lost, what gets stuck on what, and what breaks', async () => {
    const at = await guard();
    const first = async (asked: Asked) => (await warningsFor(at, asked))[0];
    expect(await first({ kind: 'PersistentVolumeClaim', name: 'data' })).toBe(
      'Lost for good: the data on PersistentVolume pv-1',
    );
    expect(await warningsFor(at, { kind: 'ConfigMap', name: 'parent' })).toEqual([
      'Gets stuck: ConfigMap parent waits for finalizer example.com/keep, which its own controller has to remove',
      'Also deleted: Secret child',
      'Preview: kubectl gc-tree plan delete configmap/parent -n shop',
    ]);
    expect(await first({ kind: 'ConfigMap', name: 'read' })).toMatch(
      /^Breaks: Deployment reader mounts ConfigMap read as a volume/u,
    );
  });

  it('tells what a tool may make again, if what decides it cannot be seen', async () => {
    expect(await warningsFor(await guard(), { kind: 'ConfigMap', name: 'applied' })).toContain(
      'Perhaps recreated by Flux Kustomization flux-system/apps: ConfigMap applied',
    );
  });

  it('tells that containers may run on after a deletion by force', async () => {
    const yaml = `
- {kind: Node, name: silent, namespace: '', status: {conditions: [{type: Ready, status: Unknown}]}}
- {kind: Pod, name: lone, spec: {nodeName: silent, terminationGracePeriodSeconds: 30}, status: {phase: Running}}
`;
    const asked = { kind: 'Pod', name: 'lone', options: { gracePeriodSeconds: 0 } };
    expect(await warningsFor(await guard(new ListingSource(yaml, rules)), asked)).toEqual([
      expect.stringContaining("Deletion by force doesn't wait for a kubelet"),
      expect.stringContaining('plan delete pod/lone -n shop --grace-period=0 --force'),
    ]);
  });

  it("leaves the API server's own choice of a grace period out of the preview", async () => {
    const yaml = `
- {kind: Node, name: node-1, namespace: '', status: {conditions: [{type: Ready, status: 'True'}]}}
- {kind: Pod, name: unscheduled, spec: {terminationGracePeriodSeconds: 30}}
- {kind: Pod, name: running, spec: {nodeName: node-1, terminationGracePeriodSeconds: 30}, status: {phase: Running}}
- {kind: Secret, name: of-unscheduled, owners: [v1 Pod unscheduled unscheduled]}
- {kind: Secret, name: of-running, owners: [v1 Pod running running]}
`;
    const at = await guard(new ListingSource(yaml, rules));
    const preview = async (name: string, gracePeriodSeconds: number): Promise<string | undefined> =>
      (await warningsFor(at, { kind: 'Pod', name, options: { gracePeriodSeconds } })).at(-1);
    const command = 'Preview: kubectl gc-tree plan delete pod';
    expect(await preview('unscheduled', 0)).toBe(`${command}/unscheduled -n shop`);
    expect(await preview('running', 30)).toBe(`${command}/running -n shop`);
    expect(await preview('running', 5)).toBe(`${command}/running -n shop --grace-period=5`);
  });

  it('asks the API server if a handler may remove its finalizer, as plan does', async () => {
    const yaml = `
- {kind: ConfigMap, name: cart, finalizers: [example.com/drain]}
- {kind: Deployment, name: drain, labels: {example.com/part: drain}, spec: {replicas: 1, template: {spec: {serviceAccountName: drainer}}}, status: {replicas: 1, readyReplicas: 1}}
`;
    const cart = { kind: 'ConfigMap', name: 'cart' };
    for (const [state, lines] of [
      ['denied', [expect.stringMatching(/^Gets stuck: ConfigMap cart waits for/u), expect.any(String)]],
      ['allowed', []],
    ] as const) {
      const source = new AnsweringSource(yaml, rules, state);
      const at = await guard(source);
      // The second time it is known.
      for (let times = 0; times < 2; times += 1) expect(await warningsFor(at, cart)).toEqual(lines);
      expect(source.asked).toEqual(state === 'denied' ? ['', 'cart'] : ['']);
      await at.end();
    }
  });

  it('tells which pods a controller unknown to it may not make again', async () => {
    const yaml = `
- {kind: ConfigMap, name: cluster}
- {kind: Pod, name: member, owners: [v1 ConfigMap cluster cluster +c], status: {phase: Running}}
`;
    const [line] = await warningsFor(await guard(new ListingSource(yaml, rules)), {
      kind: 'Pod',
      name: 'member',
    });
    expect(line).toMatch(/ConfigMap cluster/u);
  });

  it('takes the policy of the request, and without one that of the kind and its version', async () => {
    const at = await guard();
    const orphaned = 'ReplicaSet web-1 loses its owner reference and keeps its pod';
    for (const options of [{ propagationPolicy: 'Orphan' }, { orphanDependents: true }])
      expect(await warningsFor(at, { ...web, options })).toEqual([orphaned, `${preview} --cascade=orphan`]);
    const job = { kind: 'Job', apiVersion: 'batch/v1', name: 'import' };
    expect(await warningsFor(at, job)).toContain('Secret of-import loses its owner reference');
    const options = { propagationPolicy: 'Background' };
    expect(await warningsFor(at, { ...job, options })).toContain('Also deleted: Secret of-import');
  });

  it('judges evictions, and updates by people that take finalizers or owners away', async () => {
    const at = await guard();
    const eviction = { kind: 'Pod', operation: 'CREATE', subresource: 'eviction' };
    expect(await warningsFor(at, { ...eviction, name: 'bare' })).toContain('Also deleted: Secret of-bare');
    expect(await warningsFor(at, { ...eviction, name: 'web-1-a' })).toEqual([]);
    const update = { kind: 'ConfigMap', name: 'stuck', operation: 'UPDATE' };
    const before = { finalizers: ['example.com/keep'] };
    expect(await warningsFor(at, { ...update, before, after: { finalizers: [] } })).toEqual([
      'Deleted by this change: ConfigMap stuck and Secret under-stuck',
    ]);
    expect(await warningsFor(at, { ...update, before, after: { labels: { a: 'b' } } })).toEqual([]);
    const owned = { kind: 'ConfigMap', name: 'blocker', operation: 'UPDATE', after: { ownerReferences: [] } };
    const references = { ownerReferences: [{ uid: 'leaving' }], finalizers: ['example.com/keep'] };
    expect(await warningsFor(at, { ...owned, before: references })).toEqual([
      'Deleted by this change: ConfigMap leaving',
    ]);
    const groups = ['system:serviceaccounts'];
    expect(await warningsFor(at, { ...update, before, after: { finalizers: [] }, groups })).toEqual([]);
  });

  it('counts what the caller may not list, and names the rest', async () => {
    const at = await guard();
    expect(await warningsFor(at, { ...web, user: 'clerk' })).toEqual([
      'Also deleted: ReplicaSet web-1 and 1 more that you may not list',
      preview,
    ]);
    const told = await warningsFor(at, { ...web, user: 'stranger' });
    expect(told).toEqual(['Also deleted: 2 that you may not list', preview]);
  });

  it('names what breaks to a caller who may list it', async () => {
    const at = await guard();
    const read: Asked = { kind: 'ConfigMap', name: 'read' };
    expect((await warningsFor(at, { ...read, user: 'author' }))[0]).toMatch(
      /^Breaks: Deployment reader mounts ConfigMap read as a volume/u,
    );
    expect((await warningsFor(at, { ...read, user: 'stranger' })).join()).not.toContain('reader');
  });

  it('lists the users of a kind once, and again when one of them changes or they are no longer followed', async () => {
    const source = new ListingSource(cluster, rules);
    const lists: string[] = [];
    const { list: read } = source;
    const at = await guard(
      Object.assign(source, {
        list: (type: ResourceType, namespace: string | undefined) => {
          lists.push(type.resource);
          return read(type, namespace);
        },
      }),
    );
    const ask = (): Promise<readonly string[]> => warningsFor(at, { kind: 'ConfigMap', name: 'read' });
    const listed = async (): Promise<readonly string[]> => {
      const before = lists.length;
      await ask();
      return lists.slice(before);
    };
    const told = await ask();
    const once = [...lists];
    expect(once).toContain('deployments');
    expect(await ask()).toEqual(told);
    expect(lists).toEqual(once);
    source.emit({ changes: objects('- {kind: Deployment, name: reader, resourceVersion: "9"}') });
    await expect.poll(listed).toEqual(['deployments']);
    await expect.poll(listed).toEqual([]);
    const type = builtInTypes.find(({ kind }) => kind === 'Deployment');
    if (type === undefined) throw new Error('no Deployments');
    const blind = { type, state: 'blind', count: 0, facts: true, reason: '403' } as const;
    source.emit({ changes: [], statuses: [blind] });
    await expect.poll(listed).toEqual(['deployments']);
    expect(await listed()).toEqual(['deployments']);
  });

  it('prints names from the cluster so that they cannot affect a terminal', async () => {
    const [line = ''] = await warningsFor(await guard(), { kind: 'ConfigMap', name: 'hidden' });
    expect(line).toBe('Also deleted: ConfigMap evil%1B]0;pwned%07');
  });

  it('keeps each line within 120 characters, whatever the names', async () => {
    const long = Array.from({ length: 9 }, (_, i) => `${'x'.repeat(200)}-${i}`);
    const many = long.map(
      name => `- {kind: ConfigMap, name: ${name}, owners: [v1 ConfigMap ${'y'.repeat(250)}]}`,
    );
    const yaml = `- {kind: ConfigMap, name: ${'y'.repeat(250)}}\n${many.join('\n')}`;
    const told = await warningsFor(await guard(new ListingSource(yaml, rules)), {
      kind: 'ConfigMap',
      name: 'y'.repeat(250),
    });
    expect(told).toEqual(['Also deleted: 9 ConfigMaps']);
  });
});

describe('what is let through unasked', () => {
  it.each([
    ['a controller', { user: 'system:serviceaccount:kube-system:generic-garbage-collector' }],
    ['a node', { user: 'system:node:a', groups: ['system:nodes'] }],
    ['the scheduler', { user: 'system:kube-scheduler' }],
    ['another version of the object', { before: { resourceVersion: '77' } }],
    ['another object of the name', { before: { uid: 'former' } }],
    ['a precondition that fails', { options: { preconditions: { uid: 'former' } } }],
    ['a subresource', { subresource: 'status' }],
  ])('%s', async (_, asked) => {
    expect(await warningsFor(await guard(), { ...web, ...asked })).toEqual([]);
  });

  it('everything while the cluster is not followed', async () => {
    const source = new ListingSource(cluster, rules);
    const at = await guard(source);
    source.emit({ changes: [], connection: { state: 'lost', since: 0, reason: 'cut' } });
    await expect.poll(() => warningsFor(at, web)).toEqual([]);
    const { body } = await ask(at, '/metrics', 'token-alice');
    expect(body).not.toContain('answer="failed"');
  });

  it('a request whose answer fails, which is counted', async () => {
    const source = new ListingSource(cluster, { ...rules, alice: ['*.* in *', 'path /metrics'] });
    const broken = Object.assign(source, { list: () => Promise.reject(new TypeError('list is broken')) });
    const at = await guard(broken);
    expect(await warningsFor(at, { kind: 'ConfigMap', name: 'read' })).toEqual([]);
    const { body } = await ask(at, '/metrics', 'token-alice');
    expect(body).toContain('gc_tree_guard_reviews_total{answer="failed"} 1');
    expect(at.said()).toContain('an admission answer failed: list is broken');
  });
});

describe('bad requests', () => {
  it.each([
    ['no JSON', '{', 400],
    ['something else', '{"kind": "Status"}', 400],
    ['no request', '{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}', 400],
    ['too much', `"${'x'.repeat(5 * 1024 * 1024)}"`, 413],
  ])('%s', async (_, body, status) => {
    const answer = await post(await guard(), body);
    expect(answer.status).toBe(status);
    expect(text(record(JSON.parse(answer.body))['message'])).toMatch(/^[^\n]+$/u);
  });

  it('takes only POST, and nothing at all without --guard', async () => {
    expect((await post(await guard(), '', 'GET')).status).toBe(405);
    await serving?.end();
    const at = await guard(undefined, []);
    expect((await post(at, JSON.stringify(reviewOf(web)))).status).toBe(413);
    expect((await ask(at, '/admission')).status).toBe(404);
  });

  it.each([
    ['--print-webhook shop/guard', '--print-webhook goes with --guard'],
    ['--guard --print-webhook shop/guard', 'needs --tls-cert-file'],
    ['--guard --print-webhook http://a --tls-cert-file package.json', 'is neither a URL'],
    ['--client-ca-file ca.crt', 'add --guard'],
    ['--guard --client-ca-file ca.crt', 'go together'],
  ])('serve %s', async (words, message) => {
    const { err, exitCode } = await command(`serve ${words}`);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('with --client-ca-file', () => {
  async function send(
    url: string,
    tls: RequestOptions,
    body?: string,
  ): Promise<{ readonly status: number | undefined; readonly body: string }> {
    const target = new URL(body === undefined ? '/healthz' : '/admission', url);
    return new Promise((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      const asking = request(target, { ...tls, method, agent: false }, answer => {
        let said = '';
        answer.setEncoding('utf8').on('data', (text: string) => {
          said += text;
        });
        answer.once('end', () => resolve({ status: answer.statusCode, body: said }));
      });
      asking.once('error', reject).end(body);
    });
  }

  it('answers only clients with a certificate of that authority, and probes of all', async () => {
    const folders = ['ours', 'other'].map(name => mkdtempSync(path.join(tmpdir(), `guard-${name}-`)));
    const [ours, other] = await Promise.all(folders.map(folder => CertificateAuthority.create(folder)));
    if (ours === undefined || other === undefined) throw new Error('no authority');
    const { certificate, key } = await ours.server('guard');
    const words = `--guard --tls-cert-file=${certificate} --tls-private-key-file=${key} --client-ca-file=${ours.ca.certificate}`;
    serving = await startServing(new ListingSource(cluster, rules), words.split(' '));
    const { url } = serving;
    const ca = readFileSync(ours.ca.certificate);
    const as = async (authority: CertificateAuthority): Promise<RequestOptions> => {
      const pair = await authority.client('kube-apiserver');
      return { ca, cert: readFileSync(pair.certificate), key: readFileSync(pair.key) };
    };
    const body = JSON.stringify(reviewOf(web));
    expect((await send(url, { ca })).status).toBe(200);
    expect((await send(url, { ca }, body)).status).toBe(401);
    expect((await send(url, await as(other), body)).status).toBe(401);
    expect(await send(url, await as(ours), body)).toMatchObject({
      status: 200,
      body: expect.stringContaining('"allowed":true'),
    });
  });
});

describe('its configuration', () => {
  const made = CertificateAuthority.create(mkdtempSync(path.join(tmpdir(), 'guard-')));

  async function printed(address: string, also = '', flags = ''): Promise<JsonRecord> {
    const { certificate } = (await made).ca;
    const file = `${certificate}.copy`;
    writeFileSync(file, `${readFileSync(certificate, 'utf8')}${also}`);
    const { out, err } = await command(
      `serve --guard --print-webhook ${address} --tls-cert-file ${file}${flags}`,
    );
    if (out === '') throw new Error(err);
    return record(list(record(parse(out))['webhooks'])[0]);
  }

  it('holds the certificates of the file, and never a key', async () => {
    const { certificate, key } = (await made).ca;
    const { clientConfig } = await printed('https://192.0.2.1', readFileSync(key, 'utf8'));
    const bundle = Buffer.from(text(record(clientConfig)['caBundle']), 'base64').toString();
    expect(bundle).toBe(readFileSync(certificate, 'utf8'));
    const { err, out, exitCode } = await command(
      `serve --guard --print-webhook https://192.0.2.1 --tls-cert-file ${key}`,
    );
    expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining('holds no certificate, in PEM.')]);
  });

  it('never makes a request wait for long or fail', async () => {
    expect(await printed('gc-tree/guard')).toMatchObject({
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      timeoutSeconds: 2,
      clientConfig: {
        service: { namespace: 'gc-tree', name: 'guard', path: '/admission', port: 443 },
      },
      namespaceSelector: { matchExpressions: [{ operator: 'NotIn', values: ['kube-system', 'gc-tree'] }] },
    });
  });

  it('is the one that the manifests apply, where cert-manager fills in the certificate', async () => {
    const file = path.join(import.meta.dirname, '../../../../deploy/components/guard/webhook.yaml');
    const deployed = record(parse(readFileSync(file, 'utf8')));
    const [webhook] = list(deployed['webhooks']).map(record);
    const own = await printed('gc-tree/gc-tree');
    const { service } = record(own['clientConfig']);
    expect(webhook).toEqual({ ...own, clientConfig: { service } });
  });

  it('is, with a policy, the one that the manifests apply with theirs', async () => {
    const folder = path.join(import.meta.dirname, '../../../../deploy/components/guard-policy');
    const { patches } = record(parse(readFileSync(path.join(folder, 'kustomization.yaml'), 'utf8')));
    const [, onWebhook] = list(patches).map(record);
    const { clientConfig: _, ...webhook } = await printed('gc-tree/gc-tree');
    const policy = ` --guard-policy ${path.join(folder, 'policy.yaml')}`;
    const { clientConfig: __, ...refusing } = await printed('gc-tree/gc-tree', '', policy);
    expect(parse(text(onWebhook?.['patch']))).toEqual([
      { op: 'replace', path: '/webhooks/0/name', value: refusing['name'] },
    ]);
    expect(refusing).toEqual({ ...webhook, name: refusing['name'] });
  });

  it('is known to a forecast, which takes it not to refuse', async () => {
    const webhook = await printed('https://192.0.2.1:8443');
    expect(webhook['clientConfig']).toMatchObject({ url: 'https://192.0.2.1:8443/admission' });
    const planned = async (changed: JsonRecord, kind = 'ValidatingWebhookConfiguration'): Promise<string> => {
      const webhooks = [{ ...webhook, ...changed }];
      const brief = { kind, name: 'w', namespace: '', webhooks };
      const source = new ListingSource(`${cluster}- ${JSON.stringify(brief)}`, rules);
      return (await command('plan delete deploy/web', { source })).out;
    };
    expect(await planned({})).not.toContain('lets requests pass');
    expect(await planned({ name: 'other.example.com' })).toContain('lets requests pass');
    expect(await planned({}, 'MutatingWebhookConfiguration')).toContain('lets requests pass');
    expect(await planned({ failurePolicy: 'Fail' })).toContain('lets requests pass');
  });
});
