/**
 * The words of `plan taint`, as kubectl writes them: nodes, then the taint. Only the taint that declares a node out of
 * service is forecast: it is the one that PodGC and the attach/detach controller look at.
 */

import type { Taint } from '../../../model/facts/facts.ts';
import type { KubeObject } from '../../../model/object.ts';
import { shownName } from '../../../model/text/shown.ts';
import { outOfServiceTaint } from '../../../podgc/passes/nodes.ts';
import { UsageError } from '../../runtime/errors.ts';
import { parseTargets, type TargetQuery } from '../../targets/targets.ts';

/** The taint's key without its domain. */
export const SHORT_TAINT = 'out-of-service';

const usage = `plan taint node/NAME ${SHORT_TAINT}`;

const effects = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'];

interface TaintFlags {
  readonly selector?: string;
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
}

/** Throws a `UsageError` for another taint, a removal, and nodes that aren't named. */
export function parseTaint(
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

/** kubectl's rule (pkg/cmd/taint/taint.go, v0.36), and the short and full names of the key alone. */
export function isTaint(word: string): boolean {
  return /[=:]|-$/u.test(word) || word === SHORT_TAINT || word === outOfServiceTaint.key;
}

function taintOf(word: string): Taint {
  if (word.endsWith('-'))
    throw new UsageError(
      `${word} takes a taint off, which isn't forecast. To set the one that is: ${usage}.`,
    );
  const [, key = '', value, effect = 'NoExecute'] = /^([^=:]*)(?:=([^:]*))?(?::(.*))?$/su.exec(word) ?? [];
  if (key !== SHORT_TAINT && key !== outOfServiceTaint.key)
    throw new UsageError(
      `only the taint ${outOfServiceTaint.key} is forecast, and ${JSON.stringify(word)} is another: ${usage}.`,
    );
  if (!effects.includes(effect))
    throw new UsageError(`no taint has the effect ${JSON.stringify(effect)}. Choose ${effects.join(', ')}.`);
  // As a label's value: kubectl refuses others.
  if (value !== undefined && !/^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/u.test(value))
    throw new UsageError(
      `a taint's value has at most 63 letters, digits, dots, dashes and underscores, and ${JSON.stringify(value)} doesn't fit.`,
    );
  // With an effect alone, kubectl sets no value.
  const usual = word.includes(':') ? '' : outOfServiceTaint.value;
  return { key: outOfServiceTaint.key, value: value ?? usual, effect };
}

/** Throws a `UsageError` where one of the targets is something else. */
export function requireNodes(targets: readonly KubeObject[]): void {
  const other = targets.find(({ type }) => type.group !== '' || type.kind !== 'Node');
  if (other !== undefined)
    throw new UsageError(
      `${shownName(other.type.kind)} ${shownName(other.name)} is no node, and only nodes have taints: ${usage}.`,
    );
}
