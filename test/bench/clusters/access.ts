/** What a kubeconfig of the harness says, for programs that ask the API server themselves. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

export interface ServerAccess {
  /** `https://host:port` */
  readonly server: string;
  /** Path of a PEM file. */
  readonly authority: string;
  readonly token: string;
}

/** Rejects where it names no server or no user. */
export async function serverAccess(kubeconfig: string): Promise<ServerAccess> {
  const { clusters, users } = parse(await readFile(kubeconfig, 'utf8')) as {
    readonly clusters: readonly {
      readonly cluster: { readonly server: string; readonly 'certificate-authority': string };
    }[];
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  const [{ cluster } = {}] = clusters;
  const [{ user } = {}] = users;
  if (cluster === undefined || user === undefined)
    throw new Error(`${kubeconfig} names no server, or no user`);
  return { server: cluster.server, authority: cluster['certificate-authority'], token: user.token };
}
