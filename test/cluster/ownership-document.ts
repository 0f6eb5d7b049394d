/** Reading the OwnershipTree documents that the tool prints. The types repeat what users are promised, not the code. */
import { expect } from 'vitest';
import { runTool, type ToolOptions } from './tool.ts';

export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

export interface TreeNode {
  readonly object: ObjectRef;
  readonly state: string;
  readonly verdict: string;
  readonly certainty?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers: readonly string[];
  readonly owners: readonly { readonly object: ObjectRef; readonly status: string }[];
  readonly dependents: readonly TreeNode[];
  readonly seeAlso?: boolean;
  readonly cycle?: boolean;
}

export interface OwnershipTree {
  readonly apiVersion: string;
  readonly kind: string;
  readonly basis: {
    readonly source: string;
    readonly serverVersion?: string;
    readonly complete: boolean;
    readonly blindSpots: readonly { readonly resource: string; readonly reason: string }[];
  };
  readonly roots: readonly TreeNode[];
}

/** Runs `tree … -o json`, which has to succeed. */
export async function readTree(args: readonly string[], options: ToolOptions): Promise<OwnershipTree> {
  const { code, stdout, stderr } = await runTool(['tree', ...args, '-o', 'json'], options);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as OwnershipTree;
}

/** Every place of the tree, parents first. */
function* places(nodes: readonly TreeNode[]): Generator<TreeNode> {
  for (const node of nodes) {
    yield node;
    yield* places(node.dependents);
  }
}

/** `Kind/name` */
export function title(node: { readonly object: ObjectRef }): string {
  return `${node.object.kind}/${node.object.name}`;
}

/** All places of one object. */
export function placesOf(tree: OwnershipTree, wanted: string): TreeNode[] {
  return [...places(tree.roots)].filter(node => title(node) === wanted);
}

/** The first place of an object, which must be there. */
export function nodeOf(tree: OwnershipTree, wanted: string): TreeNode {
  const [first] = placesOf(tree, wanted);
  return first ?? expect.unreachable(`${wanted} is not in the tree`);
}

/** What two trees of the same objects have in common: all but when they were taken. */
export function comparable(tree: OwnershipTree): unknown {
  return { roots: tree.roots, blindSpots: tree.basis.blindSpots, complete: tree.basis.complete };
}
