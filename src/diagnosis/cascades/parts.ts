/** What the rules about several tools read in the same way. */
import type { AssumedWhen } from '../../forecast/plan/assumed.ts';
import { type JsonRecord, record, text } from '../../model/json/json.ts';
import { type KubeObject, labelValue } from '../../model/object.ts';
import type { CascadeContext, Located } from './context.ts';

const RESOURCE_POLICY = 'helm.sh/resource-policy';

/** What a tool makes of the deletion of something that it manages. */
export interface Recreation {
  readonly when: AssumedWhen;
  readonly because: string;
  readonly instead?: string;
  /** It creates the namespace with it. */
  readonly createsNamespace?: boolean;
}

/** The first of these finalizers that the object has. */
export function finalizerOf({ finalizers }: KubeObject, names: readonly string[]): string | undefined {
  return finalizers.find(each => names.includes(each));
}

/** Whether Helm leaves it where its release is uninstalled. */
export function keptByHelm({ annotations }: KubeObject): boolean {
  return labelValue(annotations, RESOURCE_POLICY)?.trim().toLowerCase() === 'keep';
}

/** Of a label or, failing that, of an annotation. */
export function markOf({ labels, annotations }: KubeObject, key: string): string | undefined {
  return labelValue(labels, key) ?? labelValue(annotations, key);
}

/** `{apiVersion, kind, name, namespace}`, as references to objects are written; `namespace` where they have none. */
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
