/** Each relation has a user in `relations.yaml` that is found by it, with the words for it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import rows from '../../../src/diagnosis/uses/relations.json' with { type: 'json' };
import { type Relation, relationsTo } from '../../../src/diagnosis/uses/relations.ts';
import { type FoundUse, Users } from '../../../src/diagnosis/uses/users.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { viewOf } from '../../cli/documents/cluster.ts';
import { meanings, shows } from '../../conformance/uses/shown.ts';
import { builtIn } from '../../simulation/fixtures.ts';

type Manifest = JsonRecord & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: JsonRecord;
};

const cases = Object.entries(
  parse(readFileSync(join(import.meta.dirname, 'relations.yaml'), 'utf8')) as Readonly<
    Record<string, readonly Manifest[]>
  >,
);

/** Kinds that only definitions serve. */
const custom: readonly ResourceType[] = [
  'gateway.networking.k8s.io/v1 HTTPRoute GRPCRoute TLSRoute TCPRoute UDPRoute Gateway GatewayClass',
  'certificates.k8s.io/v1beta1 ClusterTrustBundle',
  'autoscaling.k8s.io/v1 VerticalPodAutoscaler',
  'keda.sh/v1alpha1 ScaledObject',
  'snapshot.storage.k8s.io/v1 VolumeSnapshot VolumeSnapshotClass VolumeSnapshotContent',
].flatMap(line => {
  const [apiVersion = '', ...kinds] = line.split(' ');
  const [group = '', version = ''] = apiVersion.split('/');
  return kinds.map(kind => {
    const resource = `${kind.toLowerCase()}s`;
    const names = {
      kind,
      resource,
      singular: kind.toLowerCase(),
      namespaced: !/Class$|Bundle$|Content$/u.test(kind),
    };
    return { ...builtIn('ConfigMap'), ...names, group, version, apiVersion, shortNames: [] };
  });
});
const types = [...builtInTypes, ...custom];

/** Policies that bindings name. */
const policies = [
  ['strict', 'Fail'],
  ['lenient', 'Ignore'],
].map(([name, failurePolicy]) => ({
  metadata: { name },
  spec: { failurePolicy, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
}));

/** Finds the user of an object called `used`, in the namespace `shop`. */
async function usesOf(kind: string, { metadata, ...manifest }: Manifest): Promise<readonly FoundUse[]> {
  const [name = ''] = kind.split('/').toReversed();
  const isNamed = (type: ResourceType): boolean =>
    type.apiVersion === manifest.apiVersion && type.kind === manifest.kind;
  const type = types.find(isNamed);
  if (type === undefined) throw new Error(`${manifest.apiVersion} ${manifest.kind} is unknown`);
  const wide = types.find(each => each.kind === name)?.namespaced === false ? ", namespace: ''" : '';
  const objects = [
    `- {kind: ${name}, name: used, labels: {app: used}${wide}}`,
    ...[manifest.kind, 'ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy'].map(
      each => `- {kind: ${each}, name: ${each.toLowerCase()}}`,
    ),
  ];
  const view = viewOf(objects.join('\n'), types);
  const namespace = type.namespaced ? 'shop' : '';
  const json = { ...manifest, metadata: { name: 'user', uid: 'user', namespace, ...metadata } };
  const users = new Users(view, {
    read: () => Promise.reject(new Error('reads one by one')),
    list: listed => {
      const others = listed.type.kind.endsWith('AdmissionPolicy') ? policies : [];
      return Promise.resolve({ state: 'read', items: isNamed(listed.type) ? [json] : others });
    },
  });
  const used = [...view.graph.nodes()]
    .flatMap(({ object }) => object ?? [])
    .filter(each => each.name === 'used');
  return (await users.of(used)).uses;
}

describe('a relation', () => {
  it.each(cases)('%s', async (sentence, manifests) => {
    const [kind = ''] = sentence.split(' | ');
    for (const manifest of manifests) {
      const found = (await usesOf(kind, manifest)).map(
        ({ how, over, relation: { when, then } }) =>
          `${[kind, when, how, then].join(' | ')}${over ? ' (over)' : ''}`,
      );
      expect(found, JSON.stringify(manifest)).toContain(sentence);
    }
  });

  it('is never without a user here', async () => {
    const seen = new Set<unknown>();
    for (const [sentence, manifests] of cases)
      for (const manifest of manifests)
        for (const { relation, over } of await usesOf(sentence.split(' | ')[0] ?? '', manifest))
          if (!over) seen.add(JSON.stringify(relation));
    // Subjects that are no objects cannot be deleted.
    const objects = rows.filter(({ uses }) => !uses.endsWith('/User'));
    const kinds = objects.flatMap(({ uses, kinds = [] }) => [uses, ...kinds]);
    const all = [...new Set(kinds.flatMap(relationsTo))];
    // Those of pods count once, whatever has the template.
    const unseen = all.filter(each => !seen.has(JSON.stringify(each)));
    const isSeenElsewhere = (at: string): boolean =>
      [...seen].some(each =>
        String(each).includes(
          `template.spec.${at.replace(/^(?:spec\.(?:jobTemplate\.spec\.)?template\.)?spec\./u, '')}"`,
        ),
      );
    expect(unseen.filter(({ at }) => !isSeenElsewhere(at))).toEqual([]);
  });

  // Each user above is created on a real control plane (`every-relation.test.ts`).
  it('is shown there as its clause says, or a component that does not run there decides', () => {
    const clauses = (rows as readonly Relation[]).flatMap(({ then, renewed, fewer, lost }) => [
      then,
      renewed,
      fewer,
      lost?.then,
    ]);
    expect(Object.keys(shows).sort()).toEqual([...new Set(clauses.flatMap(each => each ?? []))].sort());
    for (const [clause, show] of Object.entries(shows)) {
      if (typeof show === 'function') continue;
      const [elsewhere] = /^[a-z-]+\.test\.ts/u.exec(show) ?? [];
      const folder = join(import.meta.dirname, '..', '..', 'cluster', 'forecast', 'uses');
      if (elsewhere !== undefined) expect(existsSync(join(folder, elsewhere))).toBe(true);
      else expect(/\bmay\b/u.test(clause) || meanings.has(clause), clause).toBe(true);
    }
    for (const clause of meanings) expect(typeof shows[clause]).toBe('string');
  });

  // No provisioner of such volumes runs there.
  it('is over for a bound claim of a VolumeAttributesClass', async () => {
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: { volumeAttributesClassName: 'used' },
      status: { phase: 'Bound' },
    };
    const found = await usesOf('storage.k8s.io/VolumeAttributesClass', claim);
    expect(found.map(({ over }) => over)).toEqual([true]);
  });

  it('finds a binding that selects every parameter', async () => {
    const paramRef = { selector: {}, parameterNotFoundAction: 'Deny' };
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const binding = {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      spec: { policyName: 'strict', paramRef },
    };
    expect(await usesOf('ConfigMap', binding)).toHaveLength(1);
  });
});
