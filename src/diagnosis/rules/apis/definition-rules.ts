/**
 * CustomResourceDefinitions that wait for their instances (docs/kubernetes.md §4.7, §10 row 35; apiextensions-apiserver
 * pkg/controller/finalizer/crd_finalizer.go, v0.36).
 */

import { isDeleting } from '../../../graph/index.ts';
import { type CrdFacts, counted, enumerated, type KubeObject, prose } from '../../../model/index.ts';
import { specialStores } from '../../../simulation/index.ts';
import { conversionOf, conversionRemedies } from '../../cluster/broken-conversions.ts';
import { conditionLine } from '../../cluster/failing-apis.ts';
import { firstOf, isHeld, relatedTo } from '../../cluster/namespace-content.ts';
import { finalizersEvidence } from '../../engine/evidence.ts';
import { advice, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { chainInto } from '../../waits/chain.ts';
import {
  type FinalizerHold,
  holdEvidence,
  holdRemedies,
  holdWords,
  namespaceHolds,
  withHoldSuspects,
} from '../namespaces/content-holds.ts';
import { amount } from '../namespaces/namespace-case.ts';
import { refusalIn } from '../namespaces/refusals.ts';

/** In milliseconds: the API server checks every 5 s for a minute, then starts over. */
const PATIENCE = 120_000;

export const definitionRule: Rule = {
  appliesTo: ({ object, deleting }) =>
    deleting &&
    object.facts?.kind === 'CustomResourceDefinition' &&
    object.finalizers.includes(specialStores.crdFinalizer),
  judge: ({ object }, tracked) =>
    object.facts?.kind === 'CustomResourceDefinition' ? [pending(tracked, object, object.facts)] : [],
};

function pending(tracked: TrackedView, definition: KubeObject, facts: CrdFacts): FindingDraft {
  const { seen, instances } = instancesOf(tracked, facts);
  const held = instances.filter(isHeld);
  const holds = namespaceHolds(tracked, held);
  const failure = failureOf(tracked, facts, { seen, instances });
  const { why, severity } = reasonFor(tracked, definition, { facts, seen, instances, holds, failure });
  const others = definition.finalizers.filter(each => each !== specialStores.crdFinalizer);
  const also = others.length === 0 ? '' : `; after that it is held by ${enumerated(others)}`;
  const [worst] = [holds[0]?.objects ?? [], instances].filter(each => each.length > 0);
  const [deciding] = firstOf(worst ?? [], 1);
  const condition = facts.conditions.find(({ type }) => type === 'Terminating');
  return withHoldSuspects(tracked, holds, {
    code: 'CustomResourceCleanupPending',
    explains: 'every finalizer',
    severity,
    since: definition.deletionTimestamp,
    message: `CustomResourceDefinition ${definition.name} waits until none of its instances is left: ${why}${also}.`,
    brief: instances.length === 0 ? why : `waits for ${amount(instances)}`,
    evidence: [
      finalizersEvidence(definition),
      condition !== undefined && `status.conditions: ${conditionLine(condition)}`,
      ...holdEvidence(holds),
    ],
    related: relatedTo(held, instances),
    certainty: !seen || holds[0]?.presence === 'unknown' ? 'assumed' : 'exact',
    chain: chainInto(tracked, definition, deciding, 'deleting, with instances left'),
    remedies: () =>
      holds.length > 0
        ? holdRemedies(tracked, definition, holds)
        : [
            ...(failure?.remedies() ?? []),
            failure?.unlisted !== true && advice('check-instances', elsewhere(facts, seen)),
          ],
  });
}

interface Instances {
  readonly facts: CrdFacts;
  /** True if `instances` is complete. */
  readonly seen: boolean;
  readonly instances: readonly KubeObject[];
  readonly holds: readonly FinalizerHold[];
  readonly failure: Failure | undefined;
}

function instancesOf(tracked: TrackedView, facts: CrdFacts): Pick<Instances, 'seen' | 'instances'> {
  const served = { group: facts.group, resource: facts.plural };
  const type = tracked.view.catalog.preferredOf(served);
  if (type === undefined) return { seen: false, instances: [] };
  const instances = [...tracked.all(type)];
  return { seen: tracked.view.seesAll(type), instances };
}

/** Why the API server cannot delete the instances. */
interface Failure {
  readonly why: string;
  /** True if listing them fails for everyone. */
  readonly unlisted: boolean;
  readonly remedies: () => readonly OfferedRemedy[];
}

function failureOf(
  tracked: TrackedView,
  facts: CrdFacts,
  { seen, instances }: Pick<Instances, 'seen' | 'instances'>,
): Failure | undefined {
  const condition = facts.conditions.find(({ type, status }) => type === 'Terminating' && status === 'True');
  const said = prose(condition?.message ?? '');
  const refusal = refusalIn(tracked, said);
  if (refusal !== undefined)
    return {
      why: refusal.why,
      unlisted: refusal.unlisted === true,
      remedies: () => refusal.remedies(),
    };
  if (condition?.reason === 'InstanceDeletionFailed')
    return { why: `the API server cannot delete them (${said})`, unlisted: false, remedies: () => [] };
  const type = tracked.view.catalog.preferredOf({ group: facts.group, resource: facts.plural });
  const broken = seen || instances.length > 0 ? undefined : type && conversionOf(tracked, type);
  // With one version there is nothing to convert.
  if (broken === undefined || broken.certainty === 'possible' || facts.versions.length < 2) return undefined;
  return {
    why: `the API server ${broken.certainty === 'seen' ? 'cannot' : 'seems unable to'} list them, because ${broken.why}`,
    unlisted: true,
    remedies: () => conversionRemedies(tracked, broken),
  };
}

function reasonFor(
  tracked: TrackedView,
  definition: KubeObject,
  { facts, seen, instances, holds, failure }: Instances,
): { readonly why: string; readonly severity: 'warning' | 'info' } {
  const unseen = seen ? '' : `; more may be there that cannot be seen`;
  const lasting = tracked.lasted(definition.deletionTimestamp, PATIENCE);
  const severity = lasting || failure !== undefined || holds[0]?.presence === 'absent' ? 'warning' : 'info';
  if (holds.length > 0) return { why: `${holdWords(holds)}${unseen}`, severity };
  if (failure !== undefined) return { why: failure.why, severity };
  const untouched = instances.filter(each => !isDeleting(each));
  if (untouched.length > 0) {
    const are = untouched.length === 1 ? "isn't" : "aren't";
    return { why: `${amount(untouched)} ${are} being deleted yet${unseen}`, severity };
  }
  if (!seen) return { why: `its ${facts.definedKind} objects cannot be seen`, severity };
  // After a minute with instances left, the API server retries ever more rarely (client-go's default back-off).
  return instances.length === 0
    ? {
        why: 'none is, and the API server has yet to notice, which can take up to a quarter of an hour',
        severity,
      }
    : { why: `${counted(instances.length, facts.definedKind)} going`, severity };
}

function elsewhere({ definedKind, plural, group }: CrdFacts, seen: boolean): string {
  return seen
    ? 'wait: the API server deletes the instances and looks again by itself'
    : `list the ${plural}.${group}, which cannot be seen here: the definition is deleted when no ${definedKind} is left`;
}
