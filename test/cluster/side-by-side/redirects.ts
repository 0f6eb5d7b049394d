/** Where a server sends a GET. */
import type { Cell, Cells } from './cell.ts';

export function redirects(): Cells {
  const to = (location: string, status = 302): Cell => ({ redirect: { status, location } });
  return {
    accepted: {
      ...Object.fromEntries(
        [301, 302, 303, 307, 308].map(status => [`with ${status}`, to('/other', status)]),
      ),
      'with the whole address': to('https://127.0.0.1:PORT/other?a=1'),
      'to a path beside it': to('other'),
    },
    refused: {
      'in a cycle': { ...to('/version'), says: /redirects 10 times in a row\.$/ },
      'to an address without TLS': {
        ...to('http://127.0.0.1:PORT/other'),
        says: /where credentials are not sent/,
      },
      'to no address': { ...to('http://[::1'), says: /a redirect that is no address/ },
      'to something that is not HTTP': {
        ...to('ftp://127.0.0.1/other'),
        says: /where credentials are not sent/,
      },
      nowhere: { redirect: { status: 302, location: '' } },
      'with 300': to('/other', 300),
      'with 304': to('/other', 304),
    },
    // kubectl sends the token there as well.
    stricter: {
      'to another host': { ...to('https://localhost:PORT/other'), says: /where credentials are not sent/ },
    },
  };
}
