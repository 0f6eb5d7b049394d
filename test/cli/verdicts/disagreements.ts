/**
 * One verdict on each object that is being deleted, whichever command is asked in whichever scope: it is deleted, is
 * deleted once handlers act, stays, or that is open. Everything is compared with what `plan -A` says.
 */
import { diagnostics } from '../../../src/app/cluster/diagnostics.ts';
import { Problems } from '../../../src/app/cluster/problems.ts';
import { paintingOf } from '../../../src/app/painting/make.ts';
import type { Diagnosis, FindingList, Plan, WaitResult } from '../../../src/cli/documents/definitions.ts';
import { createHandledForecaster } from '../../../src/diagnosis/waits/aftermath.ts';
import { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { KubeObject, Uid } from '../../../src/model/object.ts';
import { command } from '../console.ts';
import { crossing, wordsFor } from '../scoped-answers.ts';
import { ScopedSource } from '../scoped-source.ts';
import { objectsOf, type WaitingCluster, waitingCluster } from './waiting-cluster.ts';

type Verdict = 'deleted' | 'handled' | 'stuck' | 'open';

interface Compared {
  readonly disagreements: readonly string[];
  readonly verdicts: ReadonlyMap<Uid, Verdict>;
}

/** Of so many random clusters, and how often each verdict is given. */
export async function verdictsIn(
  from: number,
  clusters: number,
): Promise<{
  readonly disagreements: readonly string[];
  readonly count: Readonly<Partial<Record<Verdict, number>>>;
}> {
  const found: string[] = [];
  const count: Partial<Record<Verdict, number>> = {};
  for (let seed = from; seed < from + clusters; seed += 1) {
    const { disagreements, verdicts } = await compareVerdicts(await waitingCluster(seed));
    found.push(...disagreements.map(each => `${seed} ${each}`));
    for (const each of verdicts.values()) count[each] = (count[each] ?? 0) + 1;
  }
  return { disagreements: found, count };
}

/** Objects of a cluster about which single questions are asked, at most. */
const SINGLE = 3;

async function compareVerdicts(cluster: WaitingCluster): Promise<Compared> {
  const asked = new Asked(cluster);
  const plan = await asked.json<Plan>('plan -A -o json');
  const verdicts = new Map<Uid, Verdict>();
  for (const { uid, deletionTimestamp } of asked.objects.values()) {
    const verdict = verdictIn(plan, uid);
    if (deletionTimestamp === undefined) continue;
    if (verdict === undefined) asked.report('plan -A', uid, 'says nothing of it');
    else verdicts.set(uid, verdict);
  }
  await comparePlans(asked, verdicts);
  await compareChecks(asked, verdicts);
  const step = Math.max(1, Math.ceil(verdicts.size / SINGLE));
  for (const [nth, [uid, verdict]] of [...verdicts].entries())
    if (nth % step === 0) await compareAnswers(asked, uid, verdict);
  await compareAction(asked, verdicts);
  comparePainting(asked, verdicts);
  return { disagreements: asked.disagreements, verdicts };
}

class Asked {
  readonly disagreements: string[] = [];
  readonly objects: ReadonlyMap<Uid, KubeObject>;
  readonly namespaces: readonly string[];
  /** Objects about which a namespace alone doesn't tell everything. */
  readonly crossing: ReadonlySet<string>;
  readonly cluster: WaitingCluster;

  constructor(cluster: WaitingCluster) {
    this.cluster = cluster;
    this.objects = objectsOf(cluster);
    const all = [...this.objects.values()];
    this.crossing = crossing(all);
    this.namespaces = [...new Set(all.flatMap(({ namespace }) => (namespace === '' ? [] : namespace)))];
  }

  view(): ClusterView {
    const { whole, now, contentOf } = this.cluster;
    const view = new ClusterView();
    view.apply(whole, now);
    if (contentOf !== undefined) view.settings = { ...view.settings, contentOf };
    return view;
  }

  report(who: string, uid: string, what: string): void {
    const { type, namespace, name } = this.objects.get(uid as Uid) ?? { type: { kind: '?' } };
    this.disagreements.push(`${type.kind} ${namespace}/${name}: ${who} ${what}`);
  }

  run(words: string): ReturnType<typeof command> {
    const { whole, contentOf, now } = this.cluster;
    return command(words, { source: new ScopedSource(whole, 'none', contentOf), now: () => now });
  }

  async answer<T>(words: string): Promise<{ readonly document: T; readonly exitCode: number }> {
    const { out, err, exitCode } = await this.run(words);
    if (out === '') throw new Error(`${words}: ${err}`);
    return { document: JSON.parse(out) as T, exitCode };
  }

  async json<T>(words: string): Promise<T> {
    return (await this.answer<T>(words)).document;
  }
}

/** Undefined if the plan doesn't mention it. */
function verdictIn(plan: Plan, uid: Uid): Verdict | undefined {
  const has = (list: readonly { readonly object: { readonly uid?: string } }[]): boolean =>
    list.some(({ object }) => object.uid === uid);
  if (has(plan.timingDependent)) return 'open';
  if (has(plan.deleted)) return 'deleted';
  if (!has(plan.terminating)) return undefined;
  return has(plan.ifHandled?.deleted ?? []) ? 'handled' : 'stuck';
}

async function comparePlans(asked: Asked, verdicts: ReadonlyMap<Uid, Verdict>): Promise<void> {
  for (const namespace of asked.namespaces) {
    const within = [...verdicts].filter(([uid]) => isWithin(asked.objects.get(uid), namespace));
    const words = `plan -n ${namespace} --fail-on=stuck`;
    const { document: plan, exitCode } = await asked.answer<Plan>(`${words} -o json`);
    for (const [uid, verdict] of within) {
      const here = verdictIn(plan, uid);
      if (here !== verdict) asked.report(words, uid, `says ${here}, plan -A ${verdict}`);
    }
    const isStuck = within.some(([, verdict]) => verdict === 'stuck');
    if (isStuck && exitCode !== 1) asked.report(words, '', `exits with ${exitCode}`);
  }
}

function isWithin(object: KubeObject | undefined, namespace: string): boolean {
  return object !== undefined && isNamed({ ...object, kind: object.type.kind }, namespace);
}

function isNamed(
  object: { readonly kind: string; readonly namespace?: string; readonly name: string },
  namespace: string,
): boolean {
  return (object.kind === 'Namespace' ? object.name : object.namespace) === namespace;
}

async function compareChecks(asked: Asked, verdicts: ReadonlyMap<Uid, Verdict>): Promise<void> {
  const whole = await asked.json<FindingList>('check -A -o json --no-effects');
  for (const { object, severity, code, message } of whole.items)
    compareWords(asked, `check -A (${code}, ${severity})`, object.uid as Uid, {
      verdict: verdicts.get(object.uid as Uid),
      words: message,
      isError: severity === 'error',
    });
  const idsOf = (list: FindingList['items']): string =>
    list
      .filter(({ object: { uid = '' } }) => !asked.crossing.has(uid))
      .map(({ code, severity, object }) => `${code} ${severity} ${object.uid}`)
      .sort()
      .join('\n');
  compareScreen(asked, undefined, whole.items);
  for (const scope of asked.namespaces) {
    const words = `check -n ${scope}`;
    const { document, exitCode } = await asked.answer<FindingList>(`${words} -o json --no-effects`);
    const here = whole.items.filter(({ object }) => isNamed(object, scope));
    const [found, expected] = [idsOf(document.items), idsOf(here)];
    if (found !== expected) asked.report(words, '', `finds\n${found}\ncheck -A\n${expected}`);
    const isFailing = document.items.some(({ severity }) => severity !== 'info');
    const folded = await asked.run(words);
    if (exitCode !== Number(isFailing) || folded.exitCode !== exitCode)
      asked.report(words, '', `exits with ${exitCode} as JSON, ${folded.exitCode} as text`);
    compareScreen(asked, scope, document.items);
  }
}

/** The counts in the header of the screen. */
function compareScreen(asked: Asked, scope: string | undefined, items: FindingList['items']): void {
  const { now } = asked.cluster;
  const problems = new Problems({ view: asked.view(), now, scope, diagnostics });
  while (problems.judgeMore(100));
  const { errors, warnings, infos } = problems.counts();
  const count = (severity: string): number => items.filter(each => each.severity === severity).length;
  const [there, here] = [
    [errors, warnings, infos],
    [count('error'), count('warning'), count('info')],
  ].map(each => each.join(' '));
  if (there !== here) asked.report(`the screen in ${scope}`, '', `counts ${there}, check ${here}`);
}

interface Said {
  readonly verdict: Verdict | undefined;
  readonly words: string;
  readonly isError?: boolean;
}

/** What is called stuck stays, and what is said to end by itself does. */
function compareWords(asked: Asked, who: string, uid: Uid, { verdict, words, isError = false }: Said): void {
  if (verdict === undefined) return;
  const stays = isError || /\bis stuck\b|stays as it is until a user|may never/u.test(words);
  const goes = /goes by itself|removes it next|is deleted next/u.test(words);
  if (stays && (verdict === 'deleted' || verdict === 'handled'))
    asked.report(who, uid, `says "${words}"; plan -A ${verdict}`);
  if (goes && verdict === 'stuck') asked.report(who, uid, `says "${words}"; plan -A ${verdict}`);
}

async function compareAnswers(asked: Asked, uid: Uid, verdict: Verdict): Promise<void> {
  const object = asked.objects.get(uid);
  if (object === undefined) return;
  const target = wordsFor(object).replace(' -n  ', ' ');
  const scopes = asked.crossing.has(uid) || object.namespace === '' ? [' -A'] : ['', ' -A'];
  for (const scope of scopes) {
    const words = `why ${target}${scope}`;
    const [item] = (await asked.json<Diagnosis>(words)).items;
    if (item === undefined) continue;
    compareNext(asked, words, uid, { verdict, words: item.next.join(' ') });
    compareWords(asked, words, uid, { verdict, words: item.summary });
    for (const { message, severity, code } of item.findings)
      compareWords(asked, `${words} (${code}, ${severity})`, uid, {
        verdict,
        words: message,
        isError: severity === 'error',
      });
  }
  const words = `wait ${target} --for=delete --timeout=0`;
  const [waited] = (await asked.json<WaitResult>(words)).items;
  if (waited?.outcome !== 'Remaining') asked.report(words, uid, `says ${waited?.outcome}`);
  else compareNext(asked, words, uid, { verdict, words: waited.diagnosis?.next.join(' ') ?? '' });
}

function compareNext(asked: Asked, who: string, uid: Uid, { verdict, words }: Said): void {
  if (nextOf(words) !== verdict) asked.report(who, uid, `says next "${words}"; plan -A ${verdict}`);
}

function nextOf(words: string): Verdict | undefined {
  if (/ends in one of several ways|may never be deleted/u.test(words)) return 'open';
  if (/stays as it is until (?:its|the) handlers/u.test(words)) return 'handled';
  if (/stays as it is (?:until a user acts|while)/u.test(words)) return 'stuck';
  return / is deleted(?: by [\w-]+: |\.$)/u.test(words) ? 'deleted' : undefined;
}

/** What a forecast of another action says happens anyway. */
async function compareAction(asked: Asked, verdicts: ReadonlyMap<Uid, Verdict>): Promise<void> {
  const target = [...asked.objects.values()].find(
    ({ deletionTimestamp, namespace, uid }) =>
      deletionTimestamp === undefined && namespace !== '' && !asked.crossing.has(uid),
  );
  if (target === undefined) return;
  const words = `plan delete ${wordsFor(target)}`;
  const plan = await asked.json<Plan>(words);
  for (const { object, anyway } of [...plan.deleted, ...plan.terminating]) {
    const uid = object.uid as Uid;
    const [here, there] = [verdictIn(plan, uid), verdicts.get(uid)];
    // The action may delete what a handler waits for.
    const then = plan.ifHandled?.deleted.find(each => each.object.uid === uid) ?? { anyway };
    if (anyway === true && then.anyway === true && there !== undefined && here !== there)
      asked.report(words, uid, `says ${here}, plan -A ${there}`);
  }
}

function comparePainting(asked: Asked, verdicts: ReadonlyMap<Uid, Verdict>): void {
  const { now } = asked.cluster;
  const forecast = createHandledForecaster(asked.view(), { now }).forecast({ verb: 'none' });
  for (const [uid, verdict] of verdicts) {
    const namespace = asked.objects.get(uid)?.namespace ?? '';
    for (const shown of [forecast, Forecast.inNamespace(forecast, namespace)]) {
      const { group = 'nothing', words = '' } = paintingOf(shown).of(uid) ?? {};
      const says = group === 'stuck' && !words.startsWith('stuck: ') ? 'handled' : group;
      // Cluster-scoped objects are in no namespace.
      if (says !== (verdict === 'open' ? 'uncertain' : verdict) && (shown === forecast || namespace !== ''))
        asked.report('the painting', uid, `says ${group}: ${words}; plan -A ${verdict}`);
    }
  }
}
