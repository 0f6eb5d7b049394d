/** Sends one request that changes the cluster, as it is, once: what may be sent is decided above. */
import type { ActAnswer, ActRequest } from '../model/act.ts';
import { textAnswer } from './dry-run.ts';
import type { Transport } from './transport.ts';

/** Resolves with whatever the API server answers; rejects with a `SourceError` where no answer came. */
export async function act(
  transport: Transport,
  { method, path, contentType, body }: ActRequest,
): Promise<ActAnswer> {
  const response = await transport.request({
    method,
    path,
    headers: { accept: 'application/json', 'content-type': contentType },
    body: JSON.stringify(body),
  });
  return textAnswer(response);
}
