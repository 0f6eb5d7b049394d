import type { AssumedEffect } from '../../forecast/index.ts';
import { type JsonRecord, type KubeObject, Labels, record, text } from '../../model/index.ts';
import type { CascadeContext, Located } from './cascade-context.ts';

const RESOURCE_POLICY = 'helm.sh/resource-policy';

export interface Recreation {
  readonly when: NonNullable<AssumedEffect['when']>;
  readonly because: string;
  readonly instead?: string;
  /** True if the tool also creates the namespace. */
  readonly createsNamespace?: boolean;
}

export function finalizerOf({ finalizers }: KubeObject, names: readonly string[]): string | undefined {
  return finalizers.find(each => names.includes(each));
}

export function keptByHelm({ annotations }: KubeObject): boolean {
  return Labels.value(annotations, RESOURCE_POLICY)?.trim().toLowerCase() === 'keep';
}

/** Returns a label's value or, failing that, an annotation's. */
export function markOf({ labels, annotations }: KubeObject, key: string): string | undefined {
  return Labels.value(labels, key) ?? Labels.value(annotations, key);
}

/** Resolves `{apiVersion, kind, name, namespace}`; `namespace` is the default. */
export function referred(context: CascadeContext, value: unknown, namespace: string): Located | undefined {
  const { apiVersion, kind, name, apiGroup, namespace: own }: JsonRecord = record(value);
  if (text(kind) === '' || text(name) === '') return undefined;
  const parts = text(apiVersion).split('/');
  const version = parts.at(-1) ?? '';
  return context.locate({
    group: text(apiVersion) === '' ? text(apiGroup) : parts.length > 1 ? (parts[0] ?? '') : '',
    ...(version !== '' && { version }),
    kind: text(kind),
    name: text(name),
    namespace: text(own) || namespace,
  });
}
