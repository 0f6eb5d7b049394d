import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ObjectRequests } from '../../../src/kube/objects/object-requests.ts';
import type { Transport, WireRequest } from '../../../src/kube/transport/transport.ts';

function answering(
  status: number,
  body: string,
): { readonly transport: Transport; readonly sent: WireRequest[] } {
  const sent: WireRequest[] = [];
  const transport: Transport = {
    server: 'https://127.0.0.1:1',
    request: request => {
      sent.push(request);
      return Promise.resolve({ status, headers: {}, body: Readable.from([Buffer.from(body)]) });
    },
    close: () => Promise.resolve(),
  };
  return { transport, sent };
}

const request = {
  method: 'PATCH',
  path: '/api/v1/namespaces/a/pods/b?dryRun=All',
  contentType: 'application/merge-patch+json',
  body: { metadata: { finalizers: null } },
} as const;

describe('a dry run', () => {
  it('is sent as it is, and any answer to it is an answer', async () => {
    const { transport, sent } = answering(422, '{"kind":"Status","message":"no"}');
    expect(await new ObjectRequests(transport).dryRun(request)).toEqual({
      status: 422,
      body: { kind: 'Status', message: 'no' },
    });
    expect(sent).toEqual([
      {
        method: 'PATCH',
        path: request.path,
        headers: { accept: 'application/json', 'content-type': request.contentType },
        harmless: true,
        body: '{"metadata":{"finalizers":null}}',
      },
    ]);
  });

  it('takes an answer in plain text for its message', async () => {
    const { transport } = answering(503, 'service unavailable\n');
    expect(await new ObjectRequests(transport).dryRun(request)).toEqual({
      status: 503,
      body: { message: 'service unavailable\n' },
    });
  });

  it('is refused, and nothing is sent, where it would change something', async () => {
    const { transport, sent } = answering(200, '{}');
    const path = '/api/v1/namespaces/a/pods/b';
    await expect(new ObjectRequests(transport).dryRun({ ...request, path })).rejects.toThrow(
      'it is no dry run',
    );
    expect(sent).toEqual([]);
  });
});
