/** What the end of a world says of its plan: that it was right, what it left open by its own words, or that it was wrong. */
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import type { HandlerState } from '../../../src/forecast/finalizer-handlers.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { LeftObject } from '../end-state.ts';
import { differences, type EndDifference, type EndOfObject, foretoldEnd, type WorldEnd } from './ends.ts';
import type { WorldManager } from './managers.ts';
import type { WorldWebhook } from './random-worlds.ts';

/** `held`: before any handler has done anything; `handled`: at the end. */
export type Phase = 'held' | 'handled';

/**
 * - `alike`: all that is certain ended as foretold.
 * - `open`: what differs is named in the plan as depending on something, which went the other way.
 * - `diverges`: it is not.
 */
export interface Verdict {
  readonly is: 'alike' | 'open' | 'diverges';
  /** Why it is open. */
  readonly because: readonly string[];
  readonly differences: readonly EndDifference[];
  /** Objects that are said to depend on timing, and of these those that ended in none of the ways that are named. */
  readonly timing: number;
  readonly unforeseen: readonly string[];
  /** What the plan says that a manager does, and it has done. */
  readonly kept: number;
}

export interface Ended {
  readonly phase: Phase;
  readonly plan: Plan;
  readonly before: readonly KubeObject[];
  readonly real: WorldEnd;
  /** Everything that is left on the cluster. */
  readonly left: ReadonlyMap<string, LeftObject>;
  /** How often its handler has removed the finalizer. */
  readonly removalsOf: (finalizer: string) => number;
  /** Whether anybody is at work who would remove it. */
  readonly acts: (finalizer: string) => boolean;
  readonly webhooks: readonly WorldWebhook[];
  /** How many requests what answers for them has refused. */
  readonly refused: number;
  readonly manager: WorldManager | undefined;
}

export function verdictOf(ended: Ended): Verdict {
  const { phase, plan, before, real } = ended;
  const ends = [foretoldEnd(before, plan)];
  if (phase === 'handled' && plan.ifHandled !== undefined) ends.push(foretoldEnd(before, plan.ifHandled));
  const expected = ends.at(-1) ?? new Map<string, EndOfObject>();
  const timing = new Map(
    plan.timingDependent
      .filter(({ ifHandled }) => phase === 'handled' || ifHandled !== true)
      .map(({ object, outcomes }) => [object.uid, outcomes]),
  );
  const found = differences(before, expected, real);
  const unforeseen = found.flatMap(({ uid, object, real: is }) =>
    timing.get(uid)?.every(words => !fits(words, is, phase)) === true ? [object] : [],
  );
  const certain = found.filter(({ uid }) => !timing.has(uid));
  const promised = promises(ended).filter(({ uid }) => !timing.has(uid));
  const broken = promised.flatMap(({ broken: each }) => each ?? []);
  const kept = promised.length - broken.length;
  const said = { timing: timing.size, unforeseen, differences: [...certain, ...broken], kept };
  if (broken.length > 0) return { ...said, is: 'diverges', because: [] };
  if (certain.length === 0) return { ...said, is: 'alike', because: [] };
  const reasons = reasonsOf(ended, ends).filter(({ explains }) => certain.some(explains));
  const isOpen = certain.every(each => reasons.some(({ explains }) => explains(each)));
  return { ...said, is: isOpen ? 'open' : 'diverges', because: reasons.map(({ because }) => because) };
}

/** `kept`, `stuck deleting, without …`, `deleted`; handlers may have gone on with what was stuck. */
function fits(words: string, { fate }: EndOfObject, phase: Phase): boolean {
  const isEnded = phase === 'handled' && fate === 'gone' && words.startsWith('stuck');
  return isEnded || words.startsWith({ gone: 'deleted', deleting: 'stuck', there: 'kept' }[fate]);
}

/** What a plan leaves open by its own words, and which differences that is the reason of. */
interface Reason {
  readonly because: string;
  readonly explains: (difference: EndDifference) => boolean;
}

function reasonsOf(ended: Ended, ends: readonly WorldEnd[]): readonly Reason[] {
  return ended.phase === 'held'
    ? admitted(ended)
    : [
        ...tooQuick(ended),
        ...idle(ended, ends),
        ...leaving(ended, ends),
        ...admitted(ended),
        ...managed(ended),
      ];
}

