import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { command } from '../../console.ts';
import { ask, type Rules, type Serving } from '../serve/serving.ts';
import { type Asked, judge, ListingSource, startListed, type Verdict } from './reviewing.ts';

const cluster = `
- {kind: Namespace, name: shop, namespace: '', spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Namespace, name: test, namespace: ''}
- {kind: Namespace, name: bank, namespace: '', spec: {finalizers: [kubernetes]}, annotations: {gc-tree.dev/guard: '{refuse: [stuck], maxDeleted: 1, exceptGroups: [sre], exceptAnnotated: true}'}}
- {kind: Namespace, name: typo, namespace: '', annotations: {gc-tree.dev/guard: '{refuse: [stuckk]}'}}
- {kind: Namespace, name: open, namespace: '', annotations: {gc-tree.dev/guard: '{max: ["\u001b[2J'}}
- {kind: ConfigMap, name: ledger, namespace: bank}
- {kind: Secret, name: page, namespace: bank, owners: [v1 ConfigMap ledger]}
- {kind: Pod, name: teller, namespace: bank, annotations: {gc-tree.dev/allow-deletion: '2026-11-21T13:00:00Z moved'}}
- {kind: Pod, name: vault, namespace: bank}
- {kind: Secret, name: of-teller, namespace: bank, owners: [v1 Pod teller]}
- {kind: Secret, name: of-vault, namespace: bank, owners: [v1 Pod vault]}
- {kind: ConfigMap, name: draft, namespace: typo, finalizers: [example.com/keep]}
- {kind: ConfigMap, name: draft2, namespace: open, finalizers: [example.com/keep]}
- {kind: ConfigMap, name: leaf}
- {kind: ConfigMap, name: tree}
- {kind: Secret, name: a, owners: [v1 ConfigMap tree]}
- {kind: Secret, name: b, owners: [v1 ConfigMap tree]}
- {kind: ConfigMap, name: held, finalizers: [example.com/keep]}
- {kind: ConfigMap, name: going, deletionTimestamp: '2026-11-21T11:50:00Z', deletionGracePeriodSeconds: 0, finalizers: [example.com/keep]}
- {kind: PersistentVolumeClaim, name: data, finalizers: [kubernetes.io/pvc-protection], spec: {volumeName: pv-1}, status: {phase: Bound}}
- {kind: PersistentVolume, name: pv-1, namespace: '', finalizers: [kubernetes.io/pv-protection], spec: {persistentVolumeReclaimPolicy: Delete, claimRef: {kind: PersistentVolumeClaim, namespace: shop, name: data, uid: data}}, status: {phase: Bound}}
- {kind: Service, name: checker, spec: {selector: {app: checks}, ports: [{port: 443}]}}
- {kind: ValidatingWebhookConfiguration, name: checks, namespace: '', webhooks: [{name: checks.example.com, failurePolicy: Fail, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {namespace: shop, name: checker}}, rules: [{operations: [CREATE], apiGroups: ['*'], apiVersions: ['*'], resources: ['*']}]}]}
`;

const rules: Rules = { alice: ['*.* in *'] };
const head = 'apiVersion: gc-tree.dev/v1alpha1\nkind: GuardPolicy\n';
const claim: Asked = { kind: 'PersistentVolumeClaim', name: 'data' };

function fileOf(yaml: string): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'policy-')), 'policy.yaml');
  writeFileSync(file, yaml);
  return file;
}

let serving: Serving | undefined;

async function guard(rule: string): Promise<Serving> {
  const file = fileOf(`${head}rules:\n- {name: production, ${rule}}\n`);
  serving = await startListed(new ListingSource(cluster, rules), ['--guard', `--guard-policy=${file}`]);
  return serving;
}

afterEach(async () => {
  await serving?.end();
  serving = undefined;
});

const outcome = ({ allowed, message }: Verdict): string => (allowed === true ? 'allowed' : String(message));
const because = (why: string): string => `rule production of the guard's policy: ${why}.`;

