import { describe, expect, it } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Finding } from '../../../src/diagnosis/engine/finding.ts';
import type { Uid } from '../../../src/model/object.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';

const replicaSet =
  '- {kind: ReplicaSet, name: web, creationTimestamp: "2026-11-20T12:00:00Z", owners: ["apps/v1 Deployment web gone +c +b"]}';
const definition = (versions = '{name: v1, served: true, storage: true}'): string =>
  `- {kind: CustomResourceDefinition, name: foos.example.io, namespace: '', spec: {group: example.io, scope: Namespaced, names: {kind: Foo, plural: foos}, conversion: {strategy: Webhook, webhook: {clientConfig: {service: {namespace: tools, name: convert}}}}, versions: [${versions}]}}`;

interface Options {
  readonly serverVersion?: string;
  readonly unseen?: readonly string[];
  /** The kind of the definition is served, and was listed. */
  readonly listed?: boolean;
}

function overdue(yaml: string, { serverVersion, unseen = [], listed = false }: Options = {}): Finding {
  const view = viewOf(yaml);
  view.settings = { ...view.settings, serverVersion };
  const types = view.catalog.types.filter(
    type => type.preferred && unseen.includes(ResourceType.groupResource(type)),
  );
  view.apply(
    { changes: [], statuses: types.map(type => ({ type, state: 'blind', count: 0, facts: false })) },
    0,
  );
  if (listed) {
    const [like] = view.catalog.types;
    if (like === undefined) throw new Error('no type');
    const type = { ...like, group: 'example.io', apiVersion: 'example.io/v1', kind: 'Foo', resource: 'foos' };
    const statuses = [{ type, state: 'synced', count: 1, facts: true } as const];
    view.apply({ changes: [], types: [...view.catalog.types, type], statuses }, 0);
  }
  const found = diagnoseCluster(view, now).of('web' as Uid);
  const [finding] = found.filter(({ code }) => code === 'CollectionOverdue');
  if (finding === undefined) throw new Error('nothing is overdue');
  return finding;
}

describe('what is overdue while a conversion webhook is dead', () => {
  const yaml = [replicaSet, definition()].join('\n');

  it('is so because the collector cannot list that kind, which comes first in what can be done', () => {
    const finding = overdue(yaml, { serverVersion: 'v1.29.4' });
    expect(finding.message).toBe(
      "ReplicaSet shop/web should be gone, and is still to be deleted because the collector seems unable to list foos.example.io: the Service tools/convert of its conversion webhook doesn't exist; its owner Deployment web doesn't exist.",
    );
    expect(finding.brief).toContain('the collector cannot list foos.example.io');
    expect(finding.related.map(({ name }) => name)).toContain('foos.example.io');
    expect(finding.remedies()[0]).toMatchObject({ id: 'restore-conversion/foos.example.io', risk: 'safe' });
  });

  it('says which releases that stops where the version is not known', () => {
    expect(overdue(yaml).message).toContain(
      'seems unable to list foos.example.io, which stops it altogether in Kubernetes before 1.32: the Service',
    );
  });

  it('has another reason where the collector goes on without that kind', () => {
    for (const serverVersion of ['v1.32.0', 'v1.36.3', 'v2.0.0'])
      expect(overdue(yaml, { serverVersion }).message).not.toContain('foos.example.io');
  });

  it('has another reason while something answers', () => {
    const service = '- {kind: Service, name: convert, namespace: tools, spec: {selector: {app: convert}}}';
    const pod = (ready: string): string =>
      `- {kind: Pod, name: convert-1, namespace: tools, labels: {app: convert}, status: {conditions: [{type: Ready, status: "${ready}", lastTransitionTime: "2026-11-21T11:00:00Z"}]}}`;
    expect(overdue([yaml, service, pod('True')].join('\n')).message).not.toContain('foos.example.io');
    expect(overdue([yaml, service, pod('False')].join('\n')).message).toContain(
      'Service tools/convert of its conversion webhook has no ready pod behind it',
    );
    expect(overdue([yaml, service].join('\n')).message).toContain('has no pod behind it');
  });

  it('has another reason where that kind was listed', () => {
    expect(overdue(yaml, { listed: true }).message).not.toContain('foos.example.io');
  });

  it('is only perhaps so where the Service cannot be seen', () => {
    const { message } = overdue(yaml, { unseen: ['services'] });
    expect(message).toContain(
      'perhaps because the collector cannot list foos.example.io, which stops it altogether in Kubernetes before 1.32: the Service tools/convert of its conversion webhook cannot be seen',
    );
  });
});

