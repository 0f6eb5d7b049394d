/** Finalizers whose removal is an update that a webhook or policy refuses, or changes so that the API server refuses it. */
import { describe, expect, test } from 'vitest';
import type { Diagnosis, DiagnosisItem } from '../../../src/cli/documents/definitions.ts';
import type { DryRunAnswer } from '../../../src/model/exchange/act.ts';
import { command } from '../../cli/console.ts';
import { sourceOf } from '../../source/files/reading.ts';

interface Webhook {
  readonly kind?: string;
  readonly rule?: string;
  readonly more?: string;
  readonly ready?: boolean;
}

const POD_UPDATES =
  '{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods], scope: Namespaced}';

function webhook({
  kind = 'MutatingWebhookConfiguration',
  rule = POD_UPDATES,
  more = '',
  ready = true,
}: Webhook = {}): string {
  return `---
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}
metadata: {name: painter, uid: w1, creationTimestamp: "2026-01-01T00:00:00Z"}
webhooks:
- name: paint.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  clientConfig: {service: {name: painter, namespace: tools}}
  rules: [${rule}]
  ${more}
---
apiVersion: v1
kind: Service
metadata: {name: painter, namespace: tools, uid: s1, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {selector: {app: painter}, ports: [{port: 443}]}
---
apiVersion: v1
kind: Pod
metadata: {name: painter-1, namespace: tools, uid: p1, creationTimestamp: "2026-01-01T00:00:00Z", labels: {app: painter}}
spec: {nodeName: node-2, containers: [{name: c, image: painter}]}
status: {phase: Running, conditions: [{type: Ready, status: "${ready ? 'True' : 'False'}", lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`;
}

const held = `apiVersion: v1
kind: Pod
metadata:
  name: setup-x
  namespace: vault
  uid: u1
  creationTimestamp: "2026-06-07T17:40:00Z"
  deletionTimestamp: "2026-06-07T18:02:30Z"
  deletionGracePeriodSeconds: 0
  finalizers: [batch.kubernetes.io/job-tracking]
  labels: {batch.kubernetes.io/job-name: setup}
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: setup, uid: j1, controller: true}]
spec: {nodeName: node-1, restartPolicy: Never, containers: [{name: c, image: setup}]}
status: {phase: Failed}
---
apiVersion: batch/v1
kind: JobList
metadata: {resourceVersion: "100"}
items: []
---
apiVersion: v1
kind: NodeList
metadata: {resourceVersion: "100"}
items:
- {apiVersion: v1, kind: Node, metadata: {name: node-2, uid: n2, creationTimestamp: "2026-01-01T00:00:00Z"}}
---
apiVersion: v1
kind: Namespace
metadata: {name: vault, uid: v1, creationTimestamp: "2026-01-01T00:00:00Z", labels: {team: safe}}
status: {phase: Active}
`;

const asked = 'why pod/setup-x -n vault';

/** `pkg/apis/core/validation`, v1.36, and what go-cmp printed before. */
const altered = {
  unified:
    'Pod "setup-x" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.tolerations` (only additions to existing tolerations)\n@@ -3,5 +3,7 @@\n  "HostAliases": null,\n- "Affinity": null,\n+ "Affinity": {\n+  "NodeAffinity": {}\n+ },\n',
  goCmp:
    'Pod "setup-x" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`\n  core.PodSpec{\n  \t... // 15 identical fields\n- \tAffinity: nil,\n+ \tAffinity: &core.Affinity{NodeAffinity: &core.NodeAffinity{}},\n',
};

async function answer(text: string): Promise<DiagnosisItem> {
  const { out, err } = await command(`${asked} -o json -f - --closed-world`, { stdin: text });
  const [item] = (JSON.parse(out) as Diagnosis).items;
  if (item === undefined) throw new Error(err);
  return item;
}

/** Answers each dry run of the files' objects. */
async function probe(text: string, given: DryRunAnswer): Promise<{ item: DiagnosisItem; text: string }> {
  const source = () =>
    Object.assign(sourceOf(['-'], { stdin: text, closedWorld: true }), {
      dryRun: () => Promise.resolve(given),
    });
  const { out } = await command(`${asked} --probe -o json`, { source: source() });
  const plain = await command(`${asked} --probe`, { source: source() });
  const [item] = (JSON.parse(out) as Diagnosis).items;
  if (item === undefined) throw new Error(plain.err);
  return { item, text: plain.out };
}

