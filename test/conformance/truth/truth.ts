/**
 * Whether diagnosis tells the truth, on random clusters: every property of `truth-*.ts` on each, and of what violates
 * one the smallest scenario that still does.
 */
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import { shrink } from '../fuzz/shrink.ts';
import { differentCosts, withoutRemedy } from './actionable.ts';
import { disagreeing, disagreeingBefore } from './agreement.ts';
import { wrongWhenBlind } from './blind.ts';
import { wrongChains } from './chains.ts';
import { wrongRecommendations } from './recommended.ts';
import { wrongRemedies } from './remedies.ts';
import { alarms, contradicted, unannounced, unexplained } from './said.ts';
import { arrive, type TruthState, type Violation } from './state.ts';
import { truthScenario } from './worlds.ts';

type Property = (state: TruthState) => Iterable<Violation> | AsyncIterable<Violation>;

/** By what they are about; those of remedies and chains play the scenario again for each. */
export const properties = {
  said: [unexplained, unannounced, alarms, contradicted],
  actionable: [withoutRemedy, differentCosts],
  agreement: [disagreeing, disagreeingBefore],
  blind: [wrongWhenBlind],
  chains: [wrongChains],
  remedies: [wrongRemedies],
  recommended: [wrongRecommendations],
} as const satisfies Readonly<Record<string, readonly Property[]>>;

export type Subject = keyof typeof properties;

export interface FoundViolation extends Violation {
  readonly seed: number;
  readonly scenario: Scenario;
}

export interface TruthRounds {
  readonly from: number;
  readonly count: number;
  readonly subjects: readonly Subject[];
}

export interface TruthResult {
  readonly violations: readonly FoundViolation[];
  /** Clusters on which the simulation itself didn't come to rest. */
  readonly restless: readonly number[];
  readonly findings: number;
  readonly deleting: number;
}

export async function hold({ from, count, subjects }: TruthRounds): Promise<TruthResult> {
  const violations: FoundViolation[] = [];
  const restless: number[] = [];
  let findings = 0;
  let deleting = 0;
  for (let seed = from; seed < from + count; seed++) {
    const scenario = truthScenario(seed);
    const state = await arrived(scenario);
    if (state === undefined) {
      restless.push(seed);
      continue;
    }
    findings += [...state.diagnosis.all()].length;
    for (const { object } of state.view.graph.nodes())
      if (object?.deletionTimestamp !== undefined) deleting++;
    for (const each of await violationsOf(state, subjects)) violations.push({ ...each, seed, scenario });
  }
  return { violations, restless, findings, deleting };
}

/** The smallest scenario that violates the same rule. */
export function smallest(
  { scenario, rule }: FoundViolation,
  subjects: readonly Subject[],
): Promise<Scenario> {
  const violates = async (candidate: Scenario): Promise<boolean> => {
    const state = await arrived(candidate);
    return state !== undefined && (await violationsOf(state, subjects)).some(each => each.rule === rule);
  };
  return shrink(scenario, async candidates => {
    const answers: boolean[] = [];
    for (const candidate of candidates) answers.push(await violates(candidate));
    return answers;
  });
}

async function violationsOf(state: TruthState, subjects: readonly Subject[]): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  for (const subject of subjects)
    for (const property of properties[subject]) for await (const each of property(state)) found.push(each);
  return found;
}

/** Undefined where it doesn't rest, or where a smaller scenario lacks what is done something to. */
async function arrived(scenario: Scenario): Promise<TruthState | undefined> {
  try {
    return await arrive(scenario);
  } catch (error) {
    if (error instanceof Error && /does not rest|no object|no owner/u.test(error.message)) return undefined;
    throw error;
  }
}
