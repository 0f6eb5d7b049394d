/**
 * The taint that declares a node out of service, as it is set: the one source of its words, its patch and its command
 * for the forecast of the action and for the remedy that does the same.
 */
import type { Taint } from '../../model/facts/facts.ts';
import { type KubeObject, nodeFacts } from '../../model/object.ts';
import type { ShellCommands } from '../../model/text/shell-line.ts';
import type { Operation } from '../../simulation/api/rest.ts';

/** Whether the node has a taint of this key and effect, whatever its value: then the API server keeps that one. */
export function hasTaint(node: KubeObject, { key, effect }: Taint): boolean {
  return nodeFacts(node)?.taints.some(each => each.key === key && each.effect === effect) ?? false;
}

/** The JSON Patch that adds the taint to the node as it was seen; what it relies on is tested first. */
export function taintOperations(node: KubeObject, { key, value, effect }: Taint): readonly Operation[] {
  const taint = { key, ...(value === '' ? {} : { value }), effect };
  const tainted = (nodeFacts(node)?.taints.length ?? 0) > 0;
  return tainted
    ? [{ op: 'add', path: '/spec/taints/-', value: taint }]
    : [
        // Without a list to add to, one is written, which must not replace one that has come meanwhile.
        { op: 'test', path: '/metadata/resourceVersion', value: node.resourceVersion },
        { op: 'add', path: '/spec/taints', value: [taint] },
      ];
}

/** `node.kubernetes.io/out-of-service=nodeshutdown:NoExecute` */
function taintWord({ key, value, effect }: Taint): string {
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`;
}

/** The command that sets it where it lacks: kubectl refuses a node that has it. None where none lacks it. */
export function kubectlTaint(nodes: readonly KubeObject[], taint: Taint): ShellCommands {
  const lacking = nodes.filter(node => !hasTaint(node, taint));
  if (lacking.length === 0) return [];
  // `kubectl taint` has the type as a word of its own, and reads names with `=` as taints.
  const names = lacking.map(({ name }) => (subdomain.test(name) ? name : undefined));
  return [{ words: ['kubectl', 'taint', 'nodes', ...names, taintWord(taint)] }];
}

// The only names that nodes have (RFC 1123).
const subdomain = /^[a-z0-9][a-z0-9.-]*$/u;
