/** The Plan document (docs/documents.md): what a forecast says, for programs. */

import type { Cascade, Remedy } from '../../forecast/action.ts';
import type { Forecast, NodeEffects, NodePod, Outcome } from '../../forecast/plan/plan.ts';
import type { Identity } from '../../graph/node.ts';
import type { Taint as TaintFacts } from '../../model/facts/facts.ts';
import { namespacedName, type Uid } from '../../model/object.ts';
import { shellLine } from '../../model/text/shell-line.ts';
import { allWarnings } from '../../text/plan/warnings.ts';
import { formatTimestamp } from '../../text/terminal/age.ts';
import { API_VERSION, type Basis } from '../basis.ts';
import { type RemedyDocument, remedyDocument } from '../findings/finding-list.ts';
import { type ObjectRef, objectRef } from '../object-ref.ts';

/** Set where the same happens if nobody acts. */
interface Anyway {
  readonly anyway?: true;
}

export interface PlanDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Plan';
  readonly basis: Basis;
  readonly action: {
    readonly verb: 'delete' | 'unblock' | 'taint' | 'restart' | 'none';
    readonly cascade?: Cascade;
    readonly remedy?: string;
    readonly taint?: Taint;
    readonly targets: readonly ObjectRef[];
  };
  readonly outcome: Outcome;
  readonly deleted: readonly (Anyway & {
    readonly object: ObjectRef;
    /** The component: `user`, `garbage-collector`, `namespace-controller`, … */
    readonly by: string;
    readonly reason: string;
  })[];
  readonly terminating: readonly (Anyway & {
    readonly object: ObjectRef;
    readonly finalizers: readonly string[];
    readonly waitingFor: readonly string[];
  })[];
  readonly changed: readonly (Anyway & {
    readonly object: ObjectRef;
    readonly ownerReferencesRemoved: readonly Uid[];
    readonly ownerReferencesUnblocked: readonly Uid[];
    readonly ownerReferencesAdded: readonly Uid[];
    readonly ownerReferencesAltered: readonly Uid[];
    readonly finalizersAdded: readonly string[];
    readonly finalizersRemoved: readonly string[];
  })[];
  readonly recreated: readonly (Anyway & {
    /** `ReplicaSet shop/api-658b5b55dd`; `''` where no controller is known. */
    readonly by: string;
    readonly kind: string;
    readonly count: number;
    /** Pods among them that no node takes. */
    readonly pending?: number;
  })[];
  /** This and the next two only of an action that takes a node away or taints it: every pod on such nodes. */
  readonly nodePods?: readonly {
    readonly pod: ObjectRef;
    readonly node: string;
    readonly fate: NodePod['fate'];
    /** The component that removes it or acted last; left out with the times where nobody touches it. */
    readonly by?: string;
    /** Estimates, RFC 3339. */
    readonly earliest?: string;
    readonly latest?: string;
    readonly because: string;
    readonly heldBy: readonly string[];
  }[];
  /** Claims that no pod on the node uses any more. */
  readonly freedVolumes?: readonly {
    readonly claim: ObjectRef;
    /** The PersistentVolume. */
    readonly volume?: string;
    readonly node: string;
    /** When it is detached at the earliest: an estimate, RFC 3339. */
    readonly earliest: string;
    readonly because: string;
  }[];
  /** Pods that are replaced while their containers may still run. */
  readonly couldRunTwice?: readonly {
    readonly pod: ObjectRef;
    readonly node: string;
    readonly replacedBy: ObjectRef;
    /** What both use where the new pod has another name. */
    readonly claim?: string;
    /** `assumed` where what the controller does isn't known. */
    readonly certainty: 'exact' | 'assumed';
    /** Finalizers that keep the old pod, and with it the name, until they are removed. */
    readonly heldBy: readonly string[];
    readonly because: string;
  }[];
  readonly timingDependent: readonly {
    readonly object: ObjectRef;
    readonly outcomes: readonly string[];
    readonly because: string;
  }[];
  /** Workloads that create objects of a kind without end; what else is listed shows one round of it. */
  readonly flapping: readonly {
    readonly object: ObjectRef;
    readonly kind: string;
    readonly because: string;
  }[];
  readonly steps: readonly {
    readonly n: number;
    readonly at: string;
    readonly actor: string;
    readonly verb: string;
    readonly object: ObjectRef;
    readonly request: string;
    readonly status: number;
    readonly because: string;
  }[];
  readonly warnings: readonly string[];
  /** Left out where kubectl cannot do it, and where no line of a shell can hold a name in it as it is. */
  readonly kubectl?: string;
}

/** `value` is left out where there is none. */
interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

function taintOf({ key, value, effect }: TaintFacts): Taint {
  return { key, ...(value === '' ? {} : { value }), effect };
}

function marked({ anyway }: { readonly anyway: boolean }): Anyway {
  return anyway ? { anyway: true } : {};
}

/** `Kind namespace/name`, verbatim. */
function titleOf(object: Identity): string {
  return `${object.kind} ${namespacedName(object)}`;
}

function nodeFields({
  pods,
  volumes,
  couldRunTwice,
}: NodeEffects): Pick<PlanDocument, 'nodePods' | 'freedVolumes' | 'couldRunTwice'> {
  return {
    nodePods: pods.map(({ pod, node, fate, by, when, because, heldBy }) => ({
      pod: objectRef(pod),
      node,
      fate,
      ...(by === undefined ? {} : { by }),
      ...(when === undefined
        ? {}
        : { earliest: formatTimestamp(when.earliest), latest: formatTimestamp(when.latest) }),
      because,
      heldBy,
    })),
    freedVolumes: volumes.map(({ claim, volume, node, earliest, because }) => ({
      claim: objectRef(claim),
      ...(volume === undefined ? {} : { volume }),
      node,
      earliest: formatTimestamp(earliest),
      because,
    })),
    couldRunTwice: couldRunTwice.map(({ pod, node, replacedBy, claim, certainty, heldBy, because }) => ({
      pod: objectRef(pod),
      node,
      replacedBy: objectRef(replacedBy),
      ...(claim === undefined ? {} : { claim }),
      certainty,
      heldBy,
      because,
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
    deleted: forecast.deleted.map(each => ({
      object: objectRef(each.object),
      by: each.by,
      reason: each.reason,
      ...marked(each),
    })),
    terminating: forecast.terminating.map(each => ({
      object: objectRef(each.object),
      finalizers: each.finalizers,
      waitingFor: each.waitingFor,
      ...marked(each),
    })),
    changed: forecast.changed.map(({ object, anyway, ownerReferencesLeft: _left, ...change }) => ({
      object: objectRef(object),
      ...change,
      ...marked({ anyway }),
    })),
    recreated: forecast.recreated.map(each => ({
      by: each.by === undefined ? '' : titleOf(each.by),
      kind: each.kind,
      count: each.count,
      ...(each.pending === 0 ? {} : { pending: each.pending }),
      ...marked(each),
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
