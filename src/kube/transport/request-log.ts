/** What `-v=6` and above print: each request with its answer and duration, as kubectl does. */
import type { Transport, WireRequest, WireResponse } from './transport.ts';

/**
 * Wraps a transport so that every answered or failed request is written as one line. Headers and bodies are
 * left out at every level: they may hold credentials or Secrets. From `-v=8` on the `Accept` header is shown.
 */
export function logRequests(transport: Transport, level: number, write: (line: string) => void): Transport {
  return {
    server: transport.server,
    get waiting() {
      return transport.waiting;
    },
    async request(request: WireRequest): Promise<WireResponse> {
      const start = performance.now();
      const name = `${request.method} ${transport.server}${request.path}`;
      const accept = level >= 8 ? ` accept=${request.headers?.['accept'] ?? ''}` : '';
      try {
        const response = await transport.request(request);
        write(`${name} ${response.status} in ${Math.round(performance.now() - start)} ms${accept}`);
        return response;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        write(`${name} failed after ${Math.round(performance.now() - start)} ms: ${reason}${accept}`);
        throw error;
      }
    },
    close: () => transport.close(),
  };
}
