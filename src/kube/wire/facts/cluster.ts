/**
 * Facts of nodes, namespaces, volumes and claims from protobuf.
 * Field numbers: k8s.io/api v0.36.3, core/v1/generated.proto.
 */
import type {
  Condition,
  NamespaceFacts,
  NodeFacts,
  Taint,
  VolumeClaimFacts,
  VolumeFacts,
} from '../../../model/facts/facts.ts';
import type { Cursor } from '../cursor.ts';
import type { Pool } from '../pool.ts';
import { coreCondition, type FactsReader, readCondition } from './parts.ts';

export class NodeFactsReader implements FactsReader {
  readonly #pool: Pool;
  #unschedulable = false;
  #taints: Taint[] = [];
  #conditions: Condition[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  clear(): void {
    this.#unschedulable = false;
    this.#taints = [];
    this.#conditions = [];
  }

  readSpec(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 4) this.#unschedulable = cursor.flag();
      else if (field === 5) this.#taints.push(this.#readTaint(cursor));
    }
    cursor.leave(end);
  }

  #readTaint(cursor: Cursor): Taint {
    const strings = this.#pool.strings;
    const end = cursor.enter();
    let key = '';
    let value = '';
    let effect = '';
    let timeAdded: number | undefined;
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) key = cursor.shared(strings);
      else if (field === 2) value = cursor.shared(strings);
      else if (field === 3) effect = cursor.shared(strings);
      else if (field === 4) timeAdded = cursor.time();
    }
    cursor.leave(end);
    return { key, value, effect, ...(timeAdded === undefined ? {} : { timeAdded }) };
  }

  readStatus(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end))
      if (field === 4) this.#conditions.push(readCondition(cursor, this.#pool, coreCondition));
    cursor.leave(end);
  }

  finish(): NodeFacts {
    const unschedulable = this.#unschedulable;
    const taints = this.#taints;
    const conditions = this.#conditions;
    return { kind: 'Node', unschedulable, taints, conditions };
  }
}

export class NamespaceFactsReader implements FactsReader {
  readonly #pool: Pool;
  #phase = '';
  #specFinalizers: string[] = [];
  #conditions: Condition[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  clear(): void {
    this.#phase = '';
    this.#specFinalizers = [];
    this.#conditions = [];
  }

  readSpec(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end))
      if (field === 1) this.#specFinalizers.push(cursor.shared(this.#pool.strings));
    cursor.leave(end);
  }

  readStatus(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) this.#phase = cursor.shared(this.#pool.strings);
      else if (field === 2) this.#conditions.push(readCondition(cursor, this.#pool, coreCondition));
    }
    cursor.leave(end);
  }

  finish(): NamespaceFacts {
    const phase = this.#phase;
    const specFinalizers = this.#specFinalizers;
    const conditions = this.#conditions;
    return { kind: 'Namespace', phase, specFinalizers, conditions };
  }
}

export class VolumeClaimFactsReader implements FactsReader {
  readonly #pool: Pool;
  #phase = '';
  #volumeName = '';
  #storageClassName = '';
  #conditions: Condition[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  clear(): void {
    this.#phase = '';
    this.#volumeName = '';
    this.#storageClassName = '';
    this.#conditions = [];
  }

  readSpec(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 3) this.#volumeName = cursor.text();
      else if (field === 5) this.#storageClassName = cursor.shared(this.#pool.strings);
    }
    cursor.leave(end);
  }

  readStatus(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) this.#phase = cursor.shared(this.#pool.strings);
      else if (field === 4) this.#conditions.push(readCondition(cursor, this.#pool, coreCondition));
    }
    cursor.leave(end);
  }

  finish(): VolumeClaimFacts {
    const phase = this.#phase;
    const volumeName = this.#volumeName;
    const storageClassName = this.#storageClassName;
    const conditions = this.#conditions;
    return { kind: 'PersistentVolumeClaim', phase, volumeName, storageClassName, conditions };
  }
}

export class VolumeFactsReader implements FactsReader {
  readonly #pool: Pool;
  #phase = '';
  #claimNamespace = '';
  #claimName = '';
  #claimUid = '';
  #reclaimPolicy = '';
  #storageClassName = '';
  #csiDriver = '';

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  clear(): void {
    this.#phase = '';
    this.#claimNamespace = '';
    this.#claimName = '';
    this.#claimUid = '';
    this.#reclaimPolicy = '';
    this.#storageClassName = '';
    this.#csiDriver = '';
  }

  readSpec(cursor: Cursor): void {
    const strings = this.#pool.strings;
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 2) this.#readVolumeSource(cursor);
      else if (field === 4) this.#readClaim(cursor);
      else if (field === 5) this.#reclaimPolicy = cursor.shared(strings);
      else if (field === 6) this.#storageClassName = cursor.shared(strings);
    }
    cursor.leave(end);
  }

  #readVolumeSource(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field !== 22) continue;
      const csiEnd = cursor.enter();
      for (let inner = cursor.nextField(csiEnd); inner !== 0; inner = cursor.nextField(csiEnd))
        if (inner === 1) this.#csiDriver = cursor.shared(this.#pool.strings);
      cursor.leave(csiEnd);
    }
    cursor.leave(end);
  }

  #readClaim(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 2) this.#claimNamespace = cursor.shared(this.#pool.strings);
      else if (field === 3) this.#claimName = cursor.text();
      else if (field === 4) this.#claimUid = cursor.text();
    }
    cursor.leave(end);
  }

  readStatus(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end))
      if (field === 1) this.#phase = cursor.shared(this.#pool.strings);
    cursor.leave(end);
  }

  finish(): VolumeFacts {
    return {
      kind: 'PersistentVolume',
      phase: this.#phase,
      claimNamespace: this.#claimNamespace,
      claimName: this.#claimName,
      claimUid: this.#claimUid,
      reclaimPolicy: this.#reclaimPolicy,
      storageClassName: this.#storageClassName,
      csiDriver: this.#csiDriver,
    };
  }
}
