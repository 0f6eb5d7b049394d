/** Parameters of admission policies: a binding names them, and its policy their kind. */
import { type JsonRecord, record } from '../../model/index.ts';

const bindingKind = /^(admissionregistration\.k8s\.io\/\w+AdmissionPolicy)Binding$/u;

/** Returns the kind of the policies of bindings; undefined for another kind. */
export function policiesOf(kind: string): string | undefined {
  return bindingKind.exec(kind)?.[1];
}

export function isParameterized({ spec }: JsonRecord): boolean {
  return record(spec)['paramRef'] !== undefined;
}

/** Adds the kind of its parameters, and what happens if they can't be found, to the reference of a binding. */
export function withParamKind(binding: JsonRecord, policies: readonly JsonRecord[]): JsonRecord {
  const spec = record(binding['spec']);
  const policy = policies.find(({ metadata }) => record(metadata)['name'] === spec['policyName']);
  const { paramKind, failurePolicy = 'Fail' } = record(policy?.['spec']);
  const paramRef = { ...record(spec['paramRef']), ...record(paramKind), failurePolicy };
  return { ...binding, spec: { ...spec, paramRef } };
}
