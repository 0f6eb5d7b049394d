/** Kinds that can't be listed, not even by the collector: their conversion webhook is dead (docs/kubernetes.md §5). */
import { isConversionFailure } from '../../../forecast/plan/unseen.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { TypeStatus } from '../../../model/exchange/changes.ts';
import type { CrdFacts } from '../../../model/facts/facts.ts';
import type { KubeObject } from '../../../model/object.ts';
import { prose } from '../../../model/text/shown.ts';
import { groupResource, type ResourceType } from '../../../model/types/resource-type.ts';
import { evidenceOn, fieldEvidence } from '../../engine/evidence.ts';
import {
  type Advice,
  advice,
  chainLink,
  type Evidence,
  type EvidenceLine,
  type FindingDraft,
} from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { type DeadBackend, deadBackend } from './backends.ts';

export interface BrokenConversion {
  /** `foos.example.io` */
  readonly resource: string;
  /** `likely`: fails once an object needs conversion. `possible`: whether anything answers cannot be seen. */
  readonly certainty: 'seen' | 'likely' | 'possible';
  readonly why: string;
  readonly service: string | undefined;
  readonly evidence: readonly Evidence[];
  readonly related: DeadBackend['related'];
}

const certainties: readonly BrokenConversion['certainty'][] = ['seen', 'likely', 'possible'];

/** Limits how many Services are looked up one by one when limited to a namespace. */
const LOOKED_UP = 8;

export function brokenConversions(tracked: TrackedView): readonly BrokenConversion[] {
  return tracked.once('broken conversions', () => {
    const type = definitionType(tracked);
    const found = new Map<string, BrokenConversion>();
    const definitions = type === undefined ? [] : [...tracked.all(type)];
    const asked = new Set<string>();
    for (const definition of definitions) {
      const { facts } = definition;
      if (facts?.kind !== 'CustomResourceDefinition' || facts.conversion === '') continue;
      const isNew = !asked.has(facts.conversion);
      if (tracked.view.scope !== undefined && isNew && asked.size === LOOKED_UP) continue;
      asked.add(facts.conversion);
      const broken = brokenConversion(tracked, definition, facts);
      if (broken !== undefined) found.set(broken.resource, broken);
    }
    for (const each of tracked.view.statuses.values()) {
      const resource = groupResource(each.type);
      const said = each.state === 'blind' ? saidOf(each.reason) : undefined;
      if (said !== undefined && !found.has(resource)) found.set(resource, unexplained(resource, said));
    }
    return [...found.values()].sort(
      (a, b) => certainties.indexOf(a.certainty) - certainties.indexOf(b.certainty),
    );
  });
}

export function conversionOf(tracked: TrackedView, kind: ResourceType): BrokenConversion | undefined {
  const resource = groupResource(kind);
  const status = tracked.view.statusOf(kind);
  const said = status?.state === 'blind' ? saidOf(status.reason) : undefined;
  const type = kind.group.includes('.') ? definitionType(tracked) : undefined;
  const definition = type && tracked.find(type, '', resource);
  const facts = definition?.facts;
  if (definition !== undefined && facts?.kind === 'CustomResourceDefinition')
    return brokenConversion(tracked, definition, facts);
  return said === undefined ? undefined : unexplained(resource, said);
}

