/**
 * Facts of roles and bindings, which have lists instead of a spec. Field numbers: generated.proto of k8s.io/api
 * v0.36.3, rbac/v1.
 */
import type { ChangeRule, RoleBindingFacts, RoleFacts } from '../../../model/facts/facts.ts';
import { accountNamed, permitsChanges } from '../../../model/facts/permissions.ts';
import type { Cursor } from '../cursor.ts';
import type { Pool } from '../pool.ts';
import type { FactsReader } from './parts.ts';

export class RoleReader implements FactsReader {
  readonly #pool: Pool;
  #changes: ChangeRule[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  clear(): void {
    this.#changes = [];
  }

  readSpec(cursor: Cursor): void {
    const { strings } = this.#pool;
    const rule = { groups: [] as string[], resources: [] as string[], names: [] as string[] };
    let changes = false;
    cursor.fields(field => {
      if (field === 1) changes = permitsChanges(cursor.shared(strings)) || changes;
      else if (field === 2) rule.groups.push(cursor.shared(strings));
      else if (field === 3) rule.resources.push(cursor.shared(strings));
      else if (field === 4) rule.names.push(cursor.text());
    });
    if (changes) this.#changes.push(rule);
  }

  readStatus(): void {}

  finish(): RoleFacts {
    return { kind: 'Role', changes: this.#changes };
  }
}

export class RoleBindingReader implements FactsReader {
  readonly #pool: Pool;
  #accounts: string[] = [];
  #roleKind = '';
  #roleName = '';

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  clear(): void {
    this.#accounts = [];
    this.#roleKind = '';
    this.#roleName = '';
  }

  readSpec(cursor: Cursor): void {
    const subject = { kind: '', namespace: '', name: '' };
    cursor.fields(field => {
      if (field === 1) subject.kind = cursor.shared(this.#pool.strings);
      else if (field === 3) subject.name = cursor.text();
      else if (field === 4) subject.namespace = cursor.text();
    });
    this.#accounts.push(...accountNamed(subject));
  }

  /** Reads the role, in the field where other kinds have their status. */
  readStatus(cursor: Cursor): void {
    const { strings } = this.#pool;
    cursor.fields(field => {
      if (field === 2) this.#roleKind = cursor.shared(strings);
      else if (field === 3) this.#roleName = cursor.shared(strings);
    });
  }

  finish(): RoleBindingFacts {
    return {
      kind: 'RoleBinding',
      roleKind: this.#roleKind,
      roleName: this.#roleName,
      accounts: this.#accounts,
    };
  }
}
