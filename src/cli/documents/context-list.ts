/** The ContextList document (docs/documents.md): one question to several clusters, with an answer for each. */
import { API_VERSION } from './basis.ts';
import type { ContextEntry, ContextList } from './definitions.ts';

export interface FailedContext {
  readonly context: string;
  /** One line, sanitised and without credentials. */
  readonly message: string;
}

export function contextListDocument(items: readonly ContextEntry[]): ContextList {
  const failed = items.filter(({ error }) => error !== undefined).length;
  return { apiVersion: API_VERSION, kind: 'ContextList', counts: { total: items.length, failed }, items };
}