const lease = (renewed: string, holder = 'cp-1_5f2c'): string =>
  `- {kind: Lease, name: kube-controller-manager, namespace: kube-system, spec: {holderIdentity: "${holder}", leaseDurationSeconds: 15, acquireTime: "2026-11-21T08:00:00Z", renewTime: "${renewed}"}}`;
const manager = (node: string, ...flags: readonly string[]): string =>
  `- {kind: Pod, name: kube-controller-manager-${node}, namespace: kube-system, spec: {containers: [{name: m, command: [kube-controller-manager${flags.map(flag => `, "${flag}"`).join('')}]}]}}`;

describe('what is overdue while nobody renews the lease of kube-controller-manager', () => {
  it('is so because that seems not to run', () => {
    const finding = overdue([replicaSet, lease('2026-11-21T11:30:00Z')].join('\n'));
    expect(finding.message).toBe(
      "ReplicaSet shop/web should be gone, and is still to be deleted because kube-controller-manager seems not to run: its lease is not renewed; its owner Deployment web doesn't exist.",
    );
    expect(finding.evidence).toContain(
      'Lease kube-system/kube-controller-manager: spec.renewTime: 2026-11-21T11:30:00Z',
    );
    expect(finding.remedies()[0]?.id).toBe('start-manager');
    expect(overdue([replicaSet, lease('2026-11-21T11:59:00Z', '')].join('\n')).message).toContain(
      'its lease has no holder',
    );
  });

  it('has another reason while somebody does, and where managers run without election', () => {
    const without = manager('cp-1', '--leader-elect=false');
    for (const yaml of [lease('2026-11-21T11:59:30Z'), `${lease('2026-11-21T11:30:00Z')}\n${without}`])
      expect(overdue([replicaSet, yaml].join('\n')).message).not.toContain('lease');
  });

  it('is judged again as soon as the lease has not been renewed for long', () => {
    const view = viewOf([replicaSet, lease('2026-11-21T11:59:30Z')].join('\n'));
    const diagnosis = diagnoseCluster(view, now);
    const message = (): string | undefined => diagnosis.of('web' as Uid)[0]?.message;
    expect(message()).not.toContain('lease');
    diagnosis.advance(now + 31_000);
    expect(message()).toContain('its lease is not renewed');
  });

  it('is told in files by the leases that others renew, for they were written over minutes', () => {
    const judged = (yaml: string): string | undefined => {
      const view = viewOf([replicaSet, lease('2026-11-21T11:30:00Z'), yaml].join('\n'));
      view.settings = { ...view.settings, standsStill: true };
      return diagnoseCluster(view, now).of('web' as Uid)[0]?.message;
    };
    const node = (renewed: string): string =>
      `- {kind: Lease, name: node-1, namespace: kube-node-lease, spec: {holderIdentity: node-1, leaseDurationSeconds: 40, acquireTime: "2026-11-21T08:00:00Z", renewTime: "${renewed}"}}`;
    expect(judged(node('2026-11-21T11:30:20Z'))).not.toContain('lease');
    expect(judged(node('2026-11-21T11:33:00Z'))).toContain('its lease is not renewed');
  });
});

describe('what is overdue where kube-controller-manager was started with', () => {
  const said = (...yaml: readonly string[]): string => overdue([replicaSet, ...yaml].join('\n')).message;

  it.each([
    ['--controllers=*,-garbagecollector'],
    ['--controllers=*,-garbage-collector-controller'],
    ['--controllers=podgc,namespace'],
    ['--enable-garbage-collector=false'],
    ['--concurrent-gc-syncs=0'],
  ])('%s is so because of that', flag => {
    expect(said(manager('cp-1', '--leader-elect=true', flag))).toContain(
      `because the collector is switched off: kube-controller-manager runs with ${flag};`,
    );
  });

  it.each([
    ['--controllers=*,bootstrapsigner,tokencleaner'],
    ['--controllers=-*,garbagecollector'],
    ['--enable-garbage-collector'],
    ['--concurrent-gc-syncs=20'],
  ])('%s has another reason', flag => {
    expect(said(manager('cp-1', flag))).not.toContain('switched off');
  });

  it('such a flag on one of several replicas has another reason unless that one leads', () => {
    const off = manager('cp-1', '--controllers=*,-garbagecollector');
    const on = manager('cp-2', '--controllers=*');
    expect(said(off, on)).not.toContain('switched off');
    expect(said(off, on, lease('2026-11-21T11:59:58Z', 'cp-1_a'))).toContain('switched off');
    expect(said(off, on, lease('2026-11-21T11:59:58Z', 'cp-2_a'))).not.toContain('switched off');
  });
});
