import { describe, expect, it } from 'vitest';
import type { OwnerReference } from '../../../src/model/object.ts';
import {
  admitOwnerReferences,
  type OwnerReferenceChange,
  type PermissionLookup,
  type PermissionQuestion,
} from '../../../src/simulation/admission/owner-reference-permissions.ts';
import { object, refTo, type, types } from '../../graph/fixtures.ts';

const daemonSet = type({ group: 'apps', kind: 'DaemonSet', resource: 'daemonsets' });
const controller = object({ uid: 'rc', type: types.controller });
const daemon = object({ uid: 'ds', type: daemonSet });
const node = object({ uid: 'n', type: types.node });
const known = [types.controller, daemonSet, types.node];

type Block = boolean | undefined;
const ref = (owner: typeof controller, blockOwnerDeletion?: Block): OwnerReference =>
  refTo(owner, { blockOwnerDeletion });

/** What each user may not do; everything else is allowed. */
const forbidden: Record<string, (question: PermissionQuestion) => boolean> = {
  super: () => false,
  'non-deleter': ({ verb }) => verb === 'delete',
  'non-pod-deleter': ({ verb, resource }) => verb === 'delete' && resource === 'pods',
  'non-rc': ({ subresource, resource }) =>
    subresource === 'finalizers' && (resource === 'replicationcontrollers' || resource === '*'),
  'non-node': ({ subresource, resource }) =>
    subresource === 'finalizers' && (resource === 'nodes' || resource === '*'),
};

interface Case {
  readonly user: string;
  readonly owners: readonly OwnerReference[];
  readonly old?: readonly OwnerReference[];
  readonly change?: Partial<OwnerReferenceChange>;
  readonly mappings?: PermissionLookup['mappings'];
}

function admitted({ user, owners, old, change, mappings }: Case): boolean {
  const lookup: PermissionLookup = {
    allowed: question => forbidden[user]?.(question) === false,
    mappings:
      mappings ??
      ((apiVersion, kind) => known.filter(each => each.apiVersion === apiVersion && each.kind === kind)),
  };
  const pod = { type: types.pod, subresource: '', namespace: 'ns1', name: 'p', owners, oldOwners: old };
  return admitOwnerReferences({ ...pod, ...change }, lookup).allowed;
}

describe('M13: permission to change owner references', () => {
  it('is not needed to create an object with references', () => {
    expect(admitted({ user: 'non-deleter', owners: [ref(controller)] })).toBe(true);
  });

  it('is delete on the object for every change of references', () => {
    const old = [ref(controller)];
    const owners = [ref(daemon)];
    expect(admitted({ user: 'non-deleter', owners, old })).toBe(false);
    expect(admitted({ user: 'non-pod-deleter', owners, old })).toBe(false);
    expect(admitted({ user: 'non-pod-deleter', owners, old, change: { type: types.secret } })).toBe(true);
    expect(admitted({ user: 'non-deleter', owners: [], old })).toBe(false);
    expect(admitted({ user: 'super', owners, old })).toBe(true);
  });

  it('is not needed when the references stay as they are', () => {
    expect(admitted({ user: 'non-deleter', owners: [ref(controller)], old: [ref(controller)] })).toBe(true);
    expect(admitted({ user: 'non-deleter', owners: [], old: [] })).toBe(true);
  });

  it('is not asked for on the status of pods', () => {
    const change = { subresource: 'status' };
    expect(admitted({ user: 'non-pod-deleter', owners: [ref(daemon)], old: [], change })).toBe(true);
  });

  it('is the owner’s finalizers for a reference that blocks from the start', () => {
    expect(admitted({ user: 'non-rc', owners: [ref(controller, true), ref(daemon)] })).toBe(false);
    expect(admitted({ user: 'non-rc', owners: [ref(controller, false), ref(controller)] })).toBe(true);
    expect(admitted({ user: 'non-rc', owners: [ref(daemon, true)] })).toBe(true);
    expect(admitted({ user: 'non-node', owners: [ref(node, true)] })).toBe(false);
  });

  it.each([
    ['false to true', false, true, false],
    ['nothing to true', undefined, true, false],
    ['true to false', true, false, true],
    ['true to nothing', true, undefined, true],
    ['true to true beside another change', true, true, true],
  ] as const)('is the owner’s finalizers for an update from %s', (_, from, to, expected) => {
    const old = [ref(controller, from), ref(daemon)];
    const owners = [ref(controller, to), ref(daemon, false)];
    expect(admitted({ user: 'non-rc', owners, old })).toBe(expected);
  });

  it('is the owner’s finalizers for a blocking reference that an update adds', () => {
    const owners = [ref(controller, true)];
    expect(admitted({ user: 'non-rc', owners, old: [] })).toBe(false);
    expect(admitted({ user: 'non-rc', owners: [ref(controller)], old: [] })).toBe(true);
    expect(admitted({ user: 'non-node', owners, old: [] })).toBe(true);
  });

  it('asks about a namespaced owner in the dependent’s namespace and about a cluster-scoped one in none', () => {
    const questions: PermissionQuestion[] = [];
    const lookup: PermissionLookup = {
      allowed: question => {
        questions.push(question);
        return question.resource !== '*';
      },
      mappings: (_, kind) => known.filter(each => each.kind === kind),
    };
    const owners = [ref(controller, true), ref(node, true)];
    const pod = { type: types.pod, subresource: '', namespace: 'ns1', name: 'p', oldOwners: undefined };
    expect(admitOwnerReferences({ ...pod, owners }, lookup)).toEqual({ allowed: true });
    expect(questions.slice(1).map(({ resource, namespace, name }) => [resource, namespace, name])).toEqual([
      ['replicationcontrollers', 'ns1', 'rc'],
      ['nodes', '', 'n'],
    ]);
  });

  it('refuses a blocking reference to a kind that the mapper does not know', () => {
    const widget = object({ uid: 'w', type: types.widget });
    expect(admitted({ user: 'non-rc', owners: [ref(widget, true)] })).toBe(false);
  });

  it('never asks the mapper for those who may set finalizers on everything', () => {
    const mappings = (): never => {
      throw new Error('the mapper hangs');
    };
    expect(admitted({ user: 'super', owners: [ref(controller, true)], mappings })).toBe(true);
    expect(() => admitted({ user: 'non-rc', owners: [ref(controller, true)], mappings })).toThrow('hangs');
  });
});
