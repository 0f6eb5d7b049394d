/**
 * The selector of a Job in files that leave it out: the API server gives every Job one by its uid, and without it
 * none of its pods would count as its own.
 */
import { type JsonRecord, record } from '../../model/json/json.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';

/**
 * The JSON itself, or a Job's with selector and template labels as a new one gets them
 * (pkg/registry/batch/job/strategy.go generateSelector, v1.36). `metadata` must hold name and uid.
 */
export function withJobSelector(type: ResourceType, json: JsonRecord): JsonRecord {
  const spec = record(json['spec']);
  // Whoever sets the selector by hand and forgets it has a Job that the API server refuses.
  if (type.group !== 'batch' || type.kind !== 'Job' || spec['manualSelector'] === true) return json;
  if (Object.keys(record(spec['selector'])).length > 0) return json;
  const { name, uid } = record(json['metadata']);
  const template = record(spec['template']);
  const metadata = record(template['metadata']);
  // Labels that the template has already stay as they are.
  const labels = {
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'batch.kubernetes.io/controller-uid': uid,
    ...record(metadata['labels']),
  };
  return {
    ...json,
    spec: {
      ...spec,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
}
