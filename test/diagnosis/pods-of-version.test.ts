import { describe, expect, it } from 'vitest';
import { diagnoseCluster } from '../../src/diagnosis/diagnose-cluster.ts';
import type { Finding } from '../../src/diagnosis/engine/finding.ts';
import { now, viewOf } from '../cli/documents/cluster.ts';

/** The finding on `db-1` as a server of this version gives cause for it. */
function findingOf(serverVersion: string | undefined, yaml: string): Finding {
  const view = viewOf(yaml);
  view.settings = { ...view.settings, serverVersion };
  const [finding] = diagnoseCluster(view, now).all();
  if (finding === undefined) throw new Error('no finding');
  return finding;
}

const pod = (more: string): string => `
- {kind: Pod, name: db-1, spec: {nodeName: node-4, containers: [{name: main}]}, status: {phase: Running}${more}}
`;
const taint = 'spec: {taints: [{key: node.kubernetes.io/out-of-service, effect: NoExecute}]}';
const silent = (spec: string): string => `
- {kind: Node, name: node-4, ${spec}, status: {conditions: [{type: Ready, status: Unknown}]}}
${pod(', deletionTimestamp: "2026-11-21T11:59:30Z", deletionGracePeriodSeconds: 30')}`;

describe('a pod on a node that is not ready and tainted out of service', () => {
  it.each(['v1.22.17', 'v1.24.17', 'v1.25.16'])('is not promised to PodGC by a %s server', version => {
    const { severity, message, remedies } = findingOf(version, silent(taint));
    expect(severity).toBe('warning');
    expect(message).toMatch(/so whether they still run is unknown\.$/u);
    expect(remedies().map(({ id }) => id)).toEqual(['recover-node/node-4', 'redelete/background-now']);
  });

  it('is told why the taint does nothing there', () => {
    expect(findingOf('v1.22.17', silent(taint)).evidence).toContain(
      "the node is tainted out of service, which PodGC of Kubernetes 1.22 doesn't know yet",
    );
    expect(findingOf('v1.25.16', silent(taint)).evidence).toContain(
      'the node is tainted out of service, which PodGC of Kubernetes 1.25 honors only if the feature gate NodeOutOfServiceVolumeDetach is on',
    );
  });

  it('is promised to PodGC by a v1.26 server', () => {
    const { severity, message, certainty } = findingOf('v1.26.0', silent(taint));
    expect(message).toContain('PodGC deletes it by force within 20 s');
    expect({ severity, certainty }).toEqual({ severity: 'info', certainty: 'exact' });
  });

  it('is assumed to be taken where the version is not known', () => {
    const { message, certainty, evidence } = findingOf(undefined, silent(taint));
    expect(message).toContain('PodGC deletes it by force within 20 s');
    expect(certainty).toBe('assumed');
    expect(evidence).toContain("PodGC has done that since Kubernetes 1.26; that of this server isn't known");
  });
});

describe('a pod on a node that is not ready', () => {
  it.each([
    ['v1.25.16', false],
    ['v1.26.0', true],
  ])('is offered the taint as a remedy by a %s server: %s', (version, isOffered) => {
    const ids = findingOf(version, silent('spec: {}'))
      .remedies()
      .map(({ id }) => id);
    expect(ids.includes('taint-out-of-service/node-4')).toBe(isOffered);
  });
});

describe('a pod on a node that is gone', () => {
  it.each([
    ['v1.16.15', 'up to 20 s after the node was deleted'],
    ['v1.17.0', '40 to 80 s after the node was deleted'],
  ])('is deleted by a %s server %s', (version, when) => {
    expect(findingOf(version, pod('')).message).toContain(`PodGC deletes it by force ${when}`);
  });
});
