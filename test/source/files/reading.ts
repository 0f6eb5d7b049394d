/** Reads files from a folder of their own, or text from standard input, into a view. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { Judgement, OwnerStatus } from '../../../src/collector/verdict.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { GraphNode } from '../../../src/graph/node.ts';
import { FilesSource } from '../../../src/source/files/files-source.ts';

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder with these files: names may have folders in them. */
export function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-files-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  return folder;
}

export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

export interface ReadOptions {
  readonly closedWorld?: boolean;
  readonly strict?: boolean;
  readonly namespace?: string;
  readonly stdin?: string | Buffer;
  /** In place of `stdin`. */
  readonly pipe?: Readable;
  /** Bytes in which standard input arrives. */
  readonly chunk?: number;
}

export interface Read {
  readonly source: FilesSource;
  readonly view: ClusterView;
}

function* chunks(content: string | Buffer, size: number): Generator<Buffer> {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export function sourceOf(names: readonly string[], options: ReadOptions = {}): FilesSource {
  return new FilesSource({
    names,
    closedWorld: options.closedWorld ?? false,
    strict: options.strict ?? false,
    namespace: options.namespace ?? 'default',
    stdin: () => options.pipe ?? Readable.from(chunks(options.stdin ?? '', options.chunk ?? 65_536)),
    now: () => Date.parse('2026-11-21T12:00:00Z'),
  });
}

export async function read(names: readonly string[], options: ReadOptions = {}): Promise<Read> {
  const source = sourceOf(names, options);
  const view = new ClusterView();
  await source.start(batch => {
    view.apply(batch, 0);
  });
  return { source, view };
}

/** From standard input. */
export function readText(text: string | Buffer, options: ReadOptions = {}): Promise<Read> {
  return read(['-'], { ...options, stdin: text });
}

/** The message with which reading fails. */
export async function failure(names: readonly string[], options: ReadOptions = {}): Promise<string> {
  const source = sourceOf(names, options);
  try {
    await source.start(() => {});
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  return 'no failure';
}

function name({ identity }: GraphNode): string {
  const namespace = identity.namespace === '' ? '' : `${identity.namespace}/`;
  return `${identity.apiVersion} ${identity.kind} ${namespace}${identity.name}`;
}

/** Every observed object, with its owners and what they are. */
export function objects({ view }: Read): string[] {
  return [...view.graph.nodes()]
    .filter(node => !node.virtual)
    .map(node => {
      const owners = node.owners.map(
        owner => `${owner.kind} ${owner.name} ${OwnerStatus.of(view, node, owner)}`,
      );
      return [name(node), ...owners].join(' < ');
    })
    .sort();
}

/** The collector's next move with an object. */
export function moveOf({ view }: Read, objectName: string): string {
  for (const node of view.graph.nodes()) {
    if (node.identity.name !== objectName || node.virtual) continue;
    const judgement = Judgement.of(view, node);
    return `${judgement.verdict} ${judgement.certainty}`;
  }
  return 'no such object';
}
