import { describe, expect, it } from 'vitest';
import { Diagnosis } from '../../../src/diagnosis/engine/diagnosis.ts';
import type { Finding } from '../../../src/diagnosis/engine/finding.ts';
import type { Uid } from '../../../src/model/object.ts';
import { groupResource } from '../../../src/model/types/resource-type.ts';
import { now, viewOf } from '../../documents/cluster.ts';

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
  const types = view.catalog.types.filter(type => type.preferred && unseen.includes(groupResource(type)));
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
  const found = new Diagnosis(view, now).of('web' as Uid);
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
