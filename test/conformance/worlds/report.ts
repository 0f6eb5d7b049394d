/** What the rounds have shown: counts of them, and a divergence with all that it takes to look into it. */
import type { KubeObject } from '../../../src/model/object.ts';
import type { WorldManager } from './managers.ts';
import type { Round } from './worlds.ts';

export interface Tally {
  readonly rounds: number;
  /** Rounds with each of these that acts beside the control plane. */
  readonly having: Readonly<Record<string, number>>;
  /** Effects under `logical` in plans, and those of them that a manager was to bring about by itself and has. */
  readonly logical: Readonly<Record<string, number>>;
  readonly kept: number;
  /** Outcomes of plans. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** States of handlers in them, each finalizer of a plan counted once. */
  readonly states: Readonly<Record<string, number>>;
  /** Verdicts by phase. */
  readonly verdicts: Readonly<Record<string, number>>;
  /** Why rounds are open. */
  readonly open: Readonly<Record<string, number>>;
  readonly objects: number;
  /** Objects that plans say depend on timing, and those of them that ended in no way that is named. */
  readonly timingDependent: number;
  readonly unforeseen: number;
  readonly divergences: readonly number[];
}

export function diverges({ verdicts }: Round): boolean {
  return Object.values(verdicts).some(({ is }) => is === 'diverges');
}

export function tally(rounds: readonly Round[]): Tally {
  const outcomes: Record<string, number> = {};
  const having: Record<string, number> = {};
  const logical: Record<string, number> = {};
  const states: Record<string, number> = {};
  const verdicts: Record<string, number> = {};
  const open: Record<string, number> = {};
  const add = (counts: Record<string, number>, key: string): void => {
    counts[key] = (counts[key] ?? 0) + 1;
  };
  let [objects, timingDependent, unforeseen, kept] = [0, 0, 0, 0];
  for (const { acted, verdicts: found } of rounds) {
    const { plan, before, world } = acted;
    add(outcomes, plan.outcome);
    if (world.handlers.some(({ kind }) => kind !== 'absent' && kind !== 'notOutside'))
      add(having, 'handlers');
    if (world.webhooks.length > 0) add(having, 'webhooks');
    if (world.manager !== undefined) add(having, 'managers');
    if (plan.timingDependent.length > 0) add(having, 'timing-dependent objects');
    for (const { effect, when = 'always' } of plan.logical ?? []) add(logical, `${effect} ${when}`);
    const seen = new Set(
      [...plan.terminating, ...(plan.ifHandled?.terminating ?? [])].flatMap(({ handlers = [] }) =>
        handlers.map(({ finalizer, state }) => `${finalizer} ${state}`),
      ),
    );
    for (const each of seen) add(states, each.split(' ')[1] ?? '');
    objects += before.length;
    for (const [phase, { is, because, timing, unforeseen: none, kept: done }] of Object.entries(found)) {
      add(verdicts, `${phase} ${is}`);
      for (const each of new Set(because.map(words => words.replace(/\S+\.dev\/\S+/u, '…')))) add(open, each);
      if (phase === 'handled') {
        timingDependent += timing;
        unforeseen += none.length;
        kept += done;
      }
    }
  }
  return {
    rounds: rounds.length,
    having,
    logical,
    kept,
    outcomes,
    states,
    verdicts,
    open,
    objects,
    timingDependent,
    unforeseen,
    divergences: rounds.filter(diverges).map(({ acted }) => acted.world.seed),
  };
}

/** The seed, what was done and foretold, what differs, and the part of the world that hangs together with that. */
export function describeRound({ acted, verdicts }: Round): string {
  const { world, plan, before } = acted;
  const wrong = Object.entries(verdicts).filter(([, { is }]) => is !== 'alike');
  const differing = new Set(wrong.flatMap(([, { differences }]) => differences.map(({ uid }) => uid)));
  const targets = plan.action.targets.map(
    ({ kind, namespace, name }) => `${kind} ${namespace ?? ''}/${name}`,
  );
  return [
    `seed ${world.seed}, ${wrong.map(([phase, { is, because }]) => `${phase} ${is}: ${because.join(', ')}`).join('; ')} (${world.pace}): delete ${targets.join(' and ')}, ${plan.action.cascade}: ${plan.outcome}`,
    ...wrong.flatMap(([phase, { differences }]) =>
      differences.map(
        ({ object, foretold, real }) =>
          `  ${phase}: ${object}: foretold ${foretold.fate} ${foretold.more}, is ${real.fate} ${real.more}`,
      ),
    ),
    ...[...plan.terminating, ...(plan.ifHandled?.terminating ?? [])].flatMap(({ object, handlers = [] }) =>
      handlers.map(
        ({ finalizer, handler, state, evidence }) =>
          `  ${object.kind} ${object.name} ${finalizer}: ${handler} ${state} (${evidence.join('; ')})`,
      ),
    ),
    `  handlers: ${world.handlers.map(each => JSON.stringify(each)).join(', ')}`,
    ...world.webhooks.map(each => `  webhook: ${JSON.stringify(each)}`),
    ...(world.manager === undefined ? [] : [`  manager: ${managerWords(world.manager)}`]),
    ...(plan.logical ?? []).map(
      ({ object, by, effect, when, because }) =>
        `  logical: ${object.kind} ${object.name} ${effect} ${when ?? ''} by ${by}: ${because}`,
    ),
    ...plan.warnings.map(each => `  warning: ${each}`),
    ...plan.timingDependent.map(
      ({ object, outcomes }) => `  timing: ${object.kind} ${object.name}: ${outcomes.join(' | ')}`,
    ),
    ...connected(before, differing).map(each => `  ${lineOf(each)}`),
  ].join('\n');
}

function managerWords({ resources, ...rest }: WorldManager): string {
  return `${JSON.stringify(rest)} of ${resources.map(({ of }) => of).join(', ')}`;
}

/** Everything that is linked with these by owner references. */
function connected(before: readonly KubeObject[], uids: ReadonlySet<string>): readonly KubeObject[] {
  const found = new Set(uids);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { uid, owners } of before) {
      if (owners.some(owner => found.has(owner.uid))) found.add(uid);
      if (found.has(uid)) for (const owner of owners) found.add(owner.uid);
    }
  }
  return before.filter(({ uid }) => found.has(uid));
}

function lineOf({ type, namespace, name, uid, finalizers, owners, deletionTimestamp }: KubeObject): string {
  return [
    `${type.kind} ${namespace}/${name} ${uid}`,
    ...(deletionTimestamp === undefined ? [] : ['deleting']),
    ...finalizers,
    ...owners.map(
      owner =>
        `owner ${owner.kind} ${owner.name} ${owner.uid}${owner.blockOwnerDeletion === true ? ' blocking' : ''}${owner.controller === true ? ' controller' : ''}`,
    ),
  ].join(', ');
}
