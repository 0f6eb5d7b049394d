import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Transport, WireRequest } from '../../../src/kube/transport/transport.ts';
import { ServerWarnings, warningsIn, withWarnings } from '../../../src/kube/transport/warnings.ts';
import { connectTo } from '../connect.ts';
import { httpServer, httpsServer } from '../local-server.ts';

describe('Warning headers', () => {
  it.each<[string, string[]]>([
    ['299 - "one"', ['one']],
    ['299 - "one", 299 - "two"', ['one', 'two']],
    ['299 - "one" "Thu, 01 Jan 1970 00:00:00 GMT", 299 agent "two"', ['one', 'two']],
    ['299 - "a \\"quoted\\" word, and a \\\\"', ['a "quoted" word, and a \\']],
    ['199 - "another code", 299 - "one", 110 - "stale"', ['one']],
    ['299 - ""', []],
    ['299 - "no end', []],
    ['399 - "no code"', []],
    ['299 "no agent"', []],
    ['299 - unquoted', []],
    ['299 - "one" trailing, 299 - "two"', []],
    ['299 - "one", nonsense, 299 - "two"', ['one']],
    ['', []],
    [',', []],
  ])('%j hold %j', (header, texts) => {
    expect(warningsIn(header)).toEqual(texts);
  });

  it('are read in a time that grows no faster than they do', () => {
    const began = performance.now();
    warningsIn(`299 - "${'\\'.repeat(200_001)}`);
    warningsIn(`299 - "a"${' '.repeat(200_000)}x`);
    warningsIn(Array.from({ length: 20_000 }, () => '299 - "a"').join(', '));
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

describe('what a server warns of', () => {
  const answering = (header: string): Transport => ({
    server: 'https://a',
    request: () => Promise.resolve({ status: 200, headers: { warning: header }, body: Readable.from([]) }),
    close: () => Promise.resolve(),
  });
  const told = async (header: string, request: Partial<WireRequest> = {}) => {
    const warnings = new ServerWarnings();
    await withWarnings(answering(header), warnings).request({ method: 'GET', path: '/', ...request });
    return warnings.lines;
  };

  it('is kept once, in the order in which it came', async () => {
    const warnings = new ServerWarnings();
    for (const header of ['299 - "b", 299 - "a"', '299 - "a"', '299 - "c"', '299 - "b"']) {
      await withWarnings(answering(header), warnings).request({ method: 'GET', path: '/' });
    }
    expect(warnings.lines).toEqual(['b', 'a', 'c']);
  });

  it('can do nothing to a terminal', async () => {
    const hostile = '\u001b]0;title\u0007red \u001b[31malert\u001b[0m\u202e\u0000 next\u2028line\r\n';
    expect(await told(`299 - "${hostile}"`)).toEqual(['red alert next line']);
  });

  it('is bounded in number and length', async () => {
    const many = Array.from({ length: 50 }, (_, i) => `299 - "${i}"`).join(', ');
    const lines = await told(many);
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe('the API server sends more warnings, which are not shown.');
    const [long] = await told(`299 - "${'🙂'.repeat(5_000)}"`);
    expect(long).toBe(`${'🙂'.repeat(1_000)}…`);
  });

  it('is no kind that is outdated where it is read, for every kind is, but is where it is changed', async () => {
    for (const outdated of [
      'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
      'policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, unavailable in v1.25+',
      'example.com/v1alpha1 Widget is deprecated',
      'example.com/v1alpha1 Widget is deprecated; use example.com/v1 Widget',
    ]) {
      expect(await told(`299 - "${outdated}"`)).toEqual([]);
      expect(await told(`299 - "${outdated}"`, { method: 'DELETE' })).toEqual([outdated]);
    }
    const other = 'this cluster is deprecated by Friday';
    expect(await told(`299 - "${other}"`)).toEqual([other]);
  });

  it('comes over HTTP/1.1 and HTTP/2 in any language', async () => {
    for (const server of [httpServer, httpsServer]) {
      const { url } = await server((_request, response) => {
        response.setHeader('warning', [Buffer.from('299 - "ä→🙂"').toString('latin1'), '299 - "second"']);
        response.end();
      });
      const warnings = new ServerWarnings();
      const transport = connectTo(url, url.startsWith('https') ? {} : { cluster: '' });
      await withWarnings(transport, warnings).request({ method: 'GET', path: '/' });
      expect(warnings.lines).toEqual(['ä→🙂', 'second']);
    }
  });
});
