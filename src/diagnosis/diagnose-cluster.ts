/** Diagnoses a cluster with all rules. */
import type { ClusterView } from '../graph/index.ts';
import { Diagnosis, type DiagnosisOptions } from './engine/diagnosis.ts';
import type { Rule } from './engine/rule.ts';
import { conversionRule } from './rules/apis/conversions.ts';
import { definitionRule } from './rules/apis/definition-rules.ts';
import { undecodableRule } from './rules/apis/undecodable.ts';
import { unreachedApiRule } from './rules/apis/unreached-apis.ts';
import { webhookRule } from './rules/apis/webhooks.ts';
import { heldRules } from './rules/finalizers/held-objects.ts';
import { latentRule } from './rules/finalizers/missing-handlers.ts';
import { foregroundRule } from './rules/foreground/foreground-deletions.ts';
import { namespaceRule } from './rules/namespaces/deleting-namespaces.ts';
import { namespaceGoneRule } from './rules/namespaces/missing-namespace.ts';
import { controllerRules } from './rules/owners/controller-references.ts';
import { deletedDependentRule } from './rules/owners/deleted-dependents.ts';
import { orphaningRules } from './rules/owners/orphaning.ts';
import { cycleRule } from './rules/owners/owner-cycles.ts';
import { survivorRule } from './rules/owners/survivors.ts';
import { referenceRule } from './rules/owners/wrong-references.ts';
import { drainRule } from './rules/pods/drains.ts';
import { heldPodRules } from './rules/pods/held-pods.ts';
import { jobTtlRule } from './rules/pods/job-ttl.ts';
import { pastGraceRule } from './rules/pods/past-grace.ts';
import { podRules } from './rules/pods/unreleased-pods.ts';
import { claimOwnerRule } from './rules/volumes/claim-owners.ts';
import { claimRules } from './rules/volumes/claims-in-use.ts';
import { volumeRule } from './rules/volumes/held-volumes.ts';

/** The order matters: generic rules come last and consider earlier findings. */
const allRules: readonly Rule[] = [
  namespaceRule,
  namespaceGoneRule,
  definitionRule,
  conversionRule,
  webhookRule,
  undecodableRule,
  unreachedApiRule,
  referenceRule,
  deletedDependentRule,
  ...controllerRules,
  claimOwnerRule,
  survivorRule,
  jobTtlRule,
  pastGraceRule,
  drainRule,
  ...podRules,
  ...claimRules,
  volumeRule,
  foregroundRule,
  cycleRule,
  ...orphaningRules,
  ...heldPodRules,
  ...heldRules,
  latentRule,
];

export function diagnoseCluster(view: ClusterView, now: number, options: DiagnosisOptions = {}): Diagnosis {
  return new Diagnosis(allRules, view, now, options);
}