function handlersIn(
  { terminating, timingDependent, ifHandled }: Plan,
  states: readonly HandlerState[],
): ReadonlySet<string> {
  return new Set(
    [...terminating, ...timingDependent, ...(ifHandled?.terminating ?? [])].flatMap(({ handlers = [] }) =>
      handlers.filter(({ state }) => states.includes(state)).map(({ finalizer }) => finalizer),
    ),
  );
}

const order = ['there', 'deleting', 'gone'] as const;

/**
 * Handlers that the action takes along may do their work before: then what they hold, and what hangs on that, is as far as
 * foretold, or farther.
 */
function tooQuick(ended: Ended): readonly Reason[] {
  const { plan, removalsOf } = ended;
  const quick = [...handlersIn(plan, ['goesToo'])].filter(each => removalsOf(each) > 0);
  return quick.map(each => {
    const concerned = hangingOn(ended, heldBy(plan, each));
    return {
      because: `the handler of ${each} goes too, and was quicker`,
      explains: ({ uid, foretold, real }) =>
        concerned.has(uid) && order.indexOf(real.fate) >= order.indexOf(foretold.fate),
    };
  });
}

/** The objects that a plan names as held by a finalizer. */
function heldBy({ terminating, timingDependent, ifHandled }: Plan, finalizer: string): Set<string> {
  const named = [...terminating, ...timingDependent, ...(ifHandled?.terminating ?? [])];
  const held = named.filter(({ handlers = [] }) => handlers.some(each => each.finalizer === finalizer));
  return new Set(held.flatMap(({ object: { uid } }) => uid ?? []));
}

/**
 * These, their owners and namespaces, which may wait for them, their dependents, and so on; of a namespace that is being
 * deleted also the rest, which waits for its pods.
 */
function hangingOn({ before, plan }: Ended, uids: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set(uids);
  const going = new Set(plan.terminating.map(({ object: { uid } }) => uid));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    const around = new Set(before.flatMap(({ uid, namespace }) => (found.has(uid) ? namespace : [])));
    const emptied = new Set(
      before.flatMap(({ uid, type, name }) =>
        type.kind === 'Namespace' && found.has(uid) && going.has(uid) ? name : [],
      ),
    );
    for (const { uid, owners, type, namespace, name } of before) {
      if (owners.some(owner => found.has(owner.uid)) || emptied.has(namespace)) found.add(uid);
      if (found.has(uid)) for (const owner of owners) found.add(owner.uid);
      if (type.kind === 'Namespace' && around.has(name)) found.add(uid);
    }
  }
  return found;
}

/** Handlers of which nobody knows that they are there may not be: then each object ends in one of the two ways. */
function idle(ended: Ended, ends: readonly WorldEnd[]): readonly Reason[] {
  const { plan, acts, real } = ended;
  const missing = [...handlersIn(plan, ['outside', 'unknown'])].filter(each => !acts(each));
  const idly = missing.map(each => {
    const concerned = hangingOn(ended, heldBy(plan, each));
    return {
      because: `the handler of ${each} is not there`,
      explains: ({ uid }: EndDifference) =>
        concerned.has(uid) && ends.some(end => end.get(uid)?.fate === real.get(uid)?.fate),
    };
  });
  return [...idly, ...idleThen(ended)];
}

/** The same of one that has to act only once others have: what the plan names there, and what hangs on it, goes less far. */
function idleThen(ended: Ended): readonly Reason[] {
  const { plan, before, acts } = ended;
  return plan.warnings.flatMap(words => {
    const [, finalizer = '', objects = ''] =
      / depends on finalizer (\S+) of ([^:]*), too: /u.exec(words) ?? [];
    if (finalizer === '' || acts(finalizer)) return [];
    const named = before.filter(({ type, namespace, name }) =>
      objects.includes(`${type.kind} ${namespace}/${name}`),
    );
    const concerned = hangingOn(ended, new Set(named.map(({ uid }) => uid)));
    return [
      {
        because: `the handler of ${finalizer} is not there`,
        explains: ({ uid, foretold, real }: EndDifference) =>
          concerned.has(uid) && order.indexOf(real.fate) <= order.indexOf(foretold.fate),
      },
    ];
  });
}

