/** The request in `plan`'s words and flags, validated without a cluster. */
import type { Action, Cascade } from '../../../forecast/index.ts';
import { type KubeObject, ownEntry, shownName, type Taint } from '../../../model/index.ts';
import { podGcNodes } from '../../../podgc/index.ts';
import { parseDuration } from '../../runtime/duration.ts';
import { UsageError } from '../../runtime/errors.ts';
import { type Flags, flagOf } from '../../runtime/flags.ts';
import { parseSelector } from '../../targets/selectors.ts';
import { parseChangeable, parseTargets, type TargetQuery } from '../../targets/targets.ts';
import type { UninstallFlags } from './uninstall.ts';

export type PlanRequest =
  | {
      readonly verb: 'delete';
      readonly query: TargetQuery;
      readonly cascade: Cascade;
      readonly gracePeriodSeconds: number | undefined;
    }
  | {
      readonly verb: 'uninstall';
      readonly release: string;
      readonly cascade: Cascade;
      readonly flags: UninstallFlags;
    }
  | { readonly verb: 'unblock'; readonly query: TargetQuery; readonly remedy: string }
  | { readonly verb: 'taint'; readonly query: TargetQuery; readonly taint: Taint }
  | { readonly verb: 'drain'; readonly query: TargetQuery; readonly flags: DrainFlags }
  | { readonly verb: 'restart' | 'none' };

type DrainFlags = Omit<Extract<Action, { readonly verb: 'drain' }>, 'verb' | 'targets'>;

export const planVerbs = ['delete', 'uninstall', 'unblock', 'taint', 'drain', 'restart'] as const;

// kubectl still accepts its former booleans.
const cascadeWords: Readonly<Record<string, Cascade>> = {
  background: 'background',
  foreground: 'foreground',
  orphan: 'orphan',
  true: 'background',
  false: 'orphan',
};

/** Throws a `UsageError` for an invalid plan. `fromFiles`: targets named by files. */
export function parsePlan(
  words: readonly string[],
  flags: Flags,
  fromFiles: TargetQuery | undefined,
): PlanRequest {
  if (flags.watch === true) throw new UsageError("--watch can't be combined with plan.");
  const [verb, ...targets] = words;
  refuseFlags(verb, flags);
  switch (verb) {
    case undefined:
      if (flags.selector !== undefined || flags.fieldSelector !== undefined || flags.all === true)
        throw new UsageError(
          'say what to do with them: plan delete -l … or plan unblock TARGET --remedy ID.',
        );
      return { verb: 'none' };
    case 'restart':
      if (targets.length > 0) throw new UsageError('plan restart takes no target.');
      return { verb: 'restart' };
    case 'delete':
      return {
        verb: 'delete',
        query: fromFiles ?? parseChangeable('plan delete', targets, flags),
        cascade: cascadeOf(flags),
        gracePeriodSeconds: gracePeriodOf(flags),
      };
    case 'uninstall':
      return {
        verb: 'uninstall',
        release: releaseName(targets),
        cascade: cascadeOf(flags),
        flags: { noHooks: flags.hooks === false, keepHistory: flags.keepHistory === true },
      };
    case 'unblock':
      if (targets.length === 0 || flags.remedy === undefined)
        throw new UsageError(
          'name the object and the remedy: plan unblock TARGET --remedy ID. why TARGET lists the remedies.',
        );
      return {
        verb: 'unblock',
        query: parseChangeable('plan unblock', targets, flags),
        remedy: flags.remedy,
      };
    case 'taint':
      return { verb: 'taint', ...parseTaint(targets, flags) };
    case 'drain':
      return { verb: 'drain', query: drainQuery(targets, flags), flags: drainFlags(flags) };
    default:
      throw new UsageError(
        `${JSON.stringify(verb)} is no action. Write plan delete TARGET, plan unblock TARGET, plan taint node/NAME out-of-service, plan drain node/NAME, plan uninstall helm/RELEASE, plan restart, or plan alone.`,
      );
  }
}

