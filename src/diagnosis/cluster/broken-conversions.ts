/** Kinds that can't be listed, not even by the collector: their conversion webhook is dead (docs/kubernetes.md §5). */
import { isConversionFailure } from '../../forecast/index.ts';
import { identityOfObject } from '../../graph/index.ts';
import {
  type CrdFacts,
  FailedCall,
  type KubeObject,
  prose,
  ResourceType,
  type TypeStatus,
} from '../../model/index.ts';
import { evidenceOn, fieldEvidence } from '../engine/evidence.ts';
import { type Advice, advice, adviceToLook, type Evidence, type EvidenceLine } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { answerAdvice, unreachedWords } from './called-services.ts';
import { type DeadBackend, deadBackend } from './dead-backends.ts';

export interface BrokenConversion {
  /** `foos.example.io` */
  readonly resource: string;
  /** `likely`: fails once an object needs conversion. `possible`: whether anything answers cannot be seen. */
  readonly certainty: 'seen' | 'likely' | 'possible';
  readonly why: string;
  /** Words for the webhook; they name no Service if none is known. */
  readonly call: FailedCall;
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
      const resource = ResourceType.groupResource(each.type);
      const said = listFailure(each);
      if (said !== undefined && !found.has(resource))
        found.set(resource, unexplained(tracked, resource, said));
    }
    return [...found.values()].sort(
      (a, b) => certainties.indexOf(a.certainty) - certainties.indexOf(b.certainty),
    );
  });
}

export function conversionOf(tracked: TrackedView, kind: ResourceType): BrokenConversion | undefined {
  const resource = ResourceType.groupResource(kind);
  const said = listFailure(tracked.view.statusOf(kind));
  const type = kind.group.includes('.') ? definitionType(tracked) : undefined;
  const definition = type && tracked.find(type, '', resource);
  const facts = definition?.facts;
  if (definition !== undefined && facts?.kind === 'CustomResourceDefinition')
    return brokenConversion(tracked, definition, facts);
  return said === undefined ? undefined : unexplained(tracked, resource, said);
}

function definitionType(tracked: TrackedView): ResourceType | undefined {
  return tracked.type('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
}

/** Returns the error of the conversion webhook that keeps a kind from being listed. */
export function listFailure(status: TypeStatus | undefined): string | undefined {
  if (status?.state !== 'blind') return undefined;
  return isConversionFailure(status.reason) ? prose(status.reason) : undefined;
}

function unexplained(tracked: TrackedView, resource: string, said: string): BrokenConversion {
  const call = FailedCall.in(said);
  const unreached = unreachedWords(tracked, call);
  return {
    resource,
    certainty: 'seen',
    why:
      unreached === undefined
        ? `its conversion webhook fails (${said})`
        : `the Service ${call.service} of its conversion webhook ${unreached}`,
    call,
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
  const said = listFailure(status);
  if (said === undefined && status !== undefined && wasListed(tracked, status)) return undefined;
  if (facts.conversion === '') return undefined;
  const dead = deadBackend(tracked, facts.conversion, tracked.view.scope === undefined);
  if (dead === undefined && said !== undefined) return unexplained(tracked, resource, said);
  if (dead === undefined) return unseenBackend(tracked, definition, facts.conversion);
  return {
    resource,
    certainty: said === undefined ? 'likely' : 'seen',
    why: `the Service ${dead.service} of its conversion webhook ${dead.why}`,
    call: callTo(dead.service),
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

export function conversionEvidence(definition: KubeObject, service: string): EvidenceLine {
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
    call: callTo(service),
    evidence: [
      ...evidenceOn(definition, conversionEvidence(definition, service)),
      `Service ${service}: not seen`,
    ],
    related: [identityOfObject(definition)],
  };
}

/** Builds a call of which only the Service is known. */
export function callTo(service: string): FailedCall {
  return { service, address: '', unreachable: undefined, distrust: undefined, why: '' };
}

export const IF_GONE =
  'if what converted its objects is gone: they are served as they are stored then, and can be deleted';

/** `apiextensions` validation (v0.36) refuses a webhook together with any other strategy. */
export function stopConversion(definition: string): Advice {
  const patch = '{"spec":{"conversion":{"strategy":"None","webhook":null}}}';
  return {
    ...adviceToLook(
      `stop-conversion/${definition}`,
      `set spec.conversion.strategy of CustomResourceDefinition ${definition} to None, ${IF_GONE}`,
      ['patch', 'customresourcedefinition', definition, '--type=merge', '-p', patch],
    ),
    risk: 'caution',
  };
}

/** Lists first what keeps the conversion, unless its Service's namespace is being deleted. */
export function conversionRemedies(
  tracked: TrackedView,
  { resource, call }: Pick<BrokenConversion, 'resource' | 'call'>,
): readonly [Advice, ...Advice[]] {
  const id = `restore-conversion/${resource}`;
  const promise = `${resource} can be listed and converted again then`;
  const restore =
    call.service === ''
      ? advice(id, `fix the conversion webhook of ${resource}: its objects can be listed again then`)
      : answerAdvice(tracked, call, { id, promise });
  const stop = stopConversion(resource);
  return restore === undefined ? [stop] : [restore, stop];
}
