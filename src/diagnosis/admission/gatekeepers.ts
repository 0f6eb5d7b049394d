/** Webhooks and policies that are asked about the removal of a finalizer, and what to do if one of them stops it. */
import { patience, refusedBy, refusedWords, requestWords } from '../../forecast/index.ts';
import { objectDeletion } from '../../graph/index.ts';
import { enumerated, type KubeObject, podFacts, shownName } from '../../model/index.ts';
import { AdmissionControl, type Objection, ruleWords } from '../../simulation/index.ts';
import { answerAdvice } from '../cluster/called-services.ts';
import { admissionWorld } from '../cluster/dead-backends.ts';
import {
  type Advice,
  advice,
  adviceToLook,
  type FindingDraft,
  type OfferedRemedy,
} from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import type { Handler } from '../finalizers/handler.ts';
import { deleteObject } from '../remedies/deletion-remedies.ts';

export interface Gatekeeper {
  /** `the mutating webhook mutate.example.com`, `the admission policy keep-labels` */
  readonly name: string;
  /** Kind and name of its configuration or binding. */
  readonly configuration: string;
  /** True if it can change the object. */
  readonly isMutating: boolean;
  readonly objection: Objection;
}

/** Lists webhooks and policies whose rules, selectors and conditions fit or may fit, the most specific rules first. */
export function gatekeepersOf(tracked: TrackedView, object: KubeObject, finalizer: string): Gatekeeper[] {
  const admission = tracked.once('admission', () => new AdmissionControl(admissionWorld(tracked)));
  const objections = admission.objectionsToRemoval(object, finalizer);
  return objections
    .map(objection => ({ objection, breadth: breadthOf(tracked, objection) }))
    .toSorted((a, b) => a.breadth - b.breadth)
    .map(({ objection }) => gatekeeper(objection));
}

/** Counts the kinds that a webhook is asked about; policies count as broad. */
function breadthOf({ view }: TrackedView, { configuration: { facts }, webhook }: Objection): number {
  if (facts?.kind !== 'WebhookConfiguration') return Number.POSITIVE_INFINITY;
  const rules = facts.webhooks.find(({ name }) => name === webhook)?.rules ?? [];
  return ruleWords.kindsUnder(view.catalog.types, rules).length;
}

function gatekeeper(objection: Objection): Gatekeeper {
  const { configuration, webhook, policy } = objection;
  const isMutating = configuration.type.kind.startsWith('Mutating');
  return {
    name:
      webhook === ''
        ? `the ${isMutating ? 'mutating ' : ''}admission policy ${shownName(policy)}`
        : `the ${isMutating ? 'mutating' : 'validating'} webhook ${shownName(webhook)}`,
    configuration: `${configuration.type.kind} ${shownName(configuration.name)}`,
    isMutating,
    objection,
  };
}

/**
 * Adds those that may be the reason to a finding on a removal that is overdue: its controller may act, is not known to
 * wait for anything, and has not removed the finalizer. `about`: what the message calls the object.
 */
export function withSuspects<D extends FindingDraft>(
  tracked: TrackedView,
  {
    object,
    handler,
    draft,
    about = 'it',
  }: {
    readonly object: KubeObject;
    readonly handler: Handler;
    readonly draft: D;
    readonly about?: string;
  },
): D {
  const suspects = suspectsOf(tracked, object, handler);
  if (suspects.length === 0) return draft;
  return {
    ...draft,
    message: draft.message.replace(/\.$/u, `${clauseOn(object, suspects, about)}.`),
    evidence: [
      ...draft.evidence,
      ...suspects.map(
        ({ name, configuration }) => `asked about every update of ${about}: ${name} (${configuration})`,
      ),
    ],
    remedies: () => [
      ...suspectsAdvice(tracked, object, { suspects, actor: handler.name }),
      ...(draft.remedies?.() ?? []).map(each => each && withCondition(each, object, suspects)),
    ],
  };
}

/** Says of a remedy that updates the object that it has to pass the same gatekeepers. */
function withCondition(
  remedy: OfferedRemedy,
  object: KubeObject,
  suspects: readonly Gatekeeper[],
): OfferedRemedy {
  const path = requestWords.objectPath(object);
  const isUpdate = remedy.requests.some(request => request.path === path && request.verb !== 'DELETE');
  if (!isUpdate || refusing(suspects) !== undefined) return remedy;
  return { ...remedy, title: `${remedy.title}; ${namesOf(suspects)} must let that pass, too` };
}