function definitionType(tracked: TrackedView): ResourceType | undefined {
  return tracked.type('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
}

function saidOf(reason: string | undefined): string | undefined {
  return isConversionFailure(reason) ? prose(reason) : undefined;
}

function unexplained(resource: string, said: string): BrokenConversion {
  return {
    resource,
    certainty: 'seen',
    why: `its conversion webhook fails (${said})`,
    service: undefined,
    evidence: [`list of ${resource}: ${said}`],
    related: [],
  };
}

function brokenConversion(
  tracked: TrackedView,
  definition: KubeObject,
  facts: CrdFacts,
): BrokenConversion | undefined {
  const resource = `${facts.plural}.${facts.group}`;
  const status = tracked.view.statusOf({ group: facts.group, resource: facts.plural });
  const said = status?.state === 'blind' ? saidOf(status.reason) : undefined;
  if (said === undefined && status !== undefined && wasListed(tracked, status)) return undefined;
  if (facts.conversion === '') return undefined;
  const dead = deadBackend(tracked, facts.conversion, tracked.view.scope === undefined);
  if (dead === undefined && said !== undefined) return unexplained(resource, said);
  if (dead === undefined) return unseenBackend(tracked, definition, facts.conversion);
  return {
    resource,
    certainty: said === undefined ? 'likely' : 'seen',
    why: `the Service ${dead.service} of its conversion webhook ${dead.why}`,
    service: dead.service,
    evidence: [
      ...evidenceOn(definition, conversionEvidence(definition, dead.service)),
      ...dead.evidence,
      ...(said === undefined ? [] : [`list of ${resource}: ${said}`]),
    ],
    related: [identityOfObject(definition), ...dead.related],
  };
}

/** A visible kind that was listed needed no conversion. An empty kind in files proves nothing. */
function wasListed({ view }: TrackedView, { type, state, count }: TypeStatus): boolean {
  if (view.settings.standsStill === true && count === 0) return false;
  return state === 'synced' && view.visibility(type) === 'visible';
}

function conversionEvidence(definition: KubeObject, service: string): EvidenceLine {
  const path = 'spec.conversion.webhook.clientConfig.service';
  return fieldEvidence(definition, `${path}.name`, service.split('/')[1] ?? '', `${path}: ${service}`);
}

/** Handles a webhook whose Service cannot be seen, for example in files without Services. */
function unseenBackend(
  tracked: TrackedView,
  definition: KubeObject,
  service: string,
): BrokenConversion | undefined {
  const [namespace = '', name = ''] = service.split('/');
  const type = tracked.type('v1', 'Service');
  if (type !== undefined && tracked.seesAt(type, namespace, name)) return undefined;
  return {
    resource: definition.name,
    certainty: 'possible',
    why: `the Service ${service} of its conversion webhook cannot be seen`,
    service,
    evidence: [
      ...evidenceOn(definition, conversionEvidence(definition, service)),
      `Service ${service}: not seen`,
    ],
    related: [identityOfObject(definition)],
  };
}

export function conversionAdvice({
  resource,
  service,
}: Pick<BrokenConversion, 'resource' | 'service'>): Advice {
  return advice(
    `restore-conversion/${resource}`,
    service === undefined
      ? `mend the conversion webhook of ${resource}: its objects can be listed again then`
      : `bring back what answers behind Service ${service}: ${resource} can be listed and converted again then`,
  );
}

export const conversionRule: Rule = {
  codes: ['ConversionWebhookUnreachable'],
  appliesTo: ({ object, deleting }) =>
    !deleting && object.facts?.kind === 'CustomResourceDefinition' && object.facts.conversion !== '',
  judge: ({ object }, tracked) =>
    object.facts?.kind === 'CustomResourceDefinition' ? deadConversion(tracked, object, object.facts) : [],
};

function* deadConversion(
  tracked: TrackedView,
  definition: KubeObject,
  facts: CrdFacts,
): Iterable<FindingDraft> {
  const resource = `${facts.plural}.${facts.group}`;
  const status = tracked.view.statusOf({ group: facts.group, resource: facts.plural });
  const said = status?.state === 'blind' ? saidOf(status.reason) : undefined;
  // With one version there is nothing to convert.
  if (facts.versions.length < 2 && said === undefined) return;
  const dead = deadBackend(tracked, facts.conversion);
  if (dead === undefined) return;
  const what =
    said === undefined
      ? `whatever reads ${resource} in another version than the stored one fails`
      : `${resource} cannot be listed`;
  yield {
    code: 'ConversionWebhookUnreachable',
    message: `CustomResourceDefinition ${definition.name} has its objects converted by a webhook that is dead, so that ${what}: the Service ${dead.service} ${dead.why}. What cannot be listed is collected by nobody, and keeps its namespace from being deleted.`,
    brief: `conversion webhook is dead: Service ${dead.service} ${dead.why}`,
    evidence: [
      conversionEvidence(definition, dead.service),
      ...dead.evidence,
      ...(said === undefined ? [] : [`list of ${resource}: ${said}`]),
    ],
    related: dead.related,
    chain: [
      chainLink(identityOfObject(definition), '', `its conversion webhook ${dead.service} ${dead.why}`),
    ],
    remedies: () => [conversionAdvice({ resource, service: dead.service })],
  };
}
