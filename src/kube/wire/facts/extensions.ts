/**
 * Facts of CustomResourceDefinitions and APIServices from protobuf. A definition's schema, nearly all of its
 * bytes, is skipped unread. Field numbers: k8s.io/apiextensions-apiserver v0.36.3,
 * pkg/apis/apiextensions/v1/generated.proto; k8s.io/kube-aggregator v0.36.3, pkg/apis/apiregistration/v1/….
 */
import type { ApiServiceFacts, Condition, CrdFacts } from '../../../model/facts/facts.ts';
import type { Cursor } from '../cursor.ts';
import type { Pool } from '../pool.ts';
import { type FactsReader, plainCondition, readCondition } from './parts.ts';

type CrdVersion = CrdFacts['versions'][number];

export class CrdFactsReader implements FactsReader {
  readonly #pool: Pool;
  #group = '';
  #definedKind = '';
  #plural = '';
  #singular = '';
  #shortNames: string[] = [];
  #categories: string[] = [];
  #scope = '';
  #versions: CrdVersion[] = [];
  #conditions: Condition[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  clear(): void {
    this.#group = '';
    this.#definedKind = '';
    this.#plural = '';
    this.#singular = '';
    this.#shortNames = [];
    this.#categories = [];
    this.#scope = '';
    this.#versions = [];
    this.#conditions = [];
  }

  readSpec(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) this.#group = cursor.shared(this.#pool.strings);
      else if (field === 3) this.#readNames(cursor);
      else if (field === 4) this.#scope = cursor.shared(this.#pool.strings);
      else if (field === 7) this.#versions.push(this.#readVersion(cursor));
    }
    cursor.leave(end);
  }

  #readNames(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) this.#plural = cursor.text();
      else if (field === 2) this.#singular = cursor.text();
      else if (field === 3) this.#shortNames.push(cursor.text());
      else if (field === 4) this.#definedKind = cursor.text();
      else if (field === 6) this.#categories.push(cursor.shared(this.#pool.strings));
    }
    cursor.leave(end);
  }

  #readVersion(cursor: Cursor): CrdVersion {
    const end = cursor.enter();
    let name = '';
    let served = false;
    let storage = false;
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) name = cursor.shared(this.#pool.strings);
      else if (field === 2) served = cursor.flag();
      else if (field === 3) storage = cursor.flag();
    }
    cursor.leave(end);
    return { name, served, storage };
  }

  readStatus(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end))
      if (field === 1) this.#conditions.push(readCondition(cursor, this.#pool, plainCondition));
    cursor.leave(end);
  }

  finish(): CrdFacts {
    return {
      kind: 'CustomResourceDefinition',
      group: this.#group,
      definedKind: this.#definedKind,
      plural: this.#plural,
      singular: this.#singular,
      shortNames: this.#shortNames,
      categories: this.#categories,
      namespaced: this.#scope === 'Namespaced',
      versions: this.#versions,
      conditions: this.#conditions,
    };
  }
}

export class ApiServiceFactsReader implements FactsReader {
  readonly #pool: Pool;
  #group = '';
  #version = '';
  #service = '';
  #conditions: Condition[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  clear(): void {
    this.#group = '';
    this.#version = '';
    this.#service = '';
    this.#conditions = [];
  }

  readSpec(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) this.#readService(cursor);
      else if (field === 2) this.#group = cursor.shared(this.#pool.strings);
      else if (field === 3) this.#version = cursor.shared(this.#pool.strings);
    }
    cursor.leave(end);
  }

  #readService(cursor: Cursor): void {
    const end = cursor.enter();
    let namespace = '';
    let name = '';
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) namespace = cursor.text();
      else if (field === 2) name = cursor.text();
    }
    cursor.leave(end);
    this.#service = name === '' ? '' : `${namespace}/${name}`;
  }

  readStatus(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end))
      if (field === 1) this.#conditions.push(readCondition(cursor, this.#pool, plainCondition));
    cursor.leave(end);
  }

  finish(): ApiServiceFacts {
    const group = this.#group;
    const version = this.#version;
    const service = this.#service;
    const conditions = this.#conditions;
    return { kind: 'APIService', group, version, service, conditions };
  }
}
