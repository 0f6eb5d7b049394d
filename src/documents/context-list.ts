/** The ContextList document (docs/documents.md): one question to several clusters, with an answer for each. */
import { API_VERSION } from './basis.ts';
import type { FindingListDocument } from './findings/finding-list.ts';
import type { PodGcCandidateListDocument } from './podgc.ts';

export interface FailedContext {
  readonly context: string;
  /** One line, sanitised and without credentials. */
  readonly message: string;
}

export interface ContextListDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'ContextList';
  readonly counts: { readonly total: number; readonly failed: number };
  readonly items: readonly ContextEntry[];
}

export interface ContextEntry {
  readonly context: string;
  readonly document?: FindingListDocument | PodGcCandidateListDocument | undefined;
  readonly error?: { readonly message: string };
}

export function contextListDocument(items: readonly ContextEntry[]): ContextListDocument {
  const failed = items.filter(({ error }) => error !== undefined).length;
  return { apiVersion: API_VERSION, kind: 'ContextList', counts: { total: items.length, failed }, items };
}
