/** Objects that a soak invents beside those of the API server, in the encodings that are asked for. */
import { PbfWriter } from 'pbf';
import { encodeObject, type FakeObject } from '../kube/encode.ts';

export interface InventedKind {
  readonly kind: string;
  readonly apiVersion: string;
  /** Up to the plural: `/apis/apps/v1`. */
  readonly root: string;
  readonly resource: string;
}

export const POD: InventedKind = { kind: 'Pod', apiVersion: 'v1', root: '/api/v1', resource: 'pods' };
export const REPLICA_SET: InventedKind = {
  kind: 'ReplicaSet',
  apiVersion: 'apps/v1',
  root: '/apis/apps/v1',
  resource: 'replicasets',
};
export const DEPLOYMENT: InventedKind = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  root: '/apis/apps/v1',
  resource: 'deployments',
};
export const CONFIG_MAP: InventedKind = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  root: '/api/v1',
  resource: 'configmaps',
};
/** Of a CustomResourceDefinition that stays. */
export const WIDGET: InventedKind = {
  kind: 'Widget',
  apiVersion: 'soak.example.com/v1',
  root: '/apis/soak.example.com/v1',
  resource: 'widgets',
};

export const inventedKinds: readonly InventedKind[] = [POD, REPLICA_SET, DEPLOYMENT, CONFIG_MAP, WIDGET];

export interface InventedObject extends FakeObject {
  readonly type: InventedKind;
  /** Of a Pod. */
  readonly phase?: string;
  readonly nodeName?: string;
  /** Of a workload: wanted and ready. */
  readonly replicas?: number;
  readonly ready?: number;
}

export type Depth = 'full' | 'metadata';

/** As it stands in a list. Field numbers: k8s.io/api v0.36.3, {core,apps}/v1/generated.proto. */
export function encodeInvented(object: InventedObject, depth: Depth): Uint8Array {
  const head = encodeObject(object);
  if (depth === 'metadata') return head;
  const { phase = '', nodeName = '', replicas = 0, ready = 0 } = object;
  switch (object.type) {
    case POD:
      return Buffer.concat([
        head,
        part(2, spec => spec.writeStringField(10, nodeName)),
        part(3, status => status.writeStringField(1, phase)),
      ]);
    case REPLICA_SET:
      return Buffer.concat([
        head,
        part(2, numbers({ 1: replicas })),
        part(3, numbers({ 1: replicas, 4: ready, 5: ready })),
      ]);
    case DEPLOYMENT:
      return Buffer.concat([
        head,
        part(2, numbers({ 1: replicas })),
        part(3, numbers({ 2: replicas, 3: replicas, 4: ready, 7: ready })),
      ]);
    default:
      return head;
  }
}

function numbers(fields: Readonly<Record<number, number>>): (pbf: PbfWriter) => void {
  return pbf => {
    for (const [field, value] of Object.entries(fields)) pbf.writeVarintField(Number(field), value);
  };
}

function part(field: number, write: (pbf: PbfWriter) => void): Uint8Array {
  const pbf = new PbfWriter();
  pbf.writeMessage(field, (_: undefined, inner) => write(inner), undefined);
  return pbf.finish();
}
