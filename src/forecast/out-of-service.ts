/** The out-of-service taint: words, patch and command for both the forecast and the remedy. */
import { type KubeObject, nodeFacts, type ShellCommands, type Taint } from '../model/index.ts';
import type { Operation } from '../simulation/index.ts';

/** Checks key and effect only: the API server keeps such a taint, whatever its value. */
export function hasTaint(node: KubeObject, { key, effect }: Taint): boolean {
  return nodeFacts(node)?.taints.some(each => each.key === key && each.effect === effect) ?? false;
}

/** Returns the JSON Patch that adds the taint to the node as seen, with its tests. */
export function taintOperations(node: KubeObject, { key, value, effect }: Taint): readonly Operation[] {
  const taint = { key, ...(value === '' ? {} : { value }), effect };
  const tainted = (nodeFacts(node)?.taints.length ?? 0) > 0;
  return tainted
    ? [{ op: 'add', path: '/spec/taints/-', value: taint }]
    : [
        // Without a list, a new one is written, which must not replace one added meanwhile.
        { op: 'test', path: '/metadata/resourceVersion', value: node.resourceVersion },
        { op: 'add', path: '/spec/taints', value: [taint] },
      ];
}

/** `node.kubernetes.io/out-of-service=nodeshutdown:NoExecute` */
function taintWord({ key, value, effect }: Taint): string {
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`;
}

/** Returns the command for nodes that lack the taint (kubectl refuses others), or none. */
export function kubectlTaint(nodes: readonly KubeObject[], taint: Taint): ShellCommands {
  const lacking = nodes.filter(node => !hasTaint(node, taint));
  if (lacking.length === 0) return [];
  // `kubectl taint` takes the type as a separate word, and reads names with `=` as taints.
  const names = lacking.map(({ name }) => (subdomain.test(name) ? name : undefined));
  return [{ words: ['kubectl', 'taint', 'nodes', ...names, taintWord(taint)] }];
}

// Valid node names (RFC 1123).
const subdomain = /^[a-z0-9][a-z0-9.-]*$/u;