/** A handler that takes itself away, or that a manager deletes, may be too late for some of what it has to remove. */
function leaving(ended: Ended, ends: readonly WorldEnd[]): readonly Reason[] {
  const { plan, real, manager } = ended;
  const warnings = plan.warnings.filter(
    each =>
      each.includes('may not all be deleted') ||
      (manager?.acts === true && /may never be deleted.*: as is assumed, /u.test(each)),
  );
  const finalizers = [...handlersIn(plan, ['running', 'outside', 'unknown', 'goesToo'])];
  return finalizers
    .filter(each => warnings.some(words => words.includes(each)))
    .map(each => {
      const concerned = hangingOn(ended, heldBy(plan, each));
      return {
        because: `the handler of ${each} has gone before`,
        explains: ({ uid }) =>
          concerned.has(uid) && ends.some(end => end.get(uid)?.fate === real.get(uid)?.fate),
      };
    });
}

/**
 * What a webhook answers that is there is assumed, and so is that it is there where that cannot be seen: the plan says so,
 * and which objects end otherwise where requests are refused.
 */
function admitted({ plan, webhooks, refused }: Ended): readonly Reason[] {
  const named = new Set(plan.dependsOnAdmission?.map(({ uid }) => uid));
  return webhooks.flatMap(({ kind, name }) => {
    const isAssumed = plan.warnings.some(
      each => /^(?:Assumed: |Admission )/u.test(each) && each.includes(name),
    );
    const stops = kind === 'refuses' ? refused > 0 : kind === 'within' || kind === 'dead';
    return isAssumed && stops
      ? [
          {
            because: `the plan assumes of the webhook that requests pass, which is: ${kind}`,
            explains: ({ uid }: EndDifference) => named.has(uid),
          },
        ]
      : [];
  });
}

/** What a manager does is assumed, and no part of the other lists: `logical` names each object that it is about. */
function managed({ plan, before, real, manager }: Ended): readonly Reason[] {
  if (manager?.acts !== true) return [];
  const logical = new Map(plan.logical?.map(each => [each.object.uid, each]));
  const fates = (uid: string): EndOfObject['fate'] | undefined => real.get(uid)?.fate;
  const isHeld = logical
    .entries()
    .some(([uid = '', { effect }]) => effect === 'deleted' && fates(uid) === 'deleting');
  const application = before.find(({ type }) => type.kind === 'Application');
  return [
    {
      because: 'a manager does what the plan says under `logical`',
      explains: ({ uid, real: { fate } }) => {
        const entry = logical.get(uid);
        if (entry?.effect === 'kept') return fate === 'there';
        return entry?.effect === 'deleted' && (fate !== 'there' || entry.when === 'unknown');
      },
    },
    {
      because: 'a manager waits for what it has deleted',
      explains: ({ uid, object, real: { fate } }) =>
        isHeld &&
        fate === 'deleting' &&
        (uid === application?.uid || object === `Namespace ${application?.namespace ?? ''}`),
    },
  ];
}

/** What a plan says that a manager which is at work does by itself, each with the difference where it hasn't come to pass. */
function promises({ phase, plan, before, real, left, manager }: Ended): readonly {
  readonly uid: string;
  readonly broken: EndDifference | undefined;
}[] {
  if (phase === 'held' || manager?.acts !== true) return [];
  const going = new Set<string>(
    before.flatMap(({ uid, deletionTimestamp }) => (deletionTimestamp ? uid : [])),
  );
  return (plan.logical ?? []).flatMap(({ object, by, effect, when = 'automatically' }) => {
    const { uid = '', kind, namespace = '', name } = object;
    const is = real.get(uid);
    if (is === undefined || when !== 'automatically') return [];
    const again = left
      .values()
      .some(
        each => each.kind === kind && each.namespace === namespace && each.name === name && !each.deleting,
      );
    const isKept = {
      deleted: is.fate !== 'there',
      kept: is.fate === 'there' || going.has(uid),
      // Its name has to be free.
      recreated: is.fate !== 'gone' || again,
      reverted: true,
    }[effect];
    const title = `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
    const foretold = { fate: is.fate, more: `${effect} by ${by}` };
    return { uid, broken: isKept ? undefined : { object: title, uid, foretold, real: is } };
  });
}
