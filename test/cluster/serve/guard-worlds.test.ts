/**
 * The guard in random worlds on a real control plane: what kubectl prints is what `plan` forecasts and what happens, and the
 * API server asks about no request of its own components. `GC_TREE_GUARDED=1000` plays that many worlds,
 * `GC_TREE_GUARDED_SEED=7` begins with that one.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { mapConcurrently } from '../../../src/model/concurrently.ts';
import { list, record } from '../../../src/model/json/json.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import { planWords } from '../../../src/text/index.ts';
import { command } from '../../cli/console.ts';
import { byWorld } from '../../conformance/worlds/live-cluster.ts';
import { describeRound, diverges, tally } from '../../conformance/worlds/report.ts';
import { WorldSource } from '../../conformance/worlds/world-source.ts';
import { type Acted, type ActedStage, playWorlds } from '../../conformance/worlds/worlds.ts';
import { componentUsers } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { Callers } from './callers.ts';
import { GuardedCluster } from './guarded.ts';
import { contradictionOf } from './told-deletions.ts';

const rounds = Number(process.env['GC_TREE_GUARDED'] ?? 20);
const first = Number(process.env['GC_TREE_GUARDED_SEED'] ?? 20_261_130);
const seeds = Array.from({ length: rounds }, (_, index) => first + index);
/** Worlds at a time, all of which the guard and each plan see. */
const BATCH = 25;
/** Deletions at a time: the guard is silent if it has no time. */
const AT_ONCE = 2;
/** Objects of each world whose deletion is tried, beside those that are deleted. */
const TRIED = 2;

const folder = mkdtempSync(path.join(tmpdir(), 'guard-worlds-'));
const auditPolicy = path.join(folder, 'audit.yaml');
const auditLog = path.join(folder, 'audit.log');
writeFileSync(
  auditPolicy,
  'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata, verbs: [delete, update, patch]}, {level: None}]\n',
);

interface Asked {
  readonly acted: Acted;
  readonly target: KubeObject;
  /** Arguments of `kubectl delete` and of `plan delete`. */
  readonly words: readonly string[];
  readonly expected: readonly string[];
  printed: readonly string[];
}

function wordsFor({ type, namespace, name }: KubeObject, cascade: string): string[] {
  const kind = type.group === '' ? type.resource : `${type.resource}.${type.version}.${type.group}`;
  return [`${kind}/${name}`, ...(namespace === '' ? [] : ['-n', namespace]), `--cascade=${cascade}`];
}

/** The action's targets, and others of the world with a policy by chance. */
function* requestsOf({ world, before, plan }: Acted): Iterable<readonly [KubeObject, string]> {
  const targets = new Set(plan.action.targets.map(({ uid }) => uid));
  for (const object of before)
    if (targets.has(object.uid)) yield [object, plan.action.cascade ?? 'background'];
  const random = new Random(world.seed + 7_000_003);
  const others = before.filter(({ uid }) => !targets.has(uid));
  for (let tries = 0; tries < TRIED && others.length > 0; tries += 1) {
    const [object] = others.splice(random.below(others.length), 1);
    const cascade = (['background', 'foreground', 'orphan'] as const)[random.below(3)] ?? 'background';
    if (object !== undefined) yield [object, cascade];
  }
}

/** Renders the forecast that `plan` prints as the guard's warnings. */
async function expectedFor(source: WorldSource, words: readonly string[]): Promise<string[]> {
  const printed = vi.spyOn(planWords, 'lines');
  try {
    const { err } = await command(['plan', 'delete', ...words].join(' '), { source, now: () => Date.now() });
    const forecast = printed.mock.lastCall?.[0];
    if (forecast === undefined) throw new Error(`plan delete ${words.join(' ')}: ${err}`);
    return [...new Set(planWords.guard(forecast, { seesAll: true, mayName: () => true }))];
  } finally {
    printed.mockRestore();
  }
}

/** Tries deletions in all worlds, and remembers what kubectl printed. */
async function tryDeletions({ live, acted }: ActedStage, guarded: GuardedCluster): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const each of acted) {
    const all = [...live.view.graph.nodes()].flatMap(({ object }) => object ?? []);
    for (const [target, cascade] of requestsOf(each)) {
      const words = wordsFor(target, cascade);
      const expected = await expectedFor(new WorldSource(live, all), words);
      asked.push({ acted: each, target, words, expected, printed: [] });
    }
  }
  await mapConcurrently(asked, AT_ONCE, async each => {
    // The guard is silent if it has no time.
    await eventually(async () => {
      each.printed = await guarded.warningsFor(...each.words);
      expect(each.printed).toEqual(each.expected);
    }, 60_000).catch(() => {});
  });
  return asked;
}

