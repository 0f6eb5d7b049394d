/**
 * The selector of a Job in files that leave it out: the API server gives every Job one by its uid, and without it
 * none of its pods would count as its own.
 */
import { type JsonRecord, record } from '../../model/json.ts';
import { KubeObject, type Labels, labelValue } from '../../model/object.ts';

/**
 * The object itself, or a Job with selector and template labels as a new one gets them
 * (pkg/registry/batch/job/strategy.go generateSelector, v1.36). `json` is the Job as it stands in the file.
 */
export function withJobSelector(object: KubeObject, json: JsonRecord): KubeObject {
  const { type, facts, uid, name } = object;
  if (type.group !== 'batch' || type.kind !== 'Job' || facts?.kind !== 'Workload') return object;
  // Whoever sets the selector by hand and forgets it has a Job that the API server refuses.
  if (facts.selector !== undefined || record(json['spec'])['manualSelector'] === true) return object;
  return new KubeObject({
    ...object,
    facts: {
      ...facts,
      selector: { matchLabels: ['batch.kubernetes.io/controller-uid', uid], matchExpressions: [] },
      templateLabels: withOwnLabels(facts.templateLabels, uid, name),
    },
  });
}

/** Labels that the template has already stay as they are. */
function withOwnLabels(labels: Labels, uid: string, name: string): Labels {
  const own = [
    ['batch.kubernetes.io/controller-uid', uid],
    ['batch.kubernetes.io/job-name', name],
    ['controller-uid', uid],
    ['job-name', name],
  ] as const;
  return [...labels, ...own.filter(([key]) => labelValue(labels, key) === undefined).flat()];
}
