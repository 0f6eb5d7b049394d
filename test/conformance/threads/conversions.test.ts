/** Definitions and namespaces that wait for instances which the API server cannot list, because nothing converts them. */
import { describe, expect, test } from 'vitest';
import type { Diagnosis, DiagnosisItem, Plan } from '../../../src/cli/documents/definitions.ts';
import { command } from '../../cli/console.ts';

interface Setup {
  readonly kind?: string;
  /** The error of the API server behind `Kind=…`. */
  readonly error?: string;
  /** Where the Service of the webhook was. */
  readonly tools?: string;
  readonly deleting?: boolean;
  readonly more?: string;
}

function objects({
  kind = 'crane-arm',
  error,
  tools = 'harbour',
  deleting = true,
  more = '',
}: Setup): string {
  const failure = `conversion webhook for port.example.com/v2, Kind=${kind} ${
    error ??
    `failed: Post \\"https://arm-hook.${tools}.svc:9443/convert?timeout=30s\\": service \\"arm-hook\\" not found`
  }`;
  const plural = `${kind.toLowerCase()}s`;
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.port.example.com, uid: d1, creationTimestamp: "2026-05-01T08:00:00Z", deletionTimestamp: "2026-05-02T08:00:00Z", finalizers: [customresourcecleanup.apiextensions.k8s.io]}
spec:
  group: port.example.com
  scope: Namespaced
  names: {kind: ${kind}, plural: ${plural}}
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: ${tools}, name: arm-hook, path: /convert, port: 9443}}}}
  versions: [{name: v1, served: true, storage: true}, {name: v2, served: true, storage: false}]
status:
  conditions:
  - {type: Established, status: "True", reason: InitialNamesAccepted, lastTransitionTime: "2026-05-01T08:00:00Z"}
  - {type: Terminating, status: "True", reason: InstanceDeletionFailed, lastTransitionTime: "2026-05-02T08:00:00Z", message: "could not list instances: ${failure}"}
---
apiVersion: v1
kind: Namespace
metadata: {name: harbour, uid: n1, creationTimestamp: "2026-05-01T08:00:00Z"${deleting ? ', deletionTimestamp: "2026-05-02T08:00:02Z"' : ''}}
spec: {finalizers: [kubernetes]}
${
  deleting
    ? `status:
  phase: Terminating
  conditions:
  - {type: NamespaceDeletionContentFailure, status: "True", reason: ContentDeletionFailed, lastTransitionTime: "2026-05-02T08:00:08Z", message: "Failed to delete all resource types, 1 remaining: ${failure}"}`
    : 'status: {phase: Active}'
}
---
apiVersion: v1
kind: ServiceList
metadata: {resourceVersion: "1000"}
items: []
${more}`;
}

async function said(words: string, setup: Setup): Promise<string> {
  const { out, err, exitCode } = await command(`${words} -f - --closed-world`, { stdin: objects(setup) });
  expect(exitCode, err).toBeLessThan(2);
  return out;
}

async function answer(target: string, setup: Setup = {}): Promise<DiagnosisItem> {
  const [item] = (JSON.parse(await said(`why ${target} -o json`, setup)) as Diagnosis).items;
  if (item === undefined) throw new Error(`no answer about ${target}`);
  return item;
}

const definition = 'crd/crane-arms.port.example.com';
const patch = `--type=merge -p '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'`;

describe('a conversion webhook whose Service was deleted with its namespace', () => {
  test('is named with its Service, for the definition and for the namespace', async () => {
    for (const target of [definition, 'ns/harbour']) {
      const { summary } = await answer(target);
      expect(summary).toContain('conversion webhook of crane-arm (port.example.com/v2)');
      expect(summary).toContain('behind Service harbour/arm-hook');
      expect(summary).toContain('service "arm-hook" not found');
    }
  });

  test('is first got rid of by a patch that works, as nothing can be created in that namespace', async () => {
    for (const target of [definition, 'ns/harbour']) {
      const { remedies } = await answer(target);
      expect(remedies[0]?.title).toContain('to None');
      expect(remedies[0]?.kubectl).toBe(
        `kubectl patch customresourcedefinition crane-arms.port.example.com ${patch}`,
      );
    }
  });

  test('holds both in every scope, for the same reason', async () => {
    for (const scope of ['', ' -A', ' -n harbour', ' -n default']) {
      const { deleted, terminating } = JSON.parse(await said(`plan${scope} -o json`, {})) as Plan;
      expect(deleted, scope).toEqual([]);
      const held = terminating.find(({ object }) => object.kind === 'CustomResourceDefinition');
      expect(held?.waitingFor.join(), scope).toMatch(
        /its instances, which the API server cannot list: .* behind Service harbour\/arm-hook/u,
      );
    }
    for (const words of [
      `why ${definition}`,
      'why ns/harbour',
      'plan',
      'plan -n harbour',
      'check -A -o wide',
    ])
      expect(await said(words, {})).not.toMatch(/is deleted by|no instance is left|nothing is left in it/u);
  });
});

describe('what is nearly the same', () => {
  test('a Service in a namespace that stays is to be brought back first', async () => {
    const { remedies } = await answer(definition, { tools: 'tools', deleting: false });
    expect(remedies[0]?.title).toContain('restore the backend of Service tools/arm-hook');
    expect(remedies[1]?.kubectl).toContain(patch);
  });

  test('a webhook that answers with an error in any language is quoted', async () => {
    const error = 'failed: Größe „12 m“ läßt sich nicht umrechnen';
    for (const target of [definition, 'ns/harbour']) {
      const { summary } = await answer(target, { error });
      expect(summary).toContain('conversion webhook of crane-arm (port.example.com/v2) fails: Größe „12 m“');
    }
  });

  test('an answer that the API server doesn’t accept is quoted', async () => {
    const error = 'returned invalid converted object at index 0: must have the same name: a != b';
    const { summary } = await answer('crd/cranearms.port.example.com', { kind: 'CraneArm', error });
    expect(summary).toContain('must have the same name: a != b');
  });

  test('a definition that says nothing yet is held by the same webhook', async () => {
    const stdin = objects({})
      .replace('InstanceDeletionFailed', 'InstanceDeletionInProgress')
      .replace(/could not list instances: [^\n]*/u, 'CustomResource deletion is in progress"}');
    const { out } = await command(`why ${definition} -o json -f - --closed-world`, { stdin });
    const [item] = (JSON.parse(out) as Diagnosis).items;
    expect(item?.summary).toContain('Service harbour/arm-hook');
  });

  test('a definition whose instances can be listed waits for them', async () => {
    const stdin = objects({ deleting: false, more: instance }).replaceAll(
      /\n.*InstanceDeletionFailed.*\n/gu,
      '\n',
    );
    const { out } = await command(`why ${definition} -f - --closed-world`, { stdin });
    expect(out).not.toContain('conversion webhook');
  });
});

const instance = `---
apiVersion: port.example.com/v1
kind: crane-arm
metadata: {name: north, namespace: default, uid: i1, creationTimestamp: "2026-05-01T08:00:00Z", deletionTimestamp: "2026-05-02T08:00:00Z", finalizers: [port.example.com/park]}
`;
