import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/diagnosis/engine/finding.ts';
import { diagnose } from '../../subjects.ts';

interface Parts {
  readonly rules?: string;
  readonly more?: string;
  readonly objects?: string;
  /** Resources that cannot be listed. */
  readonly blind?: readonly string[];
}

const rule =
  '{operations: [DELETE], apiGroups: [apps], apiVersions: ["*"], resources: [deployments, "deployments/scale"]}';

/** Findings on a webhook whose Service is tools/keep; `webhooks` is at the top level, so objects are whole here. */
function found({ rules = rule, more = '', objects = '', blind = [] }: Parts = {}): readonly Finding[] {
  const yaml = `
- {kind: ValidatingWebhookConfiguration, name: keep, namespace: '', webhooks: [{name: keep.example.com, clientConfig: {service: {namespace: tools, name: keep}}, rules: [${rules}]${more}}]}
${objects}`;
  return diagnose(yaml, blind).filter(({ code }) => code === 'AdmissionWebhookUnreachable');
}

const service =
  '- {kind: Service, name: keep, uid: service, namespace: tools, spec: {selector: {app: keep}}}';
const pod = (ready: string, since: string): string =>
  `- {kind: Pod, name: keep-1, namespace: tools, labels: {app: keep}, status: {conditions: [{type: Ready, status: "${ready}", lastTransitionTime: "${since}"}]}}`;

describe('a webhook that must be called', () => {
  it('is unreachable without its Service, and says what is refused then', () => {
    const [finding] = found();
    expect(finding).toMatchObject({ severity: 'warning', certainty: 'exact' });
    expect(finding?.message).toBe(
      "ValidatingWebhookConfiguration keep has the API server refuse every DELETE of deployments.apps, because the Service tools/keep of its webhook keep.example.com doesn't exist, and its failurePolicy is Fail. Deletions that need such a request do not end.",
    );
    expect(finding?.remedies().map(({ id, risk }) => `${risk} ${id}`)).toEqual([
      'safe restore-webhook/tools/keep',
      'caution delete/validatingwebhookconfiguration/keep',
    ]);
  });

  it('is reachable while a pod behind its Service is ready, and while one may be starting', () => {
    const objects = (...list: readonly string[]): Parts => ({ objects: list.join('\n') });
    expect(found(objects(service, pod('True', '2026-11-21T11:00:00Z')))).toEqual([]);
    expect(found(objects(service, pod('False', '2026-11-21T11:59:00Z')))).toEqual([]);
    expect(found(objects(service, pod('False', '2026-11-21T11:50:00Z')))).toHaveLength(1);
    expect(found(objects(service))[0]?.brief).toContain('Service tools/keep has no pod behind it');
    // Endpoints of somebody else's.
    expect(found(objects(service.replace('{app: keep}', '{}')))).toEqual([]);
  });

  it('is reachable while an EndpointSlice of its Service has a ready endpoint, whoever wrote it', () => {
    const slice = (...endpoints: readonly string[]): string =>
      `- {kind: EndpointSlice, name: keep-x, namespace: tools, labels: {kubernetes.io/service-name: keep}, endpoints: [${endpoints.join()}]}`;
    const objects = (...list: readonly string[]): Parts => ({ objects: list.join('\n') });
    const ready = slice('{conditions: {ready: false}}, {conditions: {ready: true}}');
    expect(found(objects(service, ready))).toEqual([]);
    expect(found(objects(service, slice('{}')))).toEqual([]);
    expect(found(objects(service, ready.replace(': keep}', ': other}')))).toHaveLength(1);
    expect(found(objects(service, ready.replace('namespace: tools', 'namespace: shop')))).toHaveLength(1);
    expect(found(objects(service, ready, pod('False', '2026-11-21T11:50:00Z')))).toEqual([]);
    expect(found(objects(service, slice()))).toHaveLength(1);
    expect(found(objects(service, slice('{conditions: {ready: false}}')))).toHaveLength(1);
    // One of a pod counts while the pod is there, as of a Service with publishNotReadyAddresses.
    const ofPod = slice('{conditions: {ready: true}, targetRef: {kind: Pod, name: keep-1}}');
    expect(found(objects(service, ofPod, pod('False', '2026-11-21T11:50:00Z')))).toEqual([]);
    expect(found(objects(service, ofPod))).toHaveLength(1);
  });

  it('is reachable as far as is known behind an ExternalName', () => {
    expect(found({ objects: service.replace('selector', 'type: ExternalName, selector') })).toEqual([]);
  });

  it('may be reachable where no EndpointSlice can be seen', () => {
    const certainties = (objects: string, ...blind: readonly string[]): readonly string[] =>
      found({ objects, blind }).map(({ certainty }) => certainty);
    expect(certainties(service)).toEqual(['exact']);
    expect(certainties(service, 'endpointslices.discovery.k8s.io')).toEqual(['assumed']);
    expect(certainties('', 'endpointslices.discovery.k8s.io')).toEqual(['exact']);
  });

  it('is nobody’s trouble where no kind that is served falls under its rules', () => {
    expect(found({ rules: rule.replace('[apps]', '[gone.example.com]') })).toEqual([]);
    expect(
      found({
        rules: rule
          .replace('deployments,', '"deployments/status",')
          .replace('"deployments/scale"', '"deployments/x"'),
      }),
    ).toEqual([]);
    expect(found({ rules: rule.replace('resources', 'scope: Cluster, resources') })).toEqual([]);
    expect(found({ rules: rule.replace('[deployments, "deployments/scale"]', '["*/*"]') })).toHaveLength(1);
  });

  it('is an info where deletions need none of its requests', () => {
    expect(found({ rules: rule.replace('DELETE', 'CREATE') })[0]).toMatchObject({ severity: 'info' });
    expect(found({ rules: rule.replace('DELETE', '"*"') })[0]?.message).toContain('refuse every change of');
  });

  it('may choose what it is asked about', () => {
    expect(found({ more: ', objectSelector: {matchLabels: {a: b}}' })[0]?.message).toContain(
      'deployments.apps that its selectors choose',
    );
    expect(found({ more: ', namespaceSelector: {}' })[0]?.message).not.toContain('selectors');
  });
});
