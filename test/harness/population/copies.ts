/**
 * Copies of a namespace and its nodes as etcd has them, byte for byte but for names and uids: with the managed fields
 * and the encoding of the API server that wrote the first one, and twenty times as fast as through it.
 */
import type { Etcd } from '../etcd.ts';
import { namespaceName, Template } from './template.ts';

interface CopyOptions {
  readonly etcd: Etcd;
  /** The namespace to be copied has number 1, and its pods are on the first so many nodes. */
  readonly nodes: number;
  /** How many there are to be in the end. */
  readonly namespaces: number;
  readonly progress: (namespaces: number) => void;
}

interface StoredTemplate {
  /** The key is part of it: `/registry/pods/team-00001/web-0`, and right behind it the object. */
  readonly template: Template;
  readonly keyLength: number;
}

/** The API server should be stopped: it would read everything twice. */
export async function copyNamespace({ etcd, nodes, namespaces, progress }: CopyOptions): Promise<void> {
  const stored = await etcd.below('/registry/');
  const first = namespaceName(1);
  const templates = stored
    .filter(({ key }) => key.includes(`/${first}`) || key.startsWith('/registry/minions/'))
    .map(({ key, value }): StoredTemplate => {
      const bytes = Buffer.concat([Buffer.from(key), value]);
      return { template: new Template(bytes, nodes), keyLength: Buffer.byteLength(key) };
    });
  function* copies(): Generator<{ readonly key: string; readonly value: Buffer }> {
    for (let copy = 1; copy < namespaces; copy++) {
      for (const template of templates) yield copyOf(template, copy);
      progress(copy + 1);
    }
  }
  await etcd.putAll(copies());
}

function copyOf({ template, keyLength }: StoredTemplate, copy: number): { key: string; value: Buffer } {
  const bytes = Buffer.allocUnsafe(template.length);
  template.write(copy, bytes, 0);
  return { key: bytes.toString('latin1', 0, keyLength), value: bytes.subarray(keyLength) };
}
