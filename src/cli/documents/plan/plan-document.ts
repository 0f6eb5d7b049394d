/** The Plan document (docs/documents.md): a forecast for programs. */
import type { AssumedEffect, FinalizerHandler, Forecast, Remedy } from '../../../forecast/index.ts';
import type { Identity } from '../../../graph/index.ts';
import { namespacedName, shellLine, type Uid } from '../../../model/index.ts';
import type { FileLine } from '../../../source/index.ts';
import { timeText, warningWords } from '../../../text/index.ts';
import { API_VERSION, definedFields, objectRef } from '../basis.ts';
import type {
  Basis,
  FinalizerHandler as HandlerEntry,
  LogicalEntry,
  NotFoundEntry,
  ObjectRef,
  Plan,
  RemedyList,
} from '../definitions.ts';
import { remedyDocument } from '../findings/finding-list.ts';

/** A forecast's entry; `anyway` is set if it also happens without the action. */
type Entry<T> = Omit<T, 'object' | 'anyway'> & { readonly object: ObjectRef; readonly anyway?: true };

interface NotFound extends Omit<Identity, 'uid'>, Pick<NotFoundEntry, 'because'> {
  readonly place: FileLine | undefined;
}

function notFoundEntry({ because, place, ...object }: NotFound): NotFoundEntry {
  const source = place === undefined ? {} : { source: place };
  return { ...objectRef({ ...object, uid: '' as Uid }), because, ...source };
}

function logicalEntry({ object, by, effect, when, because, ...rest }: AssumedEffect): LogicalEntry {
  const head = { object: objectRef(object), by, effect, when, because, certainty: 'assumed' as const };
  return definedFields({ ...head, instead: rest.instead, cluster: rest.cluster, part: rest.part });
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
}: NonNullable<Forecast['nodes']>): Pick<Plan, 'nodePods' | 'freedVolumes' | 'couldRunTwice'> {
  return {
    nodePods: pods.map(({ pod, node, fate, by, when, ...rest }) =>
      definedFields({
        pod: objectRef(pod),
        node,
        fate,
        by,
        earliest: when && timeText.timestamp(when.earliest),
        latest: when && timeText.timestamp(when.latest),
        ...rest,
      }),
    ),
    freedVolumes: volumes.map(({ claim, volume, node, earliest, because }) =>
      definedFields({
        claim: objectRef(claim),
        volume,
        node,
        earliest: timeText.timestamp(earliest),
        because,
      }),
    ),
    couldRunTwice: couldRunTwice.map(({ pod, node, replacedBy, ...rest }) =>
      definedFields({ pod: objectRef(pod), node, replacedBy: objectRef(replacedBy), ...rest }),
    ),
  };
}

function drainFields({ drain }: Forecast): Pick<Plan, 'drainedPods'> {
  if (drain === undefined) return {};
  return {
    drainedPods: drain.pods.map(({ pod, budget, isContended, ...rest }) => ({
      pod: objectRef(pod),
      ...rest,
      ...(budget && { budget: objectRef(budget) }),
      ...(isContended && { isContended }),
    })),
  };
}

function uninstallFields({ uninstall }: Forecast): Pick<Plan, 'uninstall'> {
  if (uninstall === undefined) return {};
  const { stops, hooks, kept } = uninstall;
  return {
    uninstall: {
      ...(stops !== undefined && { stops }),
      hooks: hooks.map(({ event, object, replaces, isDeletedThen, fails }) => ({
        event,
        object: objectRef(object),
        replaces: replaces !== undefined,
        end: fails === undefined ? (isDeletedThen ? 'deleted' : 'stays') : 'fails',
        ...(fails !== undefined && { because: fails }),
      })),
      kept: kept.map(({ object, because }) => ({ object: objectRef(object), because })),
    },
  };
}

function handlerEntry({ words: _words, awaits: _awaits, ...handler }: FinalizerHandler): HandlerEntry {
  return handler;
}

function endFields({
  deleted,
  terminating,
  changed,
}: NonNullable<Forecast['ifHandled']>): Pick<Plan, 'deleted' | 'terminating' | 'changed'> {
  return {
    deleted: deleted.map(entryOf),
    terminating: terminating.map(({ handlers, cause: _cause, ...each }) => ({
      ...entryOf(each),
      handlers: handlers.map(handlerEntry),
    })),
    changed: changed.map(({ ownerReferencesLeft: _left, ...each }) => entryOf(each)),
  };
}

/** Effects outside the control plane, and on users of deleted objects. */
function otherEffects({ logical = [], breaks = [] }: Forecast): Pick<Plan, 'logical' | 'breaks'> {
  return {
    ...(logical.length > 0 && { logical: logical.map(logicalEntry) }),
    ...(breaks.length > 0 && {
      breaks: breaks.map(each => ({
        ...each,
        object: objectRef(each.object),
        user: objectRef(each.user),
      })),
    }),
  };
}

export function planDocument(basis: Basis, forecast: Forecast, notFound?: readonly NotFound[]): Plan {
  const { kubectl } = forecast;
  const { taint, targets, ...rest } = forecast.action;
  const line = shellLine(kubectl);
  return {
    apiVersion: API_VERSION,
    kind: 'Plan',
    basis,
    action: {
      ...rest,
      ...(taint && {
        taint: { key: taint.key, ...(taint.value !== '' && { value: taint.value }), effect: taint.effect },
      }),
      targets: targets.map(objectRef),
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
    recreated: forecast.recreated.map(({ by, actor = '', kind, count, pending, anyway }) => ({
      by: by === undefined ? actor : `${by.kind} ${namespacedName(by)}`,
      kind,
      count,
      ...(pending === 0 ? {} : { pending }),
      ...(anyway ? { anyway } : {}),
    })),
    ...(forecast.nodes === undefined ? {} : nodeFields(forecast.nodes)),
    ...drainFields(forecast),
    ...uninstallFields(forecast),
    timingDependent: forecast.timingDependent.map(
      ({ object, outcomes, because, ifHandled, handlers, anyway }) => ({
        object: objectRef(object),
        outcomes: outcomes.map(({ words }) => words),
        because,
        ...(ifHandled ? { ifHandled } : {}),
        ...(anyway ? { anyway } : {}),
        ...(handlers.length === 0 ? {} : { handlers: handlers.map(handlerEntry) }),
      }),
    ),
    flapping: forecast.flapping.map(each => ({ ...each, object: objectRef(each.object) })),
    ...otherEffects(forecast),
    steps: forecast.steps().map(({ before: _before, after: _after, ...step }) => ({
      ...step,
      at: timeText.timestamp(step.at),
      object: objectRef(step.object),
    })),
    warnings: warningWords.all(forecast),
    ...(line === undefined ? {} : { kubectl: line }),
  };
}

export function remedyListDocument(
  basis: Basis,
  objects: readonly Identity[],
  remedies: readonly Remedy[],
): RemedyList {
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
