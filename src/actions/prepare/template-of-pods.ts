/**
 * Derives the pod template of a ReplicaSet from its pods. Drops the fields that the API server adds to each pod
 * (plugin/pkg/admission/serviceaccount, priority, defaulttolerationseconds and runtimeclass, v1.36), the node, and
 * annotations that others wrote later.
 */
import { isEqualData, type JsonRecord, list, record, shownName, text } from '../../model/index.ts';

/** Rejects with one line if the pods differ in what remains. */
export function templateOfPods([first, ...others]: readonly [JsonRecord, ...JsonRecord[]]): JsonRecord {
  const spec = templateSpec(record(first['spec']));
  const unlike = others.find(each => !isEqualData(templateSpec(record(each['spec'])), spec));
  if (unlike !== undefined)
    throw new Error(
      `Pods ${nameOf(first)} and ${nameOf(unlike)} have different specs, so the pod template isn't known`,
    );
  const annotations = Object.entries(createdAnnotations(first)).filter(([key, value]) =>
    others.every(each => createdAnnotations(each)[key] === value),
  );
  const metadata = annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) };
  return { metadata, spec };
}

function nameOf({ metadata }: JsonRecord): string {
  return shownName(text(record(metadata)['name']));
}

/** Returns the annotations that the controller's create request set. */
function createdAnnotations({ metadata }: JsonRecord): JsonRecord {
  const { annotations, managedFields } = record(metadata);
  const created = list(managedFields)
    .map(record)
    .find(({ manager, subresource }) => manager === 'kube-controller-manager' && subresource === undefined);
  const fields = record(record(record(created?.['fieldsV1'])['f:metadata'])['f:annotations']);
  return Object.fromEntries(Object.entries(record(annotations)).filter(([key]) => `f:${key}` in fields));
}

function templateSpec(pod: JsonRecord): JsonRecord {
  const {
    nodeName: _node,
    serviceAccount: _account,
    priority: _priority,
    preemptionPolicy: _preemption,
    ephemeralContainers: _ephemeral,
    serviceAccountName,
    enableServiceLinks,
    overhead,
    ...spec
  } = pod;
  const volumes = list(pod['volumes']).map(record);
  const tokens = new Set(volumes.filter(isToken).map(({ name }) => name));
  const withoutToken = (container: JsonRecord): JsonRecord =>
    without(container, 'volumeMounts', ({ name }) => tokens.has(name));
  const containers = (key: string): JsonRecord =>
    pod[key] === undefined ? {} : { [key]: list(pod[key]).map(record).map(withoutToken) };
  const kept = {
    ...spec,
    ...(serviceAccountName !== 'default' && serviceAccountName !== undefined && { serviceAccountName }),
    // Defaulted in pods, not in templates.
    ...(enableServiceLinks === false && { enableServiceLinks }),
    ...(overhead !== undefined && pod['runtimeClassName'] === undefined && { overhead }),
    ...containers('initContainers'),
    ...containers('containers'),
  };
  return without(without(kept, 'volumes', isToken), 'tolerations', isDefaultToleration);
}

/** Drops entries of a list, and the list if none is left. */
function without(json: JsonRecord, key: string, drops: (entry: JsonRecord) => boolean): JsonRecord {
  const { [key]: all, ...others } = json;
  if (all === undefined) return json;
  const kept = list(all).filter(each => !drops(record(each)));
  return kept.length === 0 ? others : { ...others, [key]: kept };
}

function isToken({ name, projected }: JsonRecord): boolean {
  return projected !== undefined && text(name).startsWith('kube-api-access-');
}

function isDefaultToleration({ key, operator, effect, tolerationSeconds }: JsonRecord): boolean {
  return (
    (key === 'node.kubernetes.io/not-ready' || key === 'node.kubernetes.io/unreachable') &&
    operator === 'Exists' &&
    effect === 'NoExecute' &&
    tolerationSeconds === 300
  );
}
