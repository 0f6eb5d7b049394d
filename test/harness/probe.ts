/** Asks a component of the control plane whether it serves. */
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import type { ApiClient } from './api-client.ts';
import type { ComponentName } from './processes/component.ts';

/** Rejects or resolves with false while it does not. */
export async function probe(name: ComponentName, port: number, api: ApiClient): Promise<boolean> {
  switch (name) {
    case 'etcd':
      return (await statusOf(`http://127.0.0.1:${port}/readyz`)) === 200;
    case 'kube-apiserver':
      return apiServerReady(api);
    case 'kube-controller-manager':
    case 'kube-scheduler':
      return (await statusOf(`https://127.0.0.1:${port}/healthz`)) === 200;
    case 'kwok':
      return (await statusOf(`http://127.0.0.1:${port}/healthz`)) === 200;
  }
}

/** `/readyz` alone comes before the namespaces that every test creates objects in. */
async function apiServerReady(api: ApiClient): Promise<boolean> {
  if ((await api.send({ path: '/readyz', timeout: 10_000 })).status !== 200) return false;
  return (await api.send({ path: '/api/v1/namespaces/default', timeout: 10_000 })).status === 200;
}

function statusOf(url: string): Promise<number> {
  const send = url.startsWith('https:') ? secure : plain;
  return new Promise((resolve, reject) => {
    // Only whether it lives is asked, and nothing is sent that would be worth protecting.
    const outgoing = send(url, { rejectUnauthorized: false, timeout: 10_000, agent: false }, incoming => {
      incoming.resume();
      resolve(incoming.statusCode ?? 0);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer from ${url}`)));
    outgoing.on('error', reject);
    outgoing.end();
  });
}