const event = (message: string): string => `---
apiVersion: v1
kind: Event
metadata: {name: setup-x.1, namespace: vault, uid: e1, creationTimestamp: "2026-06-07T19:00:00Z"}
involvedObject: {apiVersion: v1, kind: Pod, name: setup-x, namespace: vault, uid: u1}
type: Warning
reason: FailedUpdate
message: ${JSON.stringify(message)}
lastTimestamp: "2026-06-07T19:00:00Z"
`;

describe('a webhook that runs and is asked about updates of a held pod', () => {
  test('is named first, and to be tried by a dry run', async () => {
    const { summary, remedies } = await answer(held + webhook());
    expect(summary).toMatch(
      /removal of its finalizer, has to pass the mutating webhook paint\.example\.com/u,
    );
    expect(remedies[0]?.kubectl).toBe('kubectl gc-tree why pod/setup-x -n vault --probe');
    expect(remedies[1]?.title).toMatch(/MutatingWebhookConfiguration painter\) does to CREATE, or exempt/u);
    const removal = remedies.find(({ id }) => id.startsWith('remove-finalizer'));
    expect(removal?.title).toContain('the mutating webhook paint.example.com must let that pass, too');
  });

  test('leaves nothing for PodGC, which has deleted the pod by force', async () => {
    const { out } = await command(`${asked} -f - --closed-world`, { stdin: held + webhook() });
    expect(out).not.toMatch(/wait: PodGC|as it would be anyway/u);
  });

  test.each([
    ['its rules name creations alone', { rule: POD_UPDATES.replace(', UPDATE', '') }],
    [
      'its rules name a subresource alone',
      { rule: POD_UPDATES.replace('[pods]', '[pods/ephemeralcontainers]') },
    ],
    ['its rules are of cluster-scoped kinds', { rule: POD_UPDATES.replace('Namespaced', 'Cluster') }],
    ['it leaves out the namespace', { more: 'namespaceSelector: {matchLabels: {team: other}}' }],
    ['it chooses other objects', { more: 'objectSelector: {matchLabels: {paint: "yes"}}' }],
  ])('isn’t named if %s', async (_, setup: Webhook) => {
    const { summary, remedies } = await answer(held + webhook(setup));
    expect(summary).not.toContain('paint.example.com');
    expect(remedies[0]?.id).toBe('remove-finalizer/batch.kubernetes.io/job-tracking');
  });

  test('counts if its conditions cannot be judged', async () => {
    const more = 'matchConditions: [{name: a, expression: "object.spec.hostNetwork == false"}]';
    expect((await answer(held + webhook({ more }))).summary).toContain('paint.example.com');
  });

  test('is named for the namespace that waits for the pod, too', async () => {
    const going = held.replace(
      /uid: v1, (.*)\}\nstatus: .*/u,
      'uid: v1, $1, deletionTimestamp: "2026-06-07T18:02:00Z"}\nspec: {finalizers: [kubernetes]}\nstatus: {phase: Terminating}',
    );
    const { out } = await command('why ns/vault -o json -f - --closed-world', { stdin: going + webhook() });
    const [item] = (JSON.parse(out) as Diagnosis).items;
    expect(item?.summary).toMatch(/every update of Pod setup-x, .* mutating webhook paint\.example\.com/u);
    expect(item?.remedies[0]?.kubectl).toBe('kubectl gc-tree why pod/setup-x -n vault --probe');
  });

  test('stops every update if nothing answers for it', async () => {
    const { summary, remedies } = await answer(held + webhook({ ready: false }));
    expect(summary).toMatch(
      /refuses every update of it, and so the removal of its finalizer: .* has no ready pod behind it/u,
    );
    expect(remedies[0]?.title).toContain('restore the backend of Service tools/painter');
  });

  test('isn’t suspected while the deletion is young', async () => {
    const young = held.replace('2026-06-07T18:02:30Z', '2026-06-07T18:59:59Z');
    expect(
      (await answer(young + webhook() + event('fine').replaceAll('19:00:00', '19:00:01'))).summary,
    ).not.toContain('paint');
  });
});