function suspectsOf(tracked: TrackedView, object: KubeObject, handler: Handler): Gatekeeper[] {
  const { finalizer, presence, entry, nothingLeft, forbidden, gone, waits } = handler;
  const isBuiltIn = entry?.controller.runsIn === 'control plane';
  if ((presence !== 'present' && !isBuiltIn) || forbidden !== undefined || gone === true) return [];
  // Another controller with nothing left to do may never try.
  if (waits !== undefined || (nothingLeft !== undefined && !isBuiltIn)) return [];
  if (!object.finalizers.includes(finalizer)) return [];
  return tracked.lasted(objectDeletion.requestedAt(object), patience.usual)
    ? gatekeepersOf(tracked, object, finalizer)
    : [];
}

/** Returns true if a finding on the object names what certainly refuses every update of it. */
export function isKnownRefused(tracked: TrackedView, object: KubeObject, handler: Handler): boolean {
  return refusing(suspectsOf(tracked, object, handler)) !== undefined;
}

function refusing(gatekeepers: readonly Gatekeeper[]): Gatekeeper | undefined {
  return gatekeepers.find(({ objection }) => objection.answer === 'refused');
}

function clauseOn(object: KubeObject, suspects: readonly Gatekeeper[], about: string): string {
  const certain = refusing(suspects)?.objection;
  if (certain !== undefined)
    return `; the API server refuses every update of ${about}, and so the removal of its finalizer: ${refusedWords(refusedBy(certain), certain.because)}`;
  const altered =
    podFacts(object) !== undefined && suspects.some(({ isMutating }) => isMutating)
      ? "; the API server refuses a change of a pod's spec"
      : '';
  return `; every update of ${about}, and so the removal of its finalizer, has to pass ${namesOf(suspects)}, which may refuse or change it${altered}`;
}

export function namesOf(gatekeepers: readonly Gatekeeper[]): string {
  return enumerated(
    gatekeepers.map(({ name }) => name),
    gatekeepers.length,
  );
}

const PROBE = 'probe-removal';

/** Advises a dry run of the removal, then what to do about a refusal. */
function suspectsAdvice(
  tracked: TrackedView,
  object: KubeObject,
  { suspects, actor }: { readonly suspects: readonly Gatekeeper[]; readonly actor: string },
): OfferedRemedy[] {
  const certain = refusing(suspects);
  if (certain !== undefined) return adviceOnCertain(tracked, object, { certain, actor });
  const words = requestWords.onObject(tracked.view.catalog, object);
  return [
    adviceToLook(
      PROBE,
      `find out whether the removal is accepted: --probe sends it as a dry run, about which ${namesOf(suspects)} ${suspects.length === 1 ? 'is' : 'are'} asked`,
      ['gc-tree', 'why', ...words, '--probe'],
    ),
    scopeAdvice(object, suspects, { actor, isAssumed: true }),
  ];
}

function adviceOnCertain(
  tracked: TrackedView,
  object: KubeObject,
  { certain, actor }: { readonly certain: Gatekeeper; readonly actor: string },
): OfferedRemedy[] {
  const { configuration, service } = certain.objection;
  if (service === '') return [scopeAdvice(object, [certain], { actor, isAssumed: false })];
  const restore = answerAdvice(
    tracked,
    { service, address: '', unreachable: undefined, distrust: undefined, why: '' },
    { id: `restore-webhook/${service}`, promise: `${actor} removes the finalizer by itself then` },
  );
  return [
    ...(restore === undefined ? [] : [restore]),
    deleteObject(tracked, configuration, 'background', {
      risk: 'caution',
      title: `delete ${certain.configuration}, if what it belonged to is gone: what it was to refuse or to change is let through then`,
    }),
  ];
}

export function isGatekeepersAdvice({ id }: { readonly id: string }): boolean {
  return id === PROBE || id === SCOPE;
}

const SCOPE = 'scope-admission';

/** Advises to leave updates alone; `isAssumed` if no refusal is known. */
export function scopeAdvice(
  { namespace }: { readonly namespace: string },
  gatekeepers: readonly Pick<Gatekeeper, 'name' | 'configuration'>[],
  { actor, isAssumed }: { readonly actor: string; readonly isAssumed: boolean },
): Advice {
  const who = enumerated(
    gatekeepers.map(({ name, configuration }) =>
      configuration === '' ? name : `${name} (${configuration})`,
    ),
    gatekeepers.length,
  );
  const exempt = namespace === '' ? '' : `, or exempt namespace ${shownName(namespace)}`;
  return advice(
    isAssumed ? SCOPE : 'advice/admission',
    `${isAssumed ? 'if it is refused, ' : ''}limit what ${who} ${gatekeepers.length === 1 ? 'does' : 'do'} to CREATE${exempt}: ${actor} removes the finalizer by itself then`,
  );
}