interface AuditEvent {
  readonly user: { readonly username?: string };
  readonly responseStatus?: { readonly code: number; readonly message?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Reads the components' requests from the audit log, and those of them that name the webhook. */
function logged(): { readonly requests: number; readonly troubled: readonly AuditEvent[] } {
  const lines = readFileSync(auditLog, 'utf8').split('\n');
  const events = lines.filter(line => line !== '').map(line => JSON.parse(line) as AuditEvent);
  const own = events.filter(({ user }) => Callers.isComponent(user.username));
  const troubled = own.filter(({ responseStatus, annotations }) =>
    JSON.stringify([responseStatus, annotations]).includes('warnings.gc-tree.dev'),
  );
  return { requests: own.length, troubled };
}

it(`says in ${rounds} random worlds what plan says and what happens, and delays no component`, async () => {
  const say = rounds === 20 ? () => {} : (line: string): void => console.error(line);
  const [different, contradicted]: string[][] = [[], []];
  const figures = { asked: 0, warned: 0, certain: 0 };
  const components = new Set<string>();
  const asked = new Map<string, number>();
  let refusals = 0;
  const beside = async (stage: ActedStage): Promise<() => Promise<void>> => {
    const guarded = await GuardedCluster.of(stage.plane.cluster);
    const callers = await Callers.before(await guarded.startGuard(), stage.plane.cluster.tls.serving);
    await guarded.ask(callers.url);
    const prefixes = new Set(stage.acted.map(({ world }) => world.prefix));
    const before = byWorld(stage.live.view, prefixes);
    const tried = await tryDeletions(stage, guarded);
    for (const { words, expected, printed, acted } of tried) {
      figures.asked += 1;
      figures.warned += printed.length > 0 ? 1 : 0;
      if (JSON.stringify(expected) === JSON.stringify(printed)) continue;
      const title = `seed ${acted.world.seed}: delete ${words.join(' ')}`;
      const line = `${title}\n${JSON.stringify({ expected, printed }, undefined, 1)}`;
      different?.push(line);
      say(line);
    }
    say(`asked: ${JSON.stringify(figures)}`);
    return async () => {
      const after = byWorld(stage.live.view, prefixes);
      for (const { acted, target, words, printed } of tried) {
        const targets = acted.plan.action.targets;
        if (targets.length !== 1 || targets[0]?.uid !== target.uid) continue;
        const { prefix, seed } = acted.world;
        const found = contradictionOf(target, printed, before.get(prefix) ?? [], after.get(prefix) ?? []);
        if (found.isCertain) figures.certain += 1;
        if (found.because === undefined) continue;
        const line = `seed ${seed}: delete ${words.join(' ')}: ${found.because}\n  ${printed.join('\n  ')}`;
        contradicted?.push(line);
        say(line);
      }
      for (const each of callers.components) components.add(each);
      for (const [user, count] of callers.users) asked.set(user, (asked.get(user) ?? 0) + count);
      refusals += callers.refusals;
      callers.stop();
      guarded.stopGuards();
    };
  };
  const apiServerFlags = [`--audit-policy-file=${auditPolicy}`, `--audit-log-path=${auditLog}`];
  const played = await playWorlds({
    seeds,
    batch: BATCH,
    say,
    beside,
    played: each => each.filter(diverges).forEach(round => say(describeRound(round))),
    plane: { asThemselves: true, apiServerFlags },
  });
  say(JSON.stringify(tally(played), undefined, 2));
  const { requests, troubled } = logged();
  say(JSON.stringify({ ...figures, requests, refusals, asked: Object.fromEntries(asked) }, undefined, 1));
  const wrong = played.filter(diverges);
  expect(wrong.map(describeRound).join('\n')).toBe('');
  expect(different?.join('\n')).toBe('');
  expect(contradicted?.join('\n')).toBe('');
  expect([...components]).toEqual([]);
  expect(troubled).toEqual([]);
  expect(refusals).toBe(0);
  expect(Math.min(requests, figures.warned, figures.certain)).toBeGreaterThan(rounds / 10);
}, 10_800_000);

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: app, image: registry.example.com/app}]}
`;

it('notices if the API server asks about requests of its own components', async () => {
  const guarded = await GuardedCluster.start({ nodes: 1, users: componentUsers });
  try {
    const callers = await Callers.before(await guarded.startGuard(), guarded.cluster.tls.serving);
    await guarded.ask(callers.url, guarded.tls, ({ matchConditions, ...webhook }) => ({
      ...webhook,
      matchConditions: list(matchConditions).filter(each => record(each)['name'] !== 'not-the-control-plane'),
    }));
    await guarded.cluster.apply(web);
    await eventually(async () => {
      const running = ['get', 'pods', '--field-selector=status.phase=Running', '-o', 'name'];
      expect((await guarded.kubectl(...running)).stdout.trim().split('\n')).toHaveLength(2);
    });
    await guarded.kubectl('delete', 'deploy/web');
    await eventually(() =>
      expect(callers.components).toEqual(
        expect.arrayContaining([
          'system:node:kwok',
          'system:serviceaccount:kube-system:generic-garbage-collector',
        ]),
      ),
    );
    callers.stop();
  } finally {
    await guarded.stop();
  }
});
