/** The Plan document (docs/documents.md): a forecast for programs. */
import type { Remedy } from '../../forecast/action.ts';
import type { FinalizerHandler } from '../../forecast/handlers.ts';
import type { AssumedEffect } from '../../forecast/plan/assumed.ts';
import type {
  ChangedObject,
  DeletedObject,
  FlappingWorkload,
  Forecast,
  FreedVolume,
  HandledEnd,
  NodeEffects,
  NodePod,
  PlanStep,
  RefusedRequest,
  TerminatingObject,
  TwiceRunning,
} from '../../forecast/plan/plan.ts';
import type { Identity } from '../../graph/node.ts';
import type { Taint as TaintFacts } from '../../model/facts/facts.ts';
import { namespacedName, type Uid } from '../../model/object.ts';
import { shellLine } from '../../model/text/shell-line.ts';
import type { FileLine } from '../../source/source.ts';
import { allWarnings } from '../../text/plan/warnings.ts';
import { formatTimestamp } from '../../text/terminal/age.ts';
import { API_VERSION, type Basis, type ObjectRef, objectRef } from '../basis.ts';
import { type RemedyDocument, remedyDocument } from '../findings/finding-list.ts';

/** A forecast's entry; `anyway` is set if it also happens without the action. */
type Entry<T> = Omit<T, 'object' | 'anyway'> & { readonly object: ObjectRef; readonly anyway?: true };

export interface PlanDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Plan';
  readonly basis: Basis;
  readonly action: Omit<Forecast['action'], 'taint' | 'targets'> & {
    readonly taint?: Taint;
    readonly targets: readonly ObjectRef[];
  };
  readonly notFound?: readonly NotFoundEntry[];
  readonly outcome: Forecast['outcome'];
  readonly deleted: readonly Entry<DeletedObject>[];
  readonly terminating: readonly (Omit<Entry<TerminatingObject>, 'handlers'> & {
    readonly handlers: readonly HandlerEntry[];
  })[];
  readonly changed: readonly Entry<Omit<ChangedObject, 'ownerReferencesLeft'>>[];
  /** Excludes requests of handlers. */
  readonly refused: readonly Entry<RefusedRequest>[];
  readonly dependsOnAdmission?: readonly ObjectRef[];
  readonly ifHandled?: Pick<PlanDocument, 'deleted' | 'terminating' | 'changed'>;
  /** `after` is omitted if it is unknown which held objects decide. */
  readonly then: readonly {
    readonly object: ObjectRef;
    readonly after?: readonly ObjectRef[];
    readonly anyway?: true;
  }[];
  readonly recreated: readonly {
    /** `ReplicaSet shop/api-658b5b55dd`; `''` without a known controller. */
    readonly by: string;
    readonly kind: string;
    readonly count: number;
    readonly pending?: number;
    readonly anyway?: true;
  }[];
  /** This and the next two are set if the action deletes or taints a node. Times are estimates, in RFC 3339. */
  readonly nodePods?: readonly (Omit<NodePod, 'pod' | 'by' | 'when'> & {
    readonly pod: ObjectRef;
    /** Omitted with the times if no actor touches it. */
    readonly by?: string;
    readonly earliest?: string;
    readonly latest?: string;
  })[];
  readonly freedVolumes?: readonly (Omit<FreedVolume, 'claim' | 'volume' | 'earliest'> & {
    readonly claim: ObjectRef;
    readonly volume?: string;
    readonly earliest: string;
  })[];
  readonly couldRunTwice?: readonly (Omit<TwiceRunning, 'pod' | 'replacedBy' | 'claim'> & {
    readonly pod: ObjectRef;
    readonly replacedBy: ObjectRef;
    readonly claim?: string;
  })[];
  readonly timingDependent: readonly {
    readonly object: ObjectRef;
    readonly outcomes: readonly string[];
    readonly because: string;
    /** Set if only its end after the handlers' work depends on it. */
    readonly ifHandled?: true;
    readonly handlers?: readonly HandlerEntry[];
  }[];
  readonly flapping: readonly Entry<FlappingWorkload>[];
  /** Assumed effects of GitOps tools and package managers; omitted without any. */
  readonly logical?: readonly LogicalEntry[];
  readonly steps: readonly (Entry<Omit<PlanStep, 'at'>> & { readonly at: string })[];
  readonly warnings: readonly string[];
  /** Omitted if kubectl cannot do it, or if a name can't be in a shell line. */
  readonly kubectl?: string;
}

interface NotFoundEntry extends ObjectRef {
  /** The object is missing, or its kind isn't served in that version. */
  readonly because: 'absent' | 'unserved';
  /** Omitted if the file cannot be opened. */
  readonly source?: FileLine;
}

interface NotFound {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly because: NotFoundEntry['because'];
  readonly place: FileLine | undefined;
}

function notFoundEntry({ apiVersion, kind, namespace, name, because, place }: NotFound): NotFoundEntry {
  return {
    ...objectRef({ apiVersion, kind, namespace, name, uid: '' as Uid }),
    because,
    ...(place === undefined ? {} : { source: place }),
  };
}

type HandlerEntry = Omit<FinalizerHandler, 'words'>;

/** The object has no uid if it wasn't read; `when` is omitted for a kept object. */
type LogicalEntry = Pick<AssumedEffect, 'by' | 'effect' | 'because'> & {
  readonly object: ObjectRef;
  readonly when?: AssumedEffect['when'];
  readonly certainty: 'assumed';
  readonly instead?: string;
  readonly cluster?: string;
  readonly part?: string;
};

