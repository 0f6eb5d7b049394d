/** Facts read from protobuf equal those of the same object in JSON, and pods with one set of facts are alike. */
import { describe, expect, it } from 'vitest';
import { Cursor } from '../../../src/kube/wire/cursor.ts';
import { type FactsReader, TableReader } from '../../../src/kube/wire/facts-reader.ts';
import { PodFactsReader } from '../../../src/kube/wire/pod-facts-reader.ts';
import { Pool } from '../../../src/kube/wire/pool.ts';
import { type Facts, FactsTable } from '../../../src/model/facts/facts.ts';
import { factsJson } from '../../../src/model/facts/facts-json.ts';
import type { PodName } from '../../../src/model/facts/manager-flags.ts';
import { type JsonRecord, record } from '../../../src/model/json/json.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import { kindsWithFacts, typeOf } from '../../model/any-object.ts';
import { encodeJson, randomJson } from '../encode-facts.ts';

const manager = { namespace: 'kube-system', name: 'kube-controller-manager-1' };

function tableOf(kind: string): NonNullable<ReturnType<typeof FactsTable.of>> {
  const table = FactsTable.of(typeOf(kind));
  if (table === undefined) throw new Error(`no table of ${kind}`);
  return table;
}

function readBytes(reader: FactsReader, bytes: Uint8Array, of: PodName): Facts {
  const cursor = new Cursor(Buffer.from(bytes));
  reader.begin();
  for (let field = cursor.nextField(bytes.length); field !== 0; field = cursor.nextField(bytes.length))
    reader.read(field, cursor, bytes.length, of);
  return reader.finish();
}

/** Pods that an API server sends have a phase. */
function withPhase(json: JsonRecord): JsonRecord {
  const status = record(json['status']);
  return { ...json, status: { ...status, phase: status['phase'] || 'Pending' } };
}

const pool = new Pool();

describe('facts of an object in protobuf', () => {
  it.each(kindsWithFacts)('equal those of its JSON: %s', kind => {
    const table = tableOf(kind);
    const readers: FactsReader[] = [new TableReader(table, pool)];
    if (kind === 'Pod') readers.push(new PodFactsReader(pool));
    for (let seed = 1; seed <= 100; seed++) {
      const random = randomJson(table.fields, new Random(seed));
      const json = kind === 'Pod' ? withPhase(random) : random;
      const expected = factsJson.read(typeOf(kind), { ...json, metadata: manager });
      for (const reader of readers)
        expect(readBytes(reader, encodeJson(table.fields, json), manager), `seed ${seed}`).toEqual(expected);
    }
  });
});

describe('two pods', () => {
  const base = { spec: { nodeName: 'node-1', containers: [{}] }, status: { phase: 'Running' } };
  /** For each fact a pod in which it differs. */
  const others: Readonly<Record<keyof typeof FactsTable.ofPods.fields, JsonRecord>> = {
    phase: { ...base, status: { phase: 'Failed' } },
    reason: { ...base, status: { ...base.status, reason: 'Evicted' } },
    nodeName: { ...base, spec: { ...base.spec, nodeName: 'node-2' } },
    terminationGracePeriodSeconds: { ...base, spec: { ...base.spec, terminationGracePeriodSeconds: 30 } },
    containers: { ...base, spec: { ...base.spec, containers: [{}, {}] } },
    readyContainers: { ...base, status: { ...base.status, containerStatuses: [{ ready: true }] } },
    restarts: { ...base, status: { ...base.status, containerStatuses: [{ restartCount: 1 }] } },
    containerReason: {
      ...base,
      status: { ...base.status, containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] },
    },
    claims: {
      ...base,
      spec: { ...base.spec, volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] },
    },
    ephemeralVolumes: { ...base, spec: { ...base.spec, volumes: [{ name: 'scratch', ephemeral: {} }] } },
    nodeSelector: { ...base, spec: { ...base.spec, nodeSelector: { disk: 'ssd', zone: 'a' } } },
    hasEmptyDir: { ...base, spec: { ...base.spec, volumes: [{ name: 'scratch', emptyDir: {} }] } },
    schedulingGroup: { ...base, spec: { ...base.spec, schedulingGroup: { podGroupName: 'train' } } },
    tolerations: { ...base, spec: { ...base.spec, tolerations: [{ key: 'a', operator: 'Exists' }] } },
    managerFlags: { ...base, spec: { ...base.spec, containers: [{ command: ['--leader-elect=false'] }] } },
    conditions: { ...base, status: { ...base.status, conditions: [{ type: 'Ready', status: 'False' }] } },
  };

  it.each(Object.entries(others))('that differ in %s have facts of their own', (name, other) => {
    const reader = new PodFactsReader(pool);
    const [first, changed, again] = [base, other, base].map(json =>
      readBytes(reader, encodeJson(FactsTable.ofPods.fields, json), manager),
    );
    expect(again).toEqual(first);
    expect(changed).toEqual(factsJson.read(typeOf('Pod'), { ...other, metadata: manager }));
    const valueIn = (facts: Facts | undefined): unknown => record(facts)[name];
    expect(valueIn(changed)).not.toEqual(valueIn(first));
  });

  it("have flags only if they are kube-controller-manager's", () => {
    const bytes = encodeJson(FactsTable.ofPods.fields, others.managerFlags);
    const facts = readBytes(new PodFactsReader(pool), bytes, { namespace: 'shop', name: 'web' });
    expect(facts).toEqual(factsJson.read(typeOf('Pod'), others.managerFlags));
    expect(facts).toMatchObject({ managerFlags: [] });
  });

  it('that are alike share one set of facts', () => {
    const reader = new PodFactsReader(pool);
    const bytes = encodeJson(FactsTable.ofPods.fields, base);
    expect(readBytes(reader, bytes, { name: 'b' })).toBe(readBytes(reader, bytes, { name: 'a' }));
  });
});
