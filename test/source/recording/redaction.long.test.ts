import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Diagnosis } from '../../../src/diagnosis/engine/diagnosis.ts';
import { publicNames } from '../../../src/diagnosis/finalizers/catalogue.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { objectJson } from '../../../src/model/object-json.ts';
import { readScenarios } from '../../../src/source/demo/scenarios.ts';
import { HEADER_BYTES, readHeader, unpackBlock } from '../../../src/source/recording/recording-format.ts';
import { Redactor } from '../../../src/source/recording/redaction.ts';
import { ReplaySource } from '../../../src/source/recording/replay-source.ts';
import { RecordingWriter } from '../../../src/source/recording/writer.ts';
import { findingFiles } from '../../conformance/findings/files.ts';
import { viewOf } from '../../conformance/findings/judge-simulated.ts';
import { graphTypes } from '../../conformance/fuzz/random-graphs.ts';
import { playSimulated } from '../../conformance/simulate.ts';
import { widgets } from '../../kube/follow.ts';
import { fileOf, made } from './recorded.ts';

const redactor = (): Redactor => new Redactor({ key: randomBytes(32), keep: publicNames() });

const scenarios = [...(await readScenarios()), ...findingFiles().flatMap(each => each.scenarios)];

function batchOf(view: ClusterView): SourceBatch {
  const changes = [...view.graph.nodes()].flatMap(({ object }) =>
    object === undefined ? [] : [{ op: 'upsert' as const, object }],
  );
  const { catalog, statuses } = view;
  return { changes, types: catalog.types, failedGroups: [], statuses: [...statuses.values()] };
}

function customResource(json: JsonRecord): KubeObject {
  return objectJson.read(widgets, json) ?? expect.unreachable('no object');
}

/** A recording of it, with names or without. */
function recordingOf(batch: SourceBatch, now: number, by?: Redactor): string {
  const parts: Buffer[] = [];
  const head = {
    tool: '1.2.3',
    startedAt: now,
    context: 'acme-prod',
    namespace: 'acme',
    serverVersion: 'v1.36.3',
    namespaces: undefined,
  };
  const writer = new RecordingWriter(bytes => parts.push(bytes), by?.head(head) ?? head);
  by?.learn(batch);
  writer.add(by?.batch(batch) ?? batch, now);
  writer.end(now);
  return fileOf(Buffer.concat(parts));
}

async function judged(file: string): Promise<{ readonly view: ClusterView; readonly diagnosis: Diagnosis }> {
  const source = new ReplaySource({ file });
  const view = new ClusterView();
  view.settings = { ...view.settings, serverVersion: source.info.serverVersion };
  await source.start(batch => view.apply(batch, 0));
  await source.close();
  return { view, diagnosis: diagnoseCluster(view, source.info.takenAt ?? 0) };
}

/** Everything that is written in the file. */
function textOf(file: string): string {
  const bytes = readFileSync(file);
  let text = '';
  for (let at = 16; at < bytes.length; ) {
    const header = readHeader(bytes.subarray(at, at + HEADER_BYTES));
    if (header === undefined || header === 'blank') throw new Error('no block');
    text += unpackBlock(header, bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + header.packed));
    at += HEADER_BYTES + header.packed;
  }
  return text;
}

