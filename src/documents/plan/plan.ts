/** The Plan document (docs/documents.md): what a forecast says, for programs. */
import type { Remedy } from '../../forecast/action.ts';
import type {
  ChangedObject,
  DeletedObject,
  FlappingWorkload,
  Forecast,
  FreedVolume,
  NodeEffects,
  NodePod,
  PlanStep,
  TerminatingObject,
  TwiceRunning,
} from '../../forecast/plan/plan.ts';
import type { Identity } from '../../graph/node.ts';
import type { Taint as TaintFacts } from '../../model/facts/facts.ts';
import { namespacedName } from '../../model/object.ts';
import { shellLine } from '../../model/text/shell-line.ts';
import { allWarnings } from '../../text/plan/warnings.ts';
import { formatTimestamp } from '../../text/terminal/age.ts';
import { API_VERSION, type Basis, type ObjectRef, objectRef } from '../basis.ts';
import { type RemedyDocument, remedyDocument } from '../findings/finding-list.ts';

/** An entry of a forecast: `anyway` is set where the same happens if nobody acts. */
type Entry<T> = Omit<T, 'object' | 'anyway'> & { readonly object: ObjectRef; readonly anyway?: true };

export interface PlanDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Plan';
  readonly basis: Basis;
  readonly action: Omit<Forecast['action'], 'taint' | 'targets'> & {
    readonly taint?: Taint;
    readonly targets: readonly ObjectRef[];
  };
  readonly outcome: Forecast['outcome'];
  readonly deleted: readonly Entry<DeletedObject>[];
  readonly terminating: readonly Entry<TerminatingObject>[];
  readonly changed: readonly Entry<Omit<ChangedObject, 'ownerReferencesLeft'>>[];
  readonly recreated: readonly {
    /** `ReplicaSet shop/api-658b5b55dd`; `''` where no controller is known. */
    readonly by: string;
    readonly kind: string;
    readonly count: number;
    readonly pending?: number;
    readonly anyway?: true;
  }[];
  /** This and the next two only of an action that deletes or taints a node. Times are estimates, RFC 3339. */
  readonly nodePods?: readonly (Omit<NodePod, 'pod' | 'by' | 'when'> & {
    readonly pod: ObjectRef;
    /** Left out with the times where nobody touches it. */
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
  }[];
  readonly flapping: readonly Entry<FlappingWorkload>[];
  readonly steps: readonly (Entry<Omit<PlanStep, 'at'>> & { readonly at: string })[];
  readonly warnings: readonly string[];
  /** Left out where kubectl cannot do it, and where no line of a shell can hold a name in it as it is. */
  readonly kubectl?: string;
}

/** `value` is left out where there is none. */
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

export function planDocument(basis: Basis, forecast: Forecast): PlanDocument {
  const { action, kubectl } = forecast;
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
    outcome: forecast.outcome,
    deleted: forecast.deleted.map(entryOf),
    terminating: forecast.terminating.map(entryOf),
    changed: forecast.changed.map(({ ownerReferencesLeft: _left, ...each }) => entryOf(each)),
    recreated: forecast.recreated.map(({ by, kind, count, pending, anyway }) => ({
      by: by === undefined ? '' : `${by.kind} ${namespacedName(by)}`,
      kind,
      count,
      ...(pending === 0 ? {} : { pending }),
      ...(anyway ? { anyway } : {}),
    })),
    ...(forecast.nodes === undefined ? {} : nodeFields(forecast.nodes)),
    timingDependent: forecast.timingDependent.map(({ object, outcomes, because }) => ({
      object: objectRef(object),
      outcomes: outcomes.map(({ words }) => words),
      because,
    })),
    flapping: forecast.flapping.map(each => ({ ...each, object: objectRef(each.object) })),
    steps: forecast
      .steps()
      .map(step => ({ ...step, at: formatTimestamp(step.at), object: objectRef(step.object) })),
    warnings: allWarnings(forecast),
    ...(line === undefined ? {} : { kubectl: line }),
  };
}

/** What can be done about one object that is held up. */
export interface RemedyListDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'RemedyList';
  readonly basis: Basis;
  readonly object: ObjectRef;
  readonly items: readonly RemedyDocument[];
}

export function remedyListDocument(
  basis: Basis,
  object: Identity,
  remedies: readonly Remedy[],
): RemedyListDocument {
  return {
    apiVersion: API_VERSION,
    kind: 'RemedyList',
    basis,
    object: objectRef(object),
    items: remedies.map(remedyDocument),
  };
}
