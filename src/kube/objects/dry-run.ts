/**
 * Sends requests that change nothing, and no others. Apart from those that act, so that nothing which was meant as a
 * question can change the cluster.
 */
import { changesNothing, type DryRunAnswer, type DryRunRequest } from '../../model/exchange/dry-run.ts';
import { SourceError } from '../../source/source.ts';
import type { Transport } from '../transport/transport.ts';
import { act } from './act.ts';

/**
 * Resolves with whatever the API server answers. Rejects with a `SourceError` where no answer came, and where the
 * request would change something: then nothing was sent.
 */
export async function dryRun(
  transport: Transport,
  request: DryRunRequest,
  signal?: AbortSignal,
): Promise<DryRunAnswer> {
  if (!changesNothing(request))
    throw new SourceError(`not sent, because it is no dry run: ${request.method} ${request.path}`);
  return act(transport, request, { asks: true, enough: signal });
}