function logicalEntry({ object, by, effect, when, because, ...rest }: AssumedEffect): LogicalEntry {
  const { instead, cluster, part } = rest;
  return {
    object: objectRef(object),
    by,
    effect,
    ...(when === undefined ? {} : { when }),
    because,
    certainty: 'assumed',
    ...(instead === undefined ? {} : { instead }),
    ...(cluster === undefined ? {} : { cluster }),
    ...(part === undefined ? {} : { part }),
  };
}

type Taint = Omit<TaintFacts, 'value'> & Partial<TaintFacts>;

function taintOf({ key, value, effect }: TaintFacts): Taint {
  return { key, ...(value === '' ? {} : { value }), effect };
}

function entryOf<T extends { readonly object: Identity; readonly anyway: boolean }>({
  object,
  anyway,
  ...entry
}: T): Entry<T> {
  return { object: objectRef(object), ...entry, ...(anyway ? { anyway } : {}) };
}

function nodeFields({
  pods,
  volumes,
  couldRunTwice,
}: NodeEffects): Pick<PlanDocument, 'nodePods' | 'freedVolumes' | 'couldRunTwice'> {
  return {
    nodePods: pods.map(({ pod, node, fate, by, when, ...rest }) => ({
      pod: objectRef(pod),
      node,
      fate,
      ...(by === undefined ? {} : { by }),
      ...(when === undefined
        ? {}
        : { earliest: formatTimestamp(when.earliest), latest: formatTimestamp(when.latest) }),
      ...rest,
    })),
    freedVolumes: volumes.map(({ claim, volume, node, earliest, because }) => ({
      claim: objectRef(claim),
      ...(volume === undefined ? {} : { volume }),
      node,
      earliest: formatTimestamp(earliest),
      because,
    })),
    couldRunTwice: couldRunTwice.map(({ pod, node, replacedBy, claim, ...rest }) => ({
      pod: objectRef(pod),
      node,
      replacedBy: objectRef(replacedBy),
      ...(claim === undefined ? {} : { claim }),
      ...rest,
    })),
  };
}

function handlerEntry({ words: _words, ...handler }: FinalizerHandler): HandlerEntry {
  return handler;
}

function endFields({
  deleted,
  terminating,
  changed,
}: HandledEnd): Pick<PlanDocument, 'deleted' | 'terminating' | 'changed'> {
  return {
    deleted: deleted.map(entryOf),
    terminating: terminating.map(({ handlers, ...each }) => ({
      ...entryOf(each),
      handlers: handlers.map(handlerEntry),
    })),
    changed: changed.map(({ ownerReferencesLeft: _left, ...each }) => entryOf(each)),
  };
}

export function planDocument(basis: Basis, forecast: Forecast, notFound?: readonly NotFound[]): PlanDocument {
  const { action, kubectl, logical = [] } = forecast;
  const line = shellLine(kubectl);
  return {
    apiVersion: API_VERSION,
    kind: 'Plan',
    basis,
    action: {
      ...action,
      ...(action.taint === undefined ? {} : { taint: taintOf(action.taint) }),
      targets: action.targets.map(objectRef),
    },
    ...(notFound === undefined ? {} : { notFound: notFound.map(notFoundEntry) }),
    outcome: forecast.outcome,
    ...endFields(forecast),
    refused: forecast.refused.map(entryOf),
    ...(forecast.dependsOnAdmission.length === 0
      ? {}
      : { dependsOnAdmission: forecast.dependsOnAdmission.map(objectRef) }),
    ...(forecast.ifHandled === undefined ? {} : { ifHandled: endFields(forecast.ifHandled) }),
    // oxlint-disable-next-line unicorn/no-thenable -- The contract's name; a list isn't called by await.
    then: forecast.doomed.map(({ object, after, anyway }) => ({
      object: objectRef(object),
      ...(after === undefined ? {} : { after: after.map(objectRef) }),
      ...(anyway ? { anyway } : {}),
    })),
    recreated: forecast.recreated.map(({ by, kind, count, pending, anyway }) => ({
      by: by === undefined ? '' : `${by.kind} ${namespacedName(by)}`,
      kind,
      count,
      ...(pending === 0 ? {} : { pending }),
      ...(anyway ? { anyway } : {}),
    })),
    ...(forecast.nodes === undefined ? {} : nodeFields(forecast.nodes)),
    timingDependent: forecast.timingDependent.map(({ object, outcomes, because, ifHandled, handlers }) => ({
      object: objectRef(object),
      outcomes: outcomes.map(({ words }) => words),
      because,
      ...(ifHandled ? { ifHandled } : {}),
      ...(handlers.length === 0 ? {} : { handlers: handlers.map(handlerEntry) }),
    })),
    flapping: forecast.flapping.map(each => ({ ...each, object: objectRef(each.object) })),
    ...(logical.length === 0 ? {} : { logical: logical.map(logicalEntry) }),
    steps: forecast
      .steps()
      .map(step => ({ ...step, at: formatTimestamp(step.at), object: objectRef(step.object) })),
    warnings: allWarnings(forecast),
    ...(line === undefined ? {} : { kubectl: line }),
  };
}

export interface RemedyListDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'RemedyList';
  readonly basis: Basis;
  readonly object: ObjectRef;
  readonly objects?: readonly ObjectRef[];
  readonly items: readonly RemedyDocument[];
}

export function remedyListDocument(
  basis: Basis,
  objects: readonly Identity[],
  remedies: readonly Remedy[],
): RemedyListDocument {
  const [object, ...others] = objects.map(objectRef);
  if (object === undefined) throw new Error('remedies for nothing');
  return {
    apiVersion: API_VERSION,
    kind: 'RemedyList',
    basis,
    object,
    ...(others.length === 0 ? {} : { objects: [object, ...others] }),
    items: remedies.map(remedyDocument),
  };
}