describe('a policy refuses', () => {
  it.each<[string, string, Asked, string]>([
    ['the loss of data', 'refuse: [dataLost]', claim, 'the data on 1 PersistentVolume is lost'],
    [
      'what would get stuck',
      'refuse: [stuck]',
      { kind: 'ConfigMap', name: 'held' },
      '1 object would get stuck',
    ],
    [
      'that requests of others are refused',
      'refuse: [requestsRefused]',
      { kind: 'Service', name: 'checker' },
      'a webhook with failurePolicy Fail would lose its Service',
    ],
    [
      'too many deletions at once',
      'maxDeleted: 2',
      { kind: 'ConfigMap', name: 'tree' },
      '3 objects would be deleted, at most 2 may',
    ],
    [
      'in a namespace that it names',
      'namespaces: [shop], refuse: [dataLost]',
      claim,
      'the data on 1 PersistentVolume is lost',
    ],
    [
      'the deletion of that namespace',
      'namespaces: [shop], maxDeleted: 3',
      { kind: 'Namespace', name: 'shop', namespace: '' },
      'objects would be deleted, at most 3 may',
    ],
  ])('%s', async (_, rule, asked, why) => {
    const verdict = await judge(await guard(rule), asked);
    expect(outcome(verdict)).toContain(`${why}.`);
    expect(outcome(verdict)).toMatch(/^rule production of the guard's policy: /u);
    expect(verdict.warnings).not.toEqual([]);
  });

  it.each<[string, string, Asked]>([
    [
      'a harmless deletion',
      'refuse: [dataLost, stuck, handlerDeleted, requestsRefused], maxDeleted: 1',
      { kind: 'ConfigMap', name: 'leaf' },
    ],
    ['as many as may be deleted', 'maxDeleted: 3', { kind: 'ConfigMap', name: 'tree' }],
    ['another namespace', 'namespaces: [test], refuse: [dataLost]', claim],
    ['what was stuck before', 'refuse: [stuck]', { kind: 'ConfigMap', name: 'going' }],
    [
      'the control plane',
      'refuse: [dataLost]',
      { ...claim, user: 'system:serviceaccount:kube-system:namespace-controller' },
    ],
  ])('but not %s', async (_, rule, asked) => {
    expect(outcome(await judge(await guard(rule), asked))).toBe('allowed');
  });

  it('counts the answers of each sort', async () => {
    const source = new ListingSource(cluster, { alice: ['*.* in *', 'path /metrics'] });
    const file = fileOf(`${head}rules: [{name: production, refuse: [dataLost]}]`);
    serving = await startListed(source, ['--guard', `--guard-policy=${file}`]);
    expect(outcome(await judge(serving, claim))).not.toBe('allowed');
    const { body } = await ask(serving, '/metrics', 'token-alice');
    expect(body).toMatch(/gc_tree_guard_reviews_total\{answer="refused"\} [1-9]/u);
  });
});

describe('who may override', () => {
  const annotated = (value: string): Asked => ({
    ...claim,
    before: { annotations: { 'gc-tree.dev/allow-deletion': value } },
  });
  // The console's clock stands still.
  const noon = Date.parse('2026-11-21T12:00:00Z');
  const soon = (hours: number): string => new Date(noon + hours * 3_600_000).toISOString();

  it('is a member of a group', async () => {
    const at = await guard('refuse: [dataLost], exceptGroups: [sre]');
    expect(outcome(await judge(at, claim))).toBe(
      `${because('the data on 1 PersistentVolume is lost')} To do it all the same, ask a member of sre.`,
    );
    expect(outcome(await judge(at, { ...claim, groups: ['sre'] }))).toBe('allowed');
  });

  it('is an annotation with a time within 24 hours and a reason, if the rule lets it', async () => {
    const at = await guard('refuse: [dataLost], exceptAnnotated: true');
    expect(outcome(await judge(at, claim))).toMatch(
      /To do it all the same, run kubectl annotate --overwrite persistentvolumeclaims\/data -n shop 'gc-tree\.dev\/allow-deletion=\S+Z REASON'\.$/u,
    );
    expect(outcome(await judge(at, annotated(`${soon(1)} moved to another cluster`)))).toBe('allowed');
    for (const value of [`${soon(-1)} late`, `${soon(25)} too long`, soon(1), 'yes', '2027 please'])
      expect([value, outcome(await judge(at, annotated(value)))]).toEqual([
        value,
        expect.stringContaining('is lost'),
      ]);
    await serving?.end();
    const strict = await guard('refuse: [dataLost]');
    expect(outcome(await judge(strict, annotated(`${soon(1)} please`)))).toBe(
      because('the data on 1 PersistentVolume is lost'),
    );
  });

  it('is in the log, without control characters', async () => {
    const at = await guard('refuse: [dataLost], exceptAnnotated: true');
    await judge(at, annotated(`${soon(1)} moved\u001b[2J`));
    expect(at.said()).toContain(
      "is allowed: rule production of the guard's policy, overridden by annotation, moved%1B[2J",
    );
  });
});

describe('an annotation of a namespace', () => {
  const annotated = async (rule = ''): Promise<Serving> => {
    const file = fileOf(`${head}namespaceAnnotations: true\n${rule}`);
    serving = await startListed(new ListingSource(cluster, rules), ['--guard', `--guard-policy=${file}`]);
    return serving;
  };
  const ledger: Asked = { kind: 'ConfigMap', name: 'ledger', namespace: 'bank' };
  const evicted = (name: string): Asked => ({
    kind: 'Pod',
    name,
    namespace: 'bank',
    operation: 'CREATE',
    subresource: 'eviction',
  });

  it('refuses what it names in that namespace, and its deletion', async () => {
    const at = await annotated();
    expect(outcome(await judge(at, ledger))).toMatch(
      /^annotation gc-tree\.dev\/guard of Namespace bank: 2 objects would be deleted, at most 1 may\. To do it all the same, run kubectl annotate .*, or ask a member of sre\.$/u,
    );
    expect(outcome(await judge(at, { kind: 'Namespace', name: 'bank', namespace: '' }))).toContain(
      'of Namespace bank: ',
    );
    expect(outcome(await judge(at, { ...ledger, groups: ['sre'] }))).toBe('allowed');
    expect(outcome(await judge(at, { kind: 'ConfigMap', name: 'held' }))).toBe('allowed');
  });

  it('adds to the rules of the file, which decide first', async () => {
    const at = await annotated('rules: [{name: production, maxDeleted: 1, exceptGroups: [owners]}]');
    expect(outcome(await judge(at, ledger))).toMatch(/^rule production of the guard's policy: 2 objects/u);
    expect(outcome(await judge(at, { ...ledger, groups: ['owners'] }))).toMatch(
      /^annotation gc-tree\.dev\/guard of Namespace bank: 2 objects/u,
    );
    expect(outcome(await judge(at, { ...ledger, groups: ['owners', 'sre'] }))).toBe('allowed');
  });

  it('has no effect unless the file asks for it', async () => {
    expect(outcome(await judge(await guard('maxDeleted: 100'), ledger))).toBe('allowed');
  });

  it('refuses nothing if it is faulty, which a warning and the log report', async () => {
    const at = await annotated();
    for (const [namespace, name, why] of [
      ['typo', 'draft', 'refuse: 0: Invalid option'],
      ['open', 'draft2', 'line 1: '],
    ] as const) {
      const verdict = await judge(at, { kind: 'ConfigMap', name, namespace });
      const ignored = `Ignored: annotation gc-tree.dev/guard of Namespace ${namespace}: ${why}`;
      expect([verdict.allowed, verdict.warnings[0]]).toEqual([true, expect.stringContaining(ignored)]);
      expect(verdict.warnings[0]?.length).toBeLessThanOrEqual(120);
      expect(at.said()).toContain(ignored);
      expect(at.said()).not.toContain('\u001b');
    }
  });

  it('lets evictions be overridden by an annotation of the pod', async () => {
    const at = await annotated();
    expect(outcome(await judge(at, evicted('vault')))).toMatch(
      /run kubectl annotate --overwrite pods\/vault -n bank 'gc-tree\.dev\/allow-deletion=\S+Z REASON'/u,
    );
    expect(outcome(await judge(at, evicted('teller')))).toBe('allowed');
    expect(at.said()).toContain(
      'CREATE of pods/eviction bank/teller by alice is allowed: annotation gc-tree.dev/guard of Namespace bank, overridden by annotation, moved',
    );
  });
});

describe('a faulty policy', () => {
  it.each([
    ['rules: [', /line 3: /u],
    ['rules: []', /line 3: rules: /u],
    ['rules:\n- {name: a, refuse: [dataLoss]}', /line 4: rules: 0: refuse: 0: /u],
    ['rules:\n- {name: a, refuse: [stuck]}\n- {name: b, max: 4}', /line 5: rules: 1: /u],
    ['rules:\n- {name: a}', /line 4: rules: 0: neither refuse nor maxDeleted is given/u],
    ['namespaceAnnotations: false', /line 1: neither rules nor namespaceAnnotations is given/u],
  ])('%s is refused with its line', async (yaml, error) => {
    const { err, exitCode } = await command(
      `serve --guard --demo fleet --guard-policy ${fileOf(`${head}${yaml}`)}`,
    );
    expect(err).toMatch(error);
    expect([exitCode, err.trim().split('\n').length <= 2]).toEqual([2, true]);
  });

  it('is refused without --guard, and if there is no such file', async () => {
    expect((await command('serve --demo fleet --guard-policy x')).err).toContain('add --guard');
    expect((await command('serve --guard --demo fleet --guard-policy /nowhere')).err).toContain('ENOENT');
  });
});
