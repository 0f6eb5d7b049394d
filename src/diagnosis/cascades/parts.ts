import type { AssumedWhen } from '../../forecast/plan/assumed.ts';
import { type JsonRecord, record, text } from '../../model/json/json.ts';
import { type KubeObject, labelValue } from '../../model/object.ts';
import type { CascadeContext, Located } from './context.ts';

const RESOURCE_POLICY = 'helm.sh/resource-policy';

export interface Recreation {
  readonly when: AssumedWhen;
  readonly because: string;
  readonly instead?: string;
  /** True if the tool also creates the namespace. */
  readonly createsNamespace?: boolean;
}

export function finalizerOf({ finalizers }: KubeObject, names: readonly string[]): string | undefined {
  return finalizers.find(each => names.includes(each));
}

export function keptByHelm({ annotations }: KubeObject): boolean {
  return labelValue(annotations, RESOURCE_POLICY)?.trim().toLowerCase() === 'keep';
}

/** Returns a label's value or, failing that, an annotation's. */
export function markOf({ labels, annotations }: KubeObject, key: string): string | undefined {
  return labelValue(labels, key) ?? labelValue(annotations, key);
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
