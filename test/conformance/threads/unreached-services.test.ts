/** Services whose pods are ready and that the API server cannot reach: behind an APIService, and behind webhooks. */
import { describe, expect, test } from 'vitest';
import type { Diagnosis, DiagnosisItem } from '../../../src/cli/documents/definitions.ts';
import { command } from '../../cli/console.ts';

const url = 'https://10.0.7.9:443/apis/gauges.example.com/v1';

const message = (error: string): string =>
  `failing or missing response from ${url}: Get \\"${url}\\": ${error}`;

interface Setup {
  readonly said?: string;
  readonly reason?: string;
  readonly ready?: boolean;
  readonly failure?: string;
}

function objects({
  said = message('context deadline exceeded'),
  reason = 'FailedDiscoveryCheck',
  ready = true,
  failure = 'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: gauges.example.com/v1: stale GroupVersion discovery: gauges.example.com/v1',
}: Setup): string {
  return `apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.gauges.example.com, uid: a1, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {group: gauges.example.com, version: v1, groupPriorityMinimum: 100, versionPriority: 100, service: {namespace: meters, name: gauges, port: 443}}
status: {conditions: [{type: Available, status: "False", reason: ${reason}, lastTransitionTime: "2026-06-01T00:00:00Z", message: "${said}"}]}
---
apiVersion: v1
kind: Service
metadata: {name: gauges, namespace: meters, uid: s1, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {selector: {app: gauges}, ports: [{port: 443, targetPort: 8443}]}
---
apiVersion: v1
kind: Pod
metadata: {name: gauges-1, namespace: meters, uid: p1, creationTimestamp: "2026-01-01T00:00:00Z", labels: {app: gauges}}
spec: {nodeName: n, containers: [{name: c, image: gauges}]}
status: {phase: Running, conditions: [{type: Ready, status: "${ready ? 'True' : 'False'}", lastTransitionTime: "2026-01-01T00:00:00Z"}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: yard, uid: n1, creationTimestamp: "2026-01-01T00:00:00Z", deletionTimestamp: "2026-06-07T00:00:00Z"}
spec: {finalizers: [kubernetes]}
status:
  phase: Terminating
  conditions:
  - {type: ${failure.startsWith('Discovery') ? 'NamespaceDeletionDiscoveryFailure' : 'NamespaceDeletionContentFailure'}, status: "True", reason: DiscoveryFailed, lastTransitionTime: "2026-06-07T00:00:10Z", message: "${failure}"}
`;
}

async function answer(target: string, setup: Setup = {}): Promise<DiagnosisItem> {
  const { out, err } = await command(`why ${target} -o json -f - --closed-world`, { stdin: objects(setup) });
  const [item] = (JSON.parse(out) as Diagnosis).items;
  if (item === undefined) throw new Error(err);
  return item;
}

describe('an API whose pods are ready', () => {
  test.each([
    ['context deadline exceeded', '10.0.7.9:443', 'context deadline exceeded'],
    ['dial tcp 10.0.7.9:443: connect: connection refused', '10.0.7.9:443', 'connection refused'],
    ['dial tcp 192.168.3.4:8443: i/o timeout', '192.168.3.4:8443', 'i/o timeout'],
    ['dial tcp [fd00::7]:8443: connect: no route to host', '[fd00::7]:8443', 'no route to host'],
    [
      'net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
      '10.0.7.9:443',
      'Client.Timeout exceeded',
    ],
  ])('isn’t reached: %s', async (error, address, words) => {
    for (const target of ['apiservice/v1.gauges.example.com', 'ns/yard']) {
      const { summary, remedies } = await answer(target, { said: message(error) });
      expect(summary).toContain(
        `its Service meters/gauges has ready pods, but the API server gets no answer from it at ${address} (${words})`,
      );
      expect(remedies[0]?.title).toMatch(
        /^let the API server reach .*firewall, a NetworkPolicy.*hostNetwork/u,
      );
      expect(remedies[0]?.title).toContain(address);
      expect(remedies.map(({ title }) => title).join()).not.toContain('bring back');
    }
  });

  test('that is not reached is a finding of its own', async () => {
    const { out } = await command('check -A -o wide -f - --closed-world', { stdin: objects({}) });
    expect(out).toMatch(/ApiServiceUnreachable.*10\.0\.7\.9:443/u);
    expect(out).toMatch(/NamespaceDiscoveryFailure.*10\.0\.7\.9:443/u);
  });

  test.each([
    ['certificate signed by unknown authority', 'no CA in the caBundle has issued'],
    ['certificate has expired or is not yet valid: current time … is after …', 'has expired'],
    ['certificate is valid for gauges.old.svc, not gauges.meters.svc', 'is for another name'],
  ])('isn’t trusted: %s', async (error, words) => {
    const said = message(`tls: failed to verify certificate: x509: ${error}`);
    for (const target of ['apiservice/v1.gauges.example.com', 'ns/yard']) {
      const { summary, remedies, chain } = await answer(target, { said });
      expect(summary).toContain(`answers with a certificate that ${words}`);
      expect(remedies[0]?.title).toMatch(/^renew the certificate of Service meters\/gauges/u);
      expect(chain.map(({ because }) => because).join()).not.toContain("doesn't answer");
    }
  });

  test.each([
    [
      'answers with an error',
      { said: `failing or missing response from ${url}: bad status from ${url}: 403` },
    ],
    [
      'has a certificate that is not trusted',
      { said: message('x509: certificate signed by unknown authority') },
    ],
    ['has no ready pod', { ready: false }],
    [
      'has no endpoint',
      { reason: 'MissingEndpoints', said: 'endpoints for service/gauges in meters have no addresses' },
    ],
  ])('or isn’t, and %s', async (_, setup: Setup) => {
    for (const target of ['apiservice/v1.gauges.example.com', 'ns/yard']) {
      const { summary, remedies } = await answer(target, setup);
      expect(summary).not.toMatch(/has ready pods|gets no answer/u);
      expect(remedies.map(({ title }) => title).join()).not.toContain('let the API server reach');
    }
  });
});

describe('a webhook whose pods are ready', () => {
  const failing = (error: string): string =>
    `Failed to delete all resource types, 1 remaining: Internal error occurred: failed calling webhook \\"gauge.example.com\\": failed to call webhook: Post \\"https://gauges.meters.svc:443/check?timeout=10s\\": ${error}`;

  test('isn’t to be brought back if the API server cannot reach it', async () => {
    const { summary, remedies } = await answer('ns/yard', {
      failure: failing('dial tcp 10.1.2.3:8443: i/o timeout'),
      reason: 'Passed',
    });
    expect(summary).toMatch(
      /webhook gauge\.example\.com, behind Service meters\/gauges, .* has ready pods, but the API server gets no answer from it at 10\.1\.2\.3:8443 \(i\/o timeout\)/u,
    );
    expect(remedies[0]?.title).toMatch(/^let the API server reach 10\.1\.2\.3:8443/u);
  });

  test('is to be brought back if they are not ready', async () => {
    const { remedies } = await answer('ns/yard', {
      failure: failing('context deadline exceeded'),
      ready: false,
      reason: 'Passed',
    });
    expect(remedies[0]?.title).toMatch(/^restore the backend of Service meters\/gauges/u);
  });
});
