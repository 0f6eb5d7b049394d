/** The text of a small answer. */
import { brokenAnswer } from './errors.ts';
import type { WireResponse } from './transport.ts';

/** Rejects with a `SourceError` where it breaks off. */
export async function wholeBody({ body }: WireResponse, server: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch (error) {
    throw brokenAnswer(error, server);
  }
  return Buffer.concat(chunks).toString('utf8');
}