/** Follows helm: a name alone is a release's. */
function releaseName([word = '', ...more]: readonly string[]): string {
  const name = word.replace(/^helm\//u, '');
  if (name === '' || name.includes('/') || more.length > 0)
    throw new UsageError('name one release: plan uninstall helm/RELEASE.');
  return name;
}

function refuseFlags(verb: string | undefined, flags: Flags): void {
  const { cascade, gracePeriod, force, remedy } = flags;
  if (verb !== 'delete' && verb !== 'uninstall' && cascade !== undefined)
    throw new UsageError('--cascade works only with plan delete and plan uninstall.');
  if (verb !== 'uninstall' && (flags.hooks === false || flags.keepHistory === true))
    throw new UsageError('--no-hooks and --keep-history go with plan uninstall.');
  if (verb !== 'delete' && verb !== 'drain' && (gracePeriod !== undefined || force === true))
    throw new UsageError('--grace-period and --force go with plan delete and plan drain.');
  const ofDrain = drainOnly.find(name => flags[name] !== undefined && flags[name] !== false);
  if (verb !== 'drain' && ofDrain !== undefined)
    throw new UsageError(`${flagOf(ofDrain)} works only with plan drain.`);
  if (verb !== 'unblock' && remedy !== undefined)
    throw new UsageError('--remedy works only with plan unblock.');
}

/** Throws a `UsageError` for an unknown policy; defaults to background, as in kubectl. */
export function cascadeOf({ cascade = 'background' }: Flags): Cascade {
  const known = ownEntry(cascadeWords, cascade);
  if (known === undefined)
    throw new UsageError(`--cascade: no ${cascade}. Choose background, foreground or orphan.`);
  return known;
}

/** Follows kubectl: 0 requires --force, which alone means 0; otherwise at least 1. */
export function gracePeriodOf({ gracePeriod, force }: Flags): number | undefined {
  if (gracePeriod === undefined) return force === true ? 0 : undefined;
  const seconds = secondsOf(gracePeriod);
  if (force === true && seconds > 0)
    throw new UsageError('--force and a --grace-period above 0 exclude each other.');
  if (seconds < 0) return force === true ? 0 : undefined;
  return seconds === 0 && force !== true ? 1 : seconds;
}

function secondsOf(gracePeriod: string): number {
  if (!/^-?\d+$/u.test(gracePeriod))
    throw new UsageError(`--grace-period: ${gracePeriod} is no number of seconds.`);
  return Number(gracePeriod);
}

const drainOnly = [
  'ignoreDaemonsets',
  'deleteEmptydirData',
  'disableEviction',
  'podSelector',
  'timeout',
] as const satisfies readonly (keyof Flags)[];

const drainUsage = 'plan drain node/NAME';

/** Follows kubectl drain: a name alone is a node's, and so is what -l selects. */
function drainQuery(words: readonly string[], flags: Flags): TargetQuery {
  const targets = words.map(word => (word.includes('/') || word === '' ? word : `node/${word}`));
  if (targets.length === 0 && flags.selector === undefined && flags.all !== true)
    throw new UsageError(`name the nodes, or select them with -l: ${drainUsage}.`);
  return parseTargets(targets.length === 0 ? ['nodes'] : targets, flags);
}

function drainFlags({ podSelector, gracePeriod, timeout, ...flags }: Flags): DrainFlags {
  const matches = podSelector ? parseSelector(podSelector) : undefined;
  const seconds = gracePeriod === undefined ? -1 : secondsOf(gracePeriod);
  return {
    force: flags.force === true,
    ignoreDaemonSets: flags.ignoreDaemonsets === true,
    deleteEmptyDirData: flags.deleteEmptydirData === true,
    disableEviction: flags.disableEviction === true,
    gracePeriodSeconds: seconds < 0 ? undefined : seconds,
    podSelector:
      podSelector && matches ? { text: podSelector, matches: pod => matches(pod.labels) } : undefined,
    timeout: timeout === undefined ? 0 : parseDuration('--timeout', timeout),
  };
}

/** Key of the taint without its domain. */
export const SHORT_TAINT = 'out-of-service';

const usage = `plan taint node/NAME ${SHORT_TAINT}`;

const effects = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'];

interface TaintFlags {
  readonly selector?: string;
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
}

/** Throws a `UsageError` for another taint, a removal, or nodes without names. */
function parseTaint(
  words: readonly string[],
  flags: TaintFlags,
): { readonly query: TargetQuery; readonly taint: Taint } {
  const taints = words.filter(isTaint);
  const [word, ...more] = taints;
  if (word === undefined) throw new UsageError(`name the nodes and then the taint: ${usage}.`);
  if (more.length > 0) throw new UsageError(`one taint is forecast at a time: ${usage}.`);
  const targets = words.filter(each => !isTaint(each));
  const query = parseTargets(targets, flags);
  if (query.words.length === 0) throw new UsageError(`name the nodes in front of the taint: ${usage}.`);
  const unnamed = query.words.some(({ name }) => name === undefined);
  if (unnamed && flags.all !== true && flags.selector === undefined)
    throw new UsageError(`name the nodes, or select them with -l or --all: ${usage}.`);
  return { query, taint: taintOf(word) };
}

/** Follows kubectl (pkg/cmd/taint/taint.go, v0.36), and accepts the key alone, short or full. */
export function isTaint(word: string): boolean {
  return /[=:]|-$/u.test(word) || word === SHORT_TAINT || word === podGcNodes.outOfServiceTaint.key;
}

function taintOf(word: string): Taint {
  if (word.endsWith('-'))
    throw new UsageError(
      `${word} takes a taint off, which isn't forecast. To set the one that is: ${usage}.`,
    );
  const [, key = '', value, effect = 'NoExecute'] = /^([^=:]*)(?:=([^:]*))?(?::(.*))?$/su.exec(word) ?? [];
  if (key !== SHORT_TAINT && key !== podGcNodes.outOfServiceTaint.key)
    throw new UsageError(
      `only the taint ${podGcNodes.outOfServiceTaint.key} is forecast, and ${JSON.stringify(word)} is another: ${usage}.`,
    );
  if (!effects.includes(effect))
    throw new UsageError(`no taint has the effect ${JSON.stringify(effect)}. Choose ${effects.join(', ')}.`);
  // kubectl only accepts valid label values.
  if (value !== undefined && !/^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/u.test(value))
    throw new UsageError(
      `a taint's value has at most 63 letters, digits, dots, dashes and underscores, and ${JSON.stringify(value)} doesn't fit.`,
    );
  // With an effect alone, kubectl sets no value.
  const usual = word.includes(':') ? '' : podGcNodes.outOfServiceTaint.value;
  return { key: podGcNodes.outOfServiceTaint.key, value: value ?? usual, effect };
}

/** Throws a `UsageError` if a target isn't a node. */
export function requireNodes(verb: 'taint' | 'drain', targets: readonly KubeObject[]): void {
  const other = targets.find(({ type }) => type.group !== '' || type.kind !== 'Node');
  if (other !== undefined)
    throw new UsageError(
      `${shownName(other.type.kind)} ${shownName(other.name)} is no node, and ${verb === 'taint' ? `only nodes have taints: ${usage}` : `only nodes are drained: ${drainUsage}`}.`,
    );
}
