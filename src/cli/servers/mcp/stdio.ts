/** The server on standard input and output, until either ends or the process is asked to end. */
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpServerOptions } from './server.ts';

export interface StdioOptions extends McpServerOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly log: (line: string) => void;
  /** Aborts when the process is asked to end. */
  readonly ending: AbortSignal;
}

/** Resolves when the client disconnects or the signal aborts. */
export async function serveOnStdio({ stdin, stdout, log, ending, ...options }: StdioOptions): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve());
  for (const event of ['close', 'error']) stdout.on(event, () => resolve());
  ending.addEventListener('abort', () => resolve());
  if (ending.aborted) return;
  const server = serveStdio(() => createMcpServer(options), {
    transport: new StdioServerTransport(stdin, stdout),
    onerror: error => log(error.message),
  });
  try {
    await ended;
  } finally {
    await server.close();
  }
}
