/** Unknown feature gates and server versions, reported only if the end would differ. */
import { type Identity, identityOfObject } from '../../graph/index.ts';
import {
  behaviours,
  ResourceType,
  ServerBehaviour,
  type Sliced,
  serverReleases,
  type Uid,
} from '../../model/index.ts';
import type { Action } from '../action.ts';
import { endsOf, type Run, runAction, type Stage } from '../simulated-run.ts';
import type { DoubtfulBehaviour, Warning } from './forecast-result.ts';
import { byIdentity, type Ends, endOf } from './run-ends.ts';

const doubtful: readonly {
  readonly name: DoubtfulBehaviour;
  readonly actor: string;
  readonly before: string;
}[] = [{ name: 'orderedNamespaceDeletion', actor: 'namespace-controller', before: '1.32' }];

export function collectorWaits({ fresh, unlistable, behaviour }: Stage): Warning[] {
  if (!fresh || unlistable.length === 0) return [];
  return [
    {
      code: 'collectorWaits',
      release: behaviour.release,
      kinds: unlistable.map(ResourceType.groupResource).sort(),
    },
  ];
}

export function* serverAssumptions(stage: Stage, performed: Action, run: Run, ends: Ends): Sliced<Warning[]> {
  const warnings: Warning[] = [];
  for (const { name, actor, before } of doubtful) {
    if (!run.log.some(request => request.actor === actor)) continue;
    const { behaviour } = stage;
    const gate = behaviour.openGate(name);
    const on = behaviour.has(name);
    const isUnknown = behaviour.unproven === 'unknown';
    if (gate === undefined && !isUnknown) continue;
    const other =
      gate === undefined
        ? new ServerBehaviour(before, undefined, behaviour.collector)
        : behaviour.withGate(gate, !on);
    const part: Stage = { ...stage, behaviour: other };
    const changed = differing(ends, endsOf(part, yield* runAction(part, performed)), stage);
    const [first] = changed;
    if (first === undefined) continue;
    const facts = { behaviour: name, first, others: changed.length - 1 };
    warnings.push(
      gate === undefined
        ? {
            code: 'versionAssumed',
            since: serverReleases.defaultSince(name),
            isAskable: stage.view.settings.standsStill === true,
            ...facts,
          }
        : {
            code: 'gateAssumed',
            gate,
            program: behaviours[name].program,
            on,
            release: behaviour.release,
            ...facts,
          },
    );
  }
  return [...warnings, ...namespacedOwners(stage, ends)];
}

/** Warns about cluster-scoped dependents of deleted namespaced objects, which the simulation leaves alone. */
function namespacedOwners({ behaviour, view, base }: Stage, ends: Ends): Warning[] {
  const name = 'leavesNamespacedOwners';
  if (behaviour.surelyHas(name)) return [];
  const left = new Map<Uid, Identity>();
  const deleted = [...ends].flatMap(([uid, { after }]) => (after === undefined ? uid : []));
  const gone = new Set(deleted);
  for (const uid of deleted) {
    if (base.byUid(uid)?.type.namespaced !== true) continue;
    for (const { object } of view.graph.get(uid)?.dependents ?? [])
      if (object?.type.namespaced === false && !gone.has(object.uid))
        left.set(object.uid, identityOfObject(object));
  }
  const [first, ...others] = [...left.values()];
  const since = serverReleases.firstSince(name);
  const isUnknown = behaviour.unproven === 'unknown';
  const isAskable = isUnknown && view.settings.standsStill === true;
  const known = isUnknown ? {} : { release: behaviour.release };
  return first === undefined
    ? []
    : [{ code: 'versionAssumed', behaviour: name, since, isAskable, ...known, first, others: others.length }];
}

function differing(a: Ends, b: Ends, { base }: Stage): readonly Identity[] {
  const found: { readonly object: Identity }[] = [];
  for (const uid of new Set([...a.keys(), ...b.keys()])) {
    const [one, other] = [a.get(uid), b.get(uid)];
    const before = base.byUid(uid);
    if (before === undefined || wordsOf(one) === wordsOf(other)) continue;
    found.push({ object: identityOfObject(before) });
  }
  return found.sort(byIdentity).map(({ object }) => object);
}

/** Returns `''` if nothing happens to it. */
function wordsOf(end: Parameters<typeof endOf>[0] | undefined): string {
  return end === undefined ? '' : endOf(end).words;
}