describe('a recording with pseudonyms', () => {
  test.each(scenarios)('has the same graph and findings: $title', async scenario => {
    const { world } = await playSimulated(scenario, { prefix: 's0', customTypes: graphTypes });
    const batch = batchOf(viewOf(world.cluster));
    const by = redactor();
    const now = world.now + 3_600_000;
    const [plain, hidden] = [
      await judged(recordingOf(batch, now)),
      await judged(recordingOf(batch, now, by)),
    ];
    const findings = ({ diagnosis }: typeof plain, name: (text: string) => string): readonly string[] =>
      [...diagnosis.all()]
        .map(
          ({ code, severity, object, certainty, related }) =>
            `${code} ${severity} ${certainty} ${object.kind} ${name(object.uid)} ${related
              .map(each => name(each.uid))
              .sort()
              .join()}`,
        )
        .sort();
    expect(findings(hidden, text => text)).toEqual(findings(plain, text => by.name(text)));
    const edges = ({ view }: typeof plain, name: (text: string) => string): readonly string[] =>
      [...view.graph.nodes()]
        .flatMap(({ uid, dependents }) => [...dependents].map(each => `${name(uid)} ${name(each.uid)}`))
        .sort();
    expect(edges(hidden, text => text)).toEqual(edges(plain, text => by.name(text)));
  });

  test('has no name of an object, of a namespace, of the context, and no value of a label in the file', async () => {
    for (const scenario of scenarios) {
      const { world } = await playSimulated(scenario, { prefix: 's0', customTypes: graphTypes });
      const batch = batchOf(viewOf(world.cluster));
      const by = redactor();
      const text = textOf(recordingOf(batch, world.now, by));
      const names = batch.changes.flatMap(change => (change.op === 'upsert' ? namesOf(change.object) : []));
      const found = [...new Set(['acme-prod', 'acme', ...names])].filter(
        name =>
          !isPublic(name, batch, by) &&
          new RegExp(`(?<![A-Za-z0-9])${escaped(name)}(?![A-Za-z0-9])`, 'u').test(text),
      );
      expect(found, scenario.title).toEqual([]);
    }
  });

  test('has no name that stands in the facts of an object', () => {
    const metadata = { name: 'acme', namespace: 'acme', uid: 'acme' };
    const template = { metadata: { labels: { app: 'acme' } }, spec: { serviceAccountName: 'acme' } };
    const clientConfig = { service: { namespace: 'acme', name: 'acme' } };
    const condition = { type: 'Ready', status: 'False', reason: 'Wrong', message: 'acme is wrong' };
    const objects = [
      made('Pod', {
        metadata: { ...metadata, annotations: { 'meta.helm.sh/release-name': 'acme' } },
        spec: {
          nodeName: 'acme',
          volumes: [
            { name: 'v', persistentVolumeClaim: { claimName: 'acme' } },
            { name: 'acme', ephemeral: {} },
          ],
          tolerations: [{ key: 'k', operator: 'Equal', value: 'acme', effect: 'NoExecute' }],
        },
        status: { conditions: [condition] },
      }),
      made('Node', { metadata, spec: { taints: [{ key: 'k', value: 'acme', effect: 'NoExecute' }] } }),
      made('StatefulSet', {
        metadata,
        spec: {
          selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['acme'] }] },
          template,
          volumeClaimTemplates: [{ metadata: { name: 'acme' } }],
        },
      }),
      made('PersistentVolumeClaim', { metadata, spec: { volumeName: 'acme', storageClassName: 'acme' } }),
      made('PersistentVolume', {
        metadata,
        spec: { claimRef: { namespace: 'acme', name: 'acme', uid: 'acme' }, storageClassName: 'acme' },
      }),
      made('Service', { metadata, spec: { selector: { app: 'acme' } } }),
      made('ValidatingWebhookConfiguration', {
        metadata,
        webhooks: [
          {
            name: 'acme',
            clientConfig,
            rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
            objectSelector: { matchLabels: { app: 'acme' } },
            matchConditions: [{ name: 'acme', expression: "object.metadata.name == 'acme'" }],
          },
        ],
      }),
      made('RoleBinding', {
        metadata,
        roleRef: { kind: 'Role', name: 'acme' },
        subjects: [{ kind: 'ServiceAccount', namespace: 'acme', name: 'acme' }],
      }),
      made('Role', {
        metadata,
        rules: [{ verbs: ['*'], apiGroups: [''], resources: ['pods'], resourceNames: ['acme'] }],
      }),
      made('ValidatingAdmissionPolicyBinding', { metadata, spec: { policyName: 'acme' } }),
      made('ValidatingAdmissionPolicy', {
        metadata,
        spec: { validations: [{ expression: 'object.metadata.name != "acme"' }] },
      }),
      made('Lease', { metadata, spec: { holderIdentity: 'acme_1' } }),
      made('HorizontalPodAutoscaler', {
        metadata,
        spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'acme' } },
      }),
      made('VolumeAttachment', { metadata, spec: { source: { persistentVolumeName: 'acme' } } }),
      made('Namespace', { metadata, status: { conditions: [condition] } }),
      customResource({ metadata, status: { phase: 'acme fails' } }),
    ];
    for (const object of objects) {
      const changes = [{ op: 'upsert' as const, object }];
      expect(textOf(recordingOf({ changes }, 0)), object.type.kind).toContain('acme');
      expect(textOf(recordingOf({ changes }, 0, redactor())), object.type.kind).not.toContain('acme');
    }
  });

  test('cannot be compared with another recording of the same cluster', () => {
    expect(redactor().name('web-0')).not.toBe(redactor().name('web-0'));
    const by = redactor();
    expect(by.name('data-web-0')).toBe(`${by.name('data')}-${by.name('web')}-0`);
  });

  test('says no reason of an API server, which may name a user', () => {
    const by = redactor();
    const reason = 'User "jane" cannot list';
    expect(
      JSON.stringify(by.batch({ changes: [], failedGroups: [{ resource: '*.x', reason }] })),
    ).not.toContain('jane');
    expect(
      JSON.stringify(
        by.batch({ changes: [], connection: { state: 'lost', since: 0, reason: 'dial jane.example.com' } }),
      ),
    ).not.toContain('jane');
  });
});

function namesOf({ type, name, namespace, uid, labels }: KubeObject): readonly string[] {
  const isDefinition = type.kind === 'CustomResourceDefinition' || type.kind === 'APIService';
  return [...(isDefinition ? [] : [name]), namespace, uid, ...labels.filter((_, index) => index % 2 === 1)];
}

/** What docs/offline.md says stays readable: words of every cluster and of known controllers, numbers, kinds. */
function isPublic(name: string, { types = [] }: SourceBatch, by: Redactor): boolean {
  return (
    name === '' ||
    by.name(name) === name ||
    types.some(({ kind, resource, group, shortNames }) =>
      [kind, resource, group, ...shortNames].includes(name),
    )
  );
}

/** Node 22 has no `RegExp.escape`. */
function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
}
