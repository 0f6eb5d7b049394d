/**
 * The survey held to a PodGC that isn't its own, in random worlds in which people, kubelets and PodGC act on the same
 * pods, nodes come back, and the connection is lost.
 */
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/model/object.ts';
import { PodOutlook } from '../../src/podgc/survey/outlook.ts';
import { node, pod } from './fixtures.ts';
import { changed, factsOf, Reality, slowController, type Taking } from './slow-controller.ts';
import { gone, start, surveyed, upsert } from './survey-cluster.ts';

const THRESHOLD = 3;
const LAG = 200;
const SECOND = 1_000;
/** As long as a quarantine may last. */
const UNWATCHED_MS = 100_000;
const USERS_MS = 420_000;
const taint = [{ key: 'node.kubernetes.io/out-of-service', value: 'x', effect: 'NoSchedule' }];

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Told {
  readonly rule: string;
  readonly asked: number;
  readonly from: number;
  readonly by: number;
}

/** What was said falsely in the world of this seed, one line each. */
function falsehoods(seed: number): readonly string[] {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const wrong: string[] = [];
  const clock = { now: start };
  const { survey, apply } = surveyed([], { now: start, threshold: THRESHOLD });
  const arriving: { readonly at: number; readonly deliver: () => void }[] = [];
  const lastChange = new Map<string, number>();
  let finishedChange = 0;
  let connected = true;
  let reconnectedAt = 0;
  let known = new Map<string, KubeObject>();
  const said = new Map<string, Told[]>();
  /** When a pod came or went while the connection was lost, by its node: PodGC may have missed that, and nobody saw it. */
  const unwatched = new Map<string, number>();
  const keyOf = ({ type, name }: KubeObject) => `${type.kind}/${name}`;
  const seconds = (at: number) => ((at - start) / SECOND).toFixed(1);

  const reality = new Reality((before, after) => {
    const object = after ?? before;
    if (object === undefined) return;
    lastChange.set(keyOf(object), clock.now);
    if (!connected && object.type.kind === 'Pod') unwatched.set(factsOf(object).nodeName, clock.now);
    if (object.type.kind === 'Pod') finishedChange = clock.now;
    else
      for (const each of reality.pods.values())
        if (factsOf(each).nodeName === object.name) said.delete(each.uid);
    if (!connected) return;
    arriving.push({
      at: clock.now + LAG,
      deliver: () => {
        if (!connected) return;
        if (after !== undefined) {
          const old = known.get(keyOf(after));
          known.set(keyOf(after), after);
          apply(
            [...(old !== undefined && old.uid !== after.uid ? [gone(old)] : []), upsert(after)],
            clock.now,
          );
        } else if (before !== undefined && known.get(keyOf(before))?.uid === before.uid) {
          known.delete(keyOf(before));
          apply([gone(before)], clock.now);
        }
      },
    });
  });

  let items = new Map<string, PodOutlook>();
  const look = () => {
    items = new Map(survey.items(clock.now).map(item => [item.pod.uid, item]));
    if (!connected) return;
    for (const item of items.values()) {
      const { due } = item;
      if (due.when === 'overdue')
        wrong.push(`${seconds(clock.now)} s: ${item.pod.name} is overdue, and PodGC is at work`);
      if (!PodOutlook.isComing(item)) said.delete(item.pod.uid);
      else if (due.when === 'at' || due.when === 'now') {
        const list = (said.get(item.pod.uid) ?? []).filter(({ rule }) => rule === item.rule);
        list.push({ rule: item.rule, asked: clock.now, from: due.when === 'at' ? due.from : 0, by: due.by });
        said.set(item.pod.uid, list);
      }
    }
    for (const uid of said.keys()) if (!items.has(uid)) said.delete(uid);
  };

  let atStart = new Map<string, PodOutlook>();
  const takes = ({ at, cycle, uid, name, rule }: Taking) => {
    const live = reality.pods.get(name);
    if (
      live === undefined ||
      !connected ||
      clock.now - (unwatched.get(factsOf(live).nodeName) ?? 0) < UNWATCHED_MS ||
      cycle - reconnectedAt < 2_500
    )
      return;
    const item = atStart.get(uid);
    const settled = Math.max(
      lastChange.get(`Pod/${name}`) ?? 0,
      lastChange.get(`Node/${factsOf(live).nodeName}`) ?? 0,
      rule === 'Terminated' || item?.rule === 'Terminated' ? finishedChange : 0,
    );
    if (settled > cycle - 1_500) return;
    const what = `${seconds(at)} s: ${name} taken by ${rule} (cycle ${seconds(cycle)})`;
    if (item === undefined || item.due.when === 'no')
      wrong.push(`${what}, told ${item === undefined ? 'nothing' : item.reason.kind}`);
    else if (item.rule !== rule) wrong.push(`${what}, told ${item.rule}`);
    for (const { asked, from, by } of said.get(uid) ?? []) {
      if (at < from - SECOND || at > by + SECOND)
        wrong.push(`${what}, told at ${seconds(asked)}: from ${seconds(from)} by ${seconds(by)}`);
    }
  };

  const controller = slowController(
    {
      reality,
      threshold: THRESHOLD,
      random,
      starts: () => {
        look();
        atStart = items;
      },
      takes,
    },
    clock,
  );

  const nodeNames = ['n1', 'n2', 'n3', 'n4'];
  let made = 0;
  const people = (): void => {
    const what = random();
    const name = pick(nodeNames) ?? '';
    const each = pick([...reality.pods.values()]);
    if (what < 0.22) {
      const live = reality.nodes.get(name);
      const next = pick(['ready', 'off', 'silent', 'tainted', 'gone', 'gone']);
      if (next === 'gone') {
        if (live !== undefined) reality.remove(live);
      } else {
        const taints = next === 'off' || next === 'tainted' ? taint : [];
        const creationTimestamp = live?.creationTimestamp ?? Math.floor(clock.now / SECOND) * SECOND;
        const uid = live?.uid ?? (`uid-${name}-${made++}` as KubeObject['uid']);
        reality.put(
          Object.assign(node(name, next === 'ready' || next === 'tainted', taints), {
            creationTimestamp,
            uid,
          }),
        );
      }
      return;
    }
    if (what < 0.45) {
      if (reality.pods.size > 14) return;
      const finalizers = random() < 0.3 ? ['example.com/hold'] : [];
      const creationTimestamp = Math.floor(clock.now / SECOND) * SECOND;
      const nodeName = pick(['', ...nodeNames, ...nodeNames]) ?? '';
      const uid = `uid-${made}` as KubeObject['uid'];
      reality.put(pod(`p${made++}`, { nodeName, phase: 'Running' }, { uid, finalizers, creationTimestamp }));
      return;
    }
    if (each === undefined) return;
    const { phase, nodeName } = factsOf(each);
    const isOver = phase === 'Failed' || phase === 'Succeeded';
    if (what < 0.6) reality.deletePod(each.name, 30, clock.now);
    else if (what < 0.65) reality.deletePod(each.name, 0, clock.now);
    else if (what < 0.78 && !isOver && nodeName !== '' && reality.nodes.get(nodeName) !== undefined)
      reality.put(changed(each, { phase: random() < 0.5 ? 'Failed' : 'Succeeded' }));
    else if (what < 0.86 && each.finalizers.length > 0) {
      if (each.deletionTimestamp !== undefined && each.deletionGracePeriodSeconds === 0) reality.remove(each);
      else reality.put(changed(each, {}, { finalizers: [] }));
    } else if (
      what < 0.92 &&
      nodeName === '' &&
      each.deletionTimestamp === undefined &&
      reality.nodes.has(name)
    )
      reality.put(changed(each, { nodeName: name }));
    else if (what < 0.95) reality.put(changed(each, {}, { labels: new Map([['x', String(made)]]) as never }));
  };

  /** On ready nodes kubelets end what is being deleted. */
  const kubelets = (): void => {
    for (const each of reality.pods.values()) {
      const { nodeName, phase } = factsOf(each);
      const facts = reality.nodes.get(nodeName)?.facts;
      const isReady = facts?.kind === 'Node' && facts.conditions[0]?.status === 'True';
      if (!isReady || each.deletionTimestamp === undefined || (each.deletionGracePeriodSeconds ?? 0) === 0)
        continue;
      if (random() < 0.7) continue;
      if (phase === 'Running') reality.put(changed(each, { phase: random() < 0.5 ? 'Failed' : 'Succeeded' }));
      reality.deletePod(each.name, 0, clock.now);
    }
  };

  const queue: { at: number; readonly run: () => void }[] = [];
  const every = (first: number, pause: () => number, run: () => void, until = Number.POSITIVE_INFINITY) => {
    const entry = {
      at: first,
      run: () => {
        run();
        entry.at = clock.now + pause();
        if (entry.at > until) queue.splice(queue.indexOf(entry), 1);
      },
    };
    queue.push(entry);
  };
  for (const name of nodeNames.slice(0, 3)) reality.put(node(name, true));
  let wait = 0;
  every(
    start + random() * 20_000,
    () => wait,
    () => {
      wait = controller.next().value;
    },
  );
  every(start + 500, () => 100 + random() * 7_000, people, start + USERS_MS);
  every(start + 700, () => 2_000, kubelets);
  every(start + 900, () => 1_000, look);
  every(
    start + 30_000 + random() * 200_000,
    () => (connected ? 60_000 + random() * 200_000 : 2_000 + random() * 90_000),
    () => {
      connected = !connected;
      said.clear();
      if (!connected) {
        apply([], clock.now, { connection: { state: 'lost', reason: 'reset', since: clock.now } });
        return;
      }
      reconnectedAt = clock.now;
      const next = new Map(
        [...reality.nodes.values(), ...reality.pods.values()].map(each => [keyOf(each), each]),
      );
      const uids = new Set([...next.values()].map(({ uid }) => uid));
      const lost = [...known.values()].filter(({ uid }) => !uids.has(uid));
      known = next;
      apply([...lost.map(gone), ...[...next.values()].map(upsert)], clock.now, {
        connection: { state: 'live' },
      });
    },
    start + USERS_MS,
  );
  const end = start + USERS_MS + 300_000;
  while (clock.now < end && wrong.length < 3) {
    const arrival = arriving[0];
    const next = queue.reduce((a, b) => (b.at < a.at ? b : a));
    if (arrival !== undefined && arrival.at <= next.at) {
      clock.now = arrival.at;
      arriving.shift();
      arrival.deliver();
    } else {
      clock.now = next.at;
      next.run();
    }
  }
  if (connected && wrong.length === 0)
    for (const item of survey.items(clock.now))
      if (PodOutlook.isComing(item))
        wrong.push(`${item.pod.name} is still due at the end: ${item.reason.kind}`);
  return wrong;
}

describe('held to a controller that takes its time', () => {
  it('names each pod before it is taken, by its rule and in its span, and calls nothing overdue', () => {
    for (let seed = 1; seed <= Number(process.env['ROUNDS'] ?? 40); seed++)
      expect([seed, ...falsehoods(seed)]).toEqual([seed]);
  });
});
