import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAuditLogs } from '../../../src/source/audit/audit-log.ts';
import { SourceError } from '../../../src/source/source.ts';

const event = (name: string, padding = ''): string =>
  JSON.stringify({
    kind: 'Event',
    stage: 'ResponseComplete',
    auditID: `id-${name}`,
    verb: 'delete',
    objectRef: { resource: 'pods', namespace: 'shop', name },
    requestReceivedTimestamp: '2026-11-21T12:00:00.000000Z',
    responseStatus: { code: 200 },
    annotations: { padding },
  });

async function found(
  chunks: readonly Buffer[],
  words = ['"web"'],
): Promise<{ names: string[]; unreadable: number }> {
  const names: string[] = [];
  const { unreadable } = await readAuditLogs(
    { files: ['-'], words, stdin: () => Readable.from(chunks) },
    ({ object }) => names.push(object.name),
  );
  return { names, unreadable };
}

function fileOf(bytes: Buffer): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'audit-')), 'audit.log');
  writeFileSync(file, bytes);
  return file;
}

async function inFiles(files: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  await readAuditLogs({ files, words: ['"web"'], stdin: () => Readable.from([]) }, each =>
    names.push(each.object.name),
  );
  return names;
}

describe('an audit log', () => {
  test('is cut into the lines that hold a word, however its bytes arrive', async () => {
    const line = fc
      .constantFrom('web', 'other', 'web-0', 'é')
      .map(name => event(name, 'ü'.repeat(name.length)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
        fc.boolean(),
        async (lines, sizes, ends) => {
          const whole = Buffer.from(lines.join('\n') + (ends ? '\n' : ''));
          const chunks: Buffer[] = [];
          for (let at = 0, i = 0; at < whole.length; i++) {
            const size = sizes[i % sizes.length] ?? 1;
            chunks.push(whole.subarray(at, at + size));
            at += size;
          }
          const expected = lines.filter(each => each.includes('"web"')).map(() => 'web');
          expect(await found(chunks)).toEqual({ names: expected, unreadable: 0 });
        },
      ),
    );
  });

  test('may be compressed, rotated, or end in a line that is still being written', async () => {
    const half = event('web').slice(0, -40);
    const plain = fileOf(Buffer.from(`${event('web')}\n${half}`));
    const gzip = fileOf(Buffer.concat([gzipSync(`${event('web')}\n`), gzipSync(event('web'))]));
    const zstd = fileOf(zstdCompressSync(`${event('other')}\n${event('web')}\n`));
    expect(await inFiles([plain])).toEqual(['web']);
    expect(await inFiles([gzip])).toEqual(['web', 'web']);
    expect(await inFiles([zstd, plain])).toEqual(['web', 'web']);
    expect((await found([Buffer.from(half)])).unreadable).toBe(1);
  });

  test('with a line of more than memory should hold goes on behind it', async () => {
    const chunk = Buffer.alloc(2 ** 20, '"web" ');
    const long = Array.from({ length: 17 }, () => chunk);
    const { names, unreadable } = await found([
      ...long,
      Buffer.from(`\n${event('web', 'x'.repeat(1_500_000))}\n`),
    ]);
    expect({ names, unreadable }).toEqual({ names: ['web'], unreadable: 1 });
  });

  test('that somebody made up breaks nothing', async () => {
    const anything = fc.oneof(fc.jsonValue(), fc.constant({ constructor: 1, ['__proto__']: { items: 1 } }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.dictionary(
            fc.constantFrom(
              'stage',
              'verb',
              'user',
              'objectRef',
              'items',
              'requestObject',
              'responseObject',
              'responseStatus',
              'sourceIPs',
              'requestURI',
              'annotations',
            ),
            anything,
          ),
        ),
        async events => {
          const lines = events.map(each =>
            JSON.stringify({
              stage: 'ResponseComplete',
              requestReceivedTimestamp: '2026-11-21T12:00:00Z',
              ...each,
              note: 'web',
            }),
          );
          await found([Buffer.from(`${lines.join('\n')}\n"web" {"web"\n`)]);
        },
      ),
    );
  });

  test.each(['/nowhere/audit.log', tmpdir()])('that is none is an error: %s', async file => {
    await expect(inFiles([file])).rejects.toBeInstanceOf(SourceError);
  });

  test('that is broken in its packing is an error', async () => {
    const packed = gzipSync(event('web').repeat(50));
    await expect(inFiles([fileOf(packed.subarray(0, packed.length - 20))])).rejects.toBeInstanceOf(
      SourceError,
    );
  });
});
