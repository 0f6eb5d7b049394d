/**
 * Pages of kube-controller-manager through the API server, which reaches its pod where that listens to others than its own
 * machine. It asks for nobody: only what the manager shows to everybody is answered. Most clusters show nothing.
 */
import type { ManagerPage } from '../../model/exchange/manager-pages.ts';
import type { Transport } from '../transport/transport.ts';
import { wholeBody } from '../transport/whole-answer.ts';

/** `--secure-port`, which hardly anybody changes. */
const PORT = 10257;

/** Undefined where it isn't shown, for whatever reason; never rejects. */
export async function managerPage(
  transport: Transport,
  pod: string,
  page: ManagerPage,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const response = await transport.request({
      method: 'GET',
      path: `/api/v1/namespaces/kube-system/pods/https:${encodeURIComponent(pod)}:${PORT}/proxy/${page}`,
      headers: { accept: 'text/plain' },
      signal,
    });
    const text = await wholeBody(response, transport.server);
    return response.status === 200 ? text : undefined;
  } catch {
    return undefined;
  }
}