describe('a policy about updates', () => {
  const policy = (demand: string): string => `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: owned, uid: q1, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  matchConstraints: {resourceRules: [${POD_UPDATES}]}
  validations: [{expression: "object.metadata.labels['batch.kubernetes.io/job-name'] == '${demand}'"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: owned-pods, uid: q2, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {policyName: owned, validationActions: [Deny]}
`;

  test('that denies the removal is named, and the forecast of the removal agrees', async () => {
    const { summary, remedies } = await answer(held + policy('other'));
    expect(summary).toMatch(/refuses every update of it, .* owned-pods has it denied \(policy owned\)/u);
    expect(remedies[0]?.title).toMatch(/^limit what the admission policy owned .* to CREATE/u);
    const removal = remedies.find(({ id }) => id.startsWith('remove-finalizer'));
    expect(removal?.effect).toMatch(/^the API server refuses it/u);
  });

  test('that allows the removal isn’t', async () => {
    expect((await answer(held + policy('setup'))).summary).not.toContain('policy');
  });
});

describe('a removal that was refused in a dry run', () => {
  test.each(Object.entries(altered))(
    'because of a change on the way is told in one line (%s)',
    async (_, message) => {
      const { item, text } = await probe(held + webhook(), { status: 422, body: { message } });
      const [first] = item.summary.split('. ');
      expect(first).toMatch(
        /the mutating webhook paint\.example\.com changes affinity in it, which the API server refuses: a pod's spec cannot be changed/u,
      );
      expect(item.remedies[0]?.title).toMatch(
        /^limit what the mutating webhook paint\.example\.com .* to CREATE, or exempt namespace vault/u,
      );
      expect(text).not.toMatch(
        /core\.|@@|identical fields|is deleted, as it would|setup-x is deleted\n|It is deleted/u,
      );
      expect(text.replaceAll(/\s+/gu, ' ')).toContain('setup-x stays until that removal is accepted');
      expect(text).toMatch(/refused because of the mutating webhook paint\.example\.com/u);
    },
  );

  test('by a validating webhook names it with its words', async () => {
    const message = 'admission webhook "paint.example.com" denied the request: no changes on Fridays';
    const { item } = await probe(held + webhook({ kind: 'ValidatingWebhookConfiguration' }), {
      status: 403,
      body: { message },
    });
    expect(item.summary).toMatch(
      /^kube-controller-manager would .* and webhook paint\.example\.com rejects it: no changes on Fridays\./u,
    );
    expect(item.remedies[0]?.title).toContain('ValidatingWebhookConfiguration painter');
  });

  test('because the object is invalid as it is doesn’t blame a webhook', async () => {
    const message = 'Pod "setup-x" is invalid: spec.containers[0].image: Required value';
    const { item } = await probe(held + webhook(), { status: 422, body: { message } });
    expect(item.summary).toMatch(
      /^kube-controller-manager would .* refuses every update of it as it is: spec\.containers\[0\]\.image: Required value/u,
    );
    expect(item.remedies[0]?.title).toMatch(/^fix what the API server finds invalid in Pod vault\/setup-x/u);
  });

  test('is no longer suspected after a dry run that was accepted', async () => {
    const { item } = await probe(held + webhook(), { status: 200, body: {} });
    expect(item.remedies[0]?.id).toBe('remove-finalizer/batch.kubernetes.io/job-tracking');
  });
});

describe('a removal whose refusal an event quotes', () => {
  test('names who changes what, and no Go', async () => {
    const text = held + webhook() + event(altered.goCmp);
    const { summary, remedies, next } = await answer(text);
    expect(summary).toMatch(
      /cannot be removed from it: the mutating webhook paint\.example\.com changes affinity in it, .* a pod's spec cannot be changed\.$/u,
    );
    expect(remedies[0]?.title).toMatch(/^limit what the mutating webhook paint\.example\.com/u);
    expect(next).toEqual(['setup-x stays until that update is accepted.']);
    const { out } = await command(`${asked} -f - --closed-world`, { stdin: text });
    expect(out).not.toMatch(/core\.|identical fields|setup-x is deleted\n|as it would be/u);
  });

  test('is about something else if it names another object, or a webhook that isn’t asked', async () => {
    for (const message of [
      altered.goCmp.replace('"setup-x"', '"other"'),
      'admission webhook "quota.example.com" denied the request: too many pods',
    ])
      expect((await answer(held + webhook() + event(message))).summary).not.toContain('cannot be removed');
  });
});
