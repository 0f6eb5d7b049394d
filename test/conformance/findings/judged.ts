/** The findings of one run in the words of its scenario, and how they differ from what the scenario says. */
import type { Diagnosis } from '../../../src/diagnosis/engine/diagnosis.ts';
import type { Finding } from '../../../src/diagnosis/engine/finding.ts';
import type { Identity } from '../../../src/graph/node.ts';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import type { PrefixedPlayer } from '../prefixed-player.ts';

/** Milliseconds that the scenario says have passed, and that nobody waited for. */
export function waited({ steps }: Scenario): number {
  return steps.reduce((sum, step) => sum + (step !== 'settle' && 'wait' in step ? step.wait : 0), 0);
}

/**
 * Milliseconds that may pass between a scenario's last step and a look at it. What a slow machine takes beyond them isn't
 * part of the scenario: many findings are about what has gone on for a minute.
 */
const MOST_UNTOLD = 30_000;

/**
 * When a scenario is judged that was played until `playedAt`, both in milliseconds since the epoch: now, but no more
 * than half a minute and what the scenario itself lets pass after its last step.
 */
export function timeOf(scenario: Scenario, playedAt: number): number {
  return Math.min(Date.now(), playedAt + MOST_UNTOLD) + waited(scenario);
}

/** Findings on what belongs to the run: the scenario's objects, what controllers made of them, and the nodes that it names. */
export function ownFindings(diagnosis: Diagnosis, player: PrefixedPlayer): readonly Finding[] {
  return [...diagnosis.all()].filter(({ object }) => isOwn(object, player));
}

function isOwn(object: Identity, player: PrefixedPlayer): boolean {
  const { prefix } = player.placement;
  const { kind, name } = object;
  if (kind === 'Node') return isMeddledWith(name, player.scenario);
  return player.owns(object) || (kind === 'Namespace' && name.startsWith(`${prefix}-`));
}

function isMeddledWith(node: string, { steps }: Scenario): boolean {
  return steps.some(step => step !== 'settle' && 'node' in step && step.node.name === node);
}

/** `Code Kind namespace/name` in the scenario's names. */
export function lineOf({ code, object }: Pick<Finding, 'code' | 'object'>, player: PrefixedPlayer): string {
  const { prefix } = player.placement;
  const symbolic = (name: string): string =>
    name.startsWith(`${prefix}-`) ? name.slice(prefix.length + 1) : name;
  const { kind, namespace, name, uid } = object;
  const made = player.naming.made.get(uid);
  const place = namespace === '' ? symbolic(name) : `${symbolic(namespace)}/${name}`;
  return `${code} ${made ?? `${kind} ${place}`}`;
}

export interface FindingDifference {
  /** Said by the scenario and not found. */
  readonly missing: readonly string[];
  readonly unexpected: readonly string[];
}

/** A `*` in a scenario's name stands for what a controller made up: `Pod shop/api-*`. */
export function compareFindings(scenario: Scenario, found: readonly string[]): FindingDifference {
  const unexpected = [...found].sort();
  const missing: string[] = [];
  const said = (scenario.findings ?? []).map(({ code, object }) => `${code} ${object}`);
  // Names without a star first, so that none of theirs is taken by a pattern.
  said.sort((a, b) => Number(a.includes('*')) - Number(b.includes('*')) || (a < b ? -1 : 1));
  for (const line of said) {
    const index = unexpected.findIndex(each => matches(each, line));
    if (index < 0) missing.push(line);
    else unexpected.splice(index, 1);
  }
  return { missing, unexpected };
}

function matches(line: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  if (parts.length === 0) return line === pattern;
  const expression = [first, ...parts]
    .map(part => part.replaceAll(/[.\\+?()[\]{}|^$]/gu, '\\$&'))
    .join('[^/ ]+');
  return new RegExp(`^${expression}$`, 'u').test(line);
}
