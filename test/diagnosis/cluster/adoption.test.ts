import { describe, expect, it } from 'vitest';
import { type AfterAdoption, adoptionsOf, afterAdoption } from '../../../src/diagnosis/cluster/adoption.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { trackedViewOf } from '../subjects.ts';

const stray = (more = '', status = '{phase: Running}'): string => `
- {kind: Pod, name: stray, labels: {app: web}, spec: {nodeName: node-1, containers: [{name: main}]}, status: ${status}${more}}
`;
const controller = (kind: string, name: string, more = '', spec = ''): string => `
- {kind: ${kind}, name: ${name}, uid: ${name}, spec: {replicas: 1, selector: {matchLabels: {app: web}}${spec}}${more}}
`;
const owned = (kind: string, name: string, pod: string, more = ''): string => `
- {kind: Pod, name: ${pod}, labels: {app: web}, owners: [${kind} ${name} ${name} +c +b], spec: {nodeName: node-1, containers: [{name: main}]}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}${more}}
`;

interface Adopted {
  readonly by: readonly string[];
  readonly certainty: string;
  readonly after: AfterAdoption | undefined;
}

/** Who adopts the object of this name, and what the first of them does then. */
function adopted(yaml: string, name = 'stray', blind: readonly string[] = []): Adopted {
  const tracked = trackedViewOf(yaml, blind);
  let object: KubeObject | undefined;
  for (const node of tracked.view.graph.nodes()) if (node.object?.name === name) object = node.object;
  if (object === undefined) throw new Error(`no ${name}`);
  const { by, certainty } = adoptionsOf(tracked, object);
  const [first] = by;
  return {
    by: by.map(each => each.name),
    certainty,
    after: first && afterAdoption(tracked, first, object),
  };
}

describe('who adopts a pod that nobody controls', () => {
  it('is each controller that selects it, in order of their names', () => {
    const yaml = stray() + controller('ReplicaSet', 'rs') + controller('DaemonSet', 'agent');
    expect(adopted(yaml).by).toEqual(['agent', 'rs']);
  });

  it('is nobody while it is being deleted, is controlled, or its controller is going', () => {
    const set = controller('ReplicaSet', 'rs');
    expect(adopted(stray(', deletionTimestamp: "2026-11-21T11:59:00Z"') + set).by).toEqual([]);
    expect(adopted(stray(', owners: [apps/v1 ReplicaSet gone gone +c]') + set).by).toEqual([]);
    const going = controller('ReplicaSet', 'rs', ', deletionTimestamp: "2026-11-21T11:59:00Z"');
    expect(adopted(stray() + going).by).toEqual([]);
  });

  it('is nobody whose selector is empty, which the API server refuses', () => {
    const empty = (kind: string, apiVersion: string, selector: string): string => `
- {kind: ${kind}, apiVersion: ${apiVersion}, name: any, uid: any, spec: {replicas: 1, selector: ${selector}}}
`;
    for (const kind of ['ReplicaSet', 'StatefulSet', 'DaemonSet'])
      expect(adopted(stray() + empty(kind, 'apps/v1', '{}')).by).toEqual([]);
    expect(adopted(stray() + empty('ReplicationController', 'v1', '{}')).by).toEqual([]);
  });

  it('is no StatefulSet of another name, and no controller in another namespace', () => {
    expect(adopted(stray() + controller('StatefulSet', 'web')).by).toEqual([]);
    expect(adopted(stray() + controller('ReplicaSet', 'rs', ', namespace: other')).by).toEqual([]);
  });

  it('is no ReplicaSet for a pod that has finished, and no Job that has', () => {
    expect(adopted(stray('', '{phase: Failed}') + controller('ReplicaSet', 'rs')).by).toEqual([]);
    const finished = ', status: {conditions: [{type: Complete, status: "True"}]}';
    expect(adopted(stray() + controller('Job', 'import', finished)).by).toEqual([]);
    expect(adopted(stray() + controller('Job', 'import')).by).toEqual(['import']);
  });

  it('is not certain where controllers cannot be listed', () => {
    expect(adopted(stray()).certainty).toBe('exact');
    expect(adopted(stray(), 'stray', ['daemonsets.apps']).certainty).toBe('assumed');
  });
});

describe('what becomes of an adopted pod', () => {
  it('is a place in a ReplicaSet that wants one more', () => {
    expect(adopted(stray() + controller('ReplicaSet', 'rs')).after?.fate).toBe('kept');
  });

  it('is deletion where a full ReplicaSet has a pod that is ready, and it is not', () => {
    const yaml = stray() + controller('ReplicaSet', 'rs') + owned('apps/v1 ReplicaSet', 'rs', 'rs-1');
    expect(adopted(yaml).after).toEqual({
      fate: 'deleted',
      words: 'it deletes it: ReplicaSet rs wants 1, and there are 2 then',
    });
  });

  it('is open among pods that are alike', () => {
    const ready = '{phase: Running, conditions: [{type: Ready, status: "True"}]}';
    const yaml =
      stray('', ready) + controller('ReplicaSet', 'rs') + owned('apps/v1 ReplicaSet', 'rs', 'rs-1');
    expect(adopted(yaml).after?.fate).toBe('one-of-several');
  });

  it('is the place of one that is worse', () => {
    const ready = '{phase: Running, conditions: [{type: Ready, status: "True"}]}';
    const pending = owned('apps/v1 ReplicaSet', 'rs', 'rs-1').replace('"True"', '"False"');
    expect(adopted(stray('', ready) + controller('ReplicaSet', 'rs') + pending).after).toEqual({
      fate: 'kept',
      others: true,
      words: 'it keeps it and deletes Pod rs-1: ReplicaSet rs wants 1, and there are 2 then',
    });
  });

  it('is deletion where a DaemonSet has an older one on the node', () => {
    const older = owned(
      'apps/v1 DaemonSet',
      'agent',
      'agent-1',
      ', creationTimestamp: "2026-11-21T10:00:00Z"',
    );
    expect(adopted(stray() + controller('DaemonSet', 'agent') + older).after?.fate).toBe('deleted');
    expect(adopted(stray() + controller('DaemonSet', 'agent')).after?.fate).toBe('kept');
  });

  it('hangs on the pod template for a ReplicaSet and its Deployment', () => {
    const replicaSet = `
- {kind: ReplicaSet, name: stray, labels: {app: web}, spec: {replicas: 1, selector: {matchLabels: {app: web}}}}
`;
    const { by, after } = adopted(replicaSet + controller('Deployment', 'web'));
    expect(by).toEqual(['web']);
    expect(after?.fate).toBe('scaled');
  });
});
