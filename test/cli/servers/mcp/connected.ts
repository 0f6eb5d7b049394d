/** `mcp` without a process, and the protocol's own client at its other end. */
import { PassThrough } from 'node:stream';
import { Client, type Transport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { runCommandLine } from '../../../../src/cli/run-command-line.ts';
import type { Source } from '../../../../src/source/source.ts';
import { consoleFor, type Setting } from '../../console.ts';

export interface Connected {
  readonly client: Client;
  readonly call: (
    tool: string,
    given: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ) => Promise<Called>;
  /** Everything on standard output so far. */
  readonly written: () => string;
  /** What Ctrl-C would call. */
  readonly interrupt: () => void;
  /** Ends standard input. */
  readonly hangUp: () => void;
  /** The exit code. */
  readonly ended: Promise<number>;
}

export interface Called {
  readonly isError: boolean;
  readonly text: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** `open`: the source of each connection to a cluster. */
export async function connected(
  argv: readonly string[],
  { open, ...setting }: Setting & { readonly open?: () => Promise<Source> } = {},
): Promise<Connected> {
  const { io, services, interrupt } = consoleFor(setting);
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const written: Buffer[] = [];
  stdout.on('data', (chunk: Buffer) => written.push(chunk));
  const ended = runCommandLine(
    ['mcp', ...argv],
    { ...io, stdout, stdin: () => stdin },
    { ...services, ...(open !== undefined && { openSource: open }) },
  );
  const client = new Client({ name: 'test', version: '1' });
  // Both ends of the protocol write lines of JSON.
  const transport = new StdioServerTransport(stdout, stdin) as unknown as Transport;
  await Promise.race([client.connect(transport), ended]);
  return {
    client,
    async call(tool, given, signal) {
      const { isError, content, structuredContent } = await client.callTool(
        { name: tool, arguments: { ...given } },
        signal && { signal },
      );
      const [first] = content;
      return {
        isError: isError === true,
        text: first?.type === 'text' ? first.text : '',
        document: (structuredContent ?? {}) as Called['document'],
      };
    },
    written: () => Buffer.concat(written).toString(),
    interrupt,
    hangUp: () => stdin.end(),
    ended,
  };
}
