/** One question to one address, put by the real kubectl and by our transport with the same kubeconfig. */

import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flagOf } from '../../../src/cli/runtime/flags.ts';
import { createTransport } from '../../../src/kube/auth/http-transport.ts';
import { resolveConnection } from '../../../src/kube/config/resolve-connection.ts';
import type { ConnectionFlags } from '../../../src/source/connection-flags.ts';

export interface Question {
  readonly kubectl: string;
  /** Of the kubeconfig, and kubectl's home. */
  readonly folder: string;
  /** Fields of the cluster and the user in the kubeconfig. */
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
  readonly flags?: ConnectionFlags;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Side {
  readonly accepted: boolean;
  /** What it said where it refused. */
  readonly said: string;
}

/** The environment of both, where a cell doesn't say otherwise. */
function environment({ folder, env }: Question): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], HOME: folder, ...env };
}

/** Asks for `/version`. */
export async function ask(question: Question, who: 'kubectl' | 'ours'): Promise<Side> {
  const kubeconfig = await kubeconfigOf(question);
  return who === 'kubectl' ? askKubectl(question, kubeconfig) : askOurs(question, kubeconfig);
}

/** Its path. */
export async function kubeconfigOf({
  folder,
  cluster,
  user,
}: Pick<Question, 'folder' | 'cluster' | 'user'>): Promise<string> {
  const kubeconfig = join(folder, `config-${crypto.randomUUID()}`);
  await writeFile(
    kubeconfig,
    JSON.stringify({
      'current-context': 'test',
      clusters: [{ name: 'test', cluster }],
      // kubectl asks for a name where it has no credentials at all.
      users: [{ name: 'test', user: { token: 'test', ...user } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    }),
  );
  return kubeconfig;
}

async function askKubectl(question: Question, kubeconfig: string): Promise<Side> {
  const given = Object.entries(question.flags ?? {}).flatMap(([name, value]) =>
    [value].flat().map(each => `${flagOf(name)}=${each}`),
  );
  const child = spawn(question.kubectl, ['get', '--raw', '/version', '--kubeconfig', kubeconfig, ...given], {
    env: environment(question),
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 60_000,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { accepted: code === 0, said: said.trim() };
}

async function askOurs(question: Question, kubeconfig: string): Promise<Side> {
  try {
    const connection = resolveConnection({ ...question.flags, kubeconfig }, environment(question));
    const transport = createTransport(connection);
    try {
      const { status, body } = await transport.request({ method: 'GET', path: '/version' });
      for await (const _ of body);
      return { accepted: status === 200, said: status === 200 ? '' : `status ${status}` };
    } finally {
      await transport.close();
    }
  } catch (error) {
    return { accepted: false, said: (error as Error).message };
  }
}
