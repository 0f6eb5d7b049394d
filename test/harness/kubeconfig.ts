/** Writes kubeconfig files for the users of a test control plane. */
import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';

export interface KubeconfigOptions {
  readonly server: string;
  /** Path of a PEM file; left out for a plain http server. */
  readonly ca?: string;
  readonly user: string;
  /** The `user` entry as it stands in the file: `{token: …}`, `{'client-certificate': …}`. */
  readonly credentials: Readonly<Record<string, unknown>>;
  readonly namespace?: string;
}

/**
 * The context, which is the current one, is called `gc-tree-test`, as is the cluster. Whoever reads the file meanwhile
 * gets all of what it was or all of what it becomes: kubectl takes half of one for no kubeconfig, and localhost for its
 * server.
 */
export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<string> {
  const name = 'gc-tree-test';
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server: options.server,
          ...(options.ca === undefined ? {} : { 'certificate-authority': options.ca }),
        },
      },
    ],
    users: [{ name: options.user, user: options.credentials }],
    contexts: [
      {
        name,
        context: {
          cluster: name,
          user: options.user,
          ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
        },
      },
    ],
    'current-context': name,
  };
  return replaceFile(path, stringify(document));
}

/** Writes a file of credentials in one step; resolves with its path. */
export async function replaceFile(path: string, text: string): Promise<string> {
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, text, { mode: 0o600 });
  await rename(written, path);
  return path;
}
