/**
 * Reads kube-controller-manager's pages anonymously through the API server, which reaches its pod only if it listens
 * beyond its own machine. Most clusters show nothing.
 */
import type { ManagerPage } from '../../model/exchange/manager-pages.ts';
import type { Transport } from '../transport/transport.ts';
import { wholeBody } from '../transport/whole-answer.ts';

const PORT = 10257;

/** Returns undefined if the page isn't shown, for any reason; never rejects. */
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
