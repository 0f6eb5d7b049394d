/** Which proxy the environment asks for, by the rules of Go's `httpproxy`, which kubectl follows. */
import { BlockList, isIP } from 'node:net';
import type { Environment } from './load-kubeconfig.ts';

/**
 * The proxy URL for requests to `server`, or `''`. Reads `HTTPS_PROXY` or `HTTP_PROXY` by the server's
 * scheme, and `NO_PROXY`, upper case before lower case; loopback addresses never use a proxy
 * (golang.org/x/net/http/httpproxy).
 */
export function proxyFromEnvironment(server: string, env: Environment): string {
  const url = new URL(server);
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = env[name] || env[name.toLowerCase()] || '';
  if (proxy === '') return '';
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (isLoopback(host) || isExcluded(host, port, env['NO_PROXY'] || env['no_proxy'] || '')) return '';
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function isExcluded(host: string, port: string, list: string): boolean {
  return list
    .split(',')
    .map(entry => entry.trim().toLowerCase())
    .some(entry => entry !== '' && matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInNetwork(entry, host);
  const [, name = entry, entryPort] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (entryPort !== undefined && entryPort !== port) return false;
  const bare = name.replace(/^\[|\]$/g, '').replace(/^\*(?=\.)/, '');
  if (isIP(bare) !== 0) return bare === host;
  // `.example.com` is for subdomains alone, `example.com` for the domain too.
  return bare.startsWith('.') ? host.endsWith(bare) : host === bare || host.endsWith(`.${bare}`);
}

function isInNetwork(network: string, host: string): boolean {
  const [address = '', prefix = ''] = network.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(prefix)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (Number(prefix) > (family === 4 ? 32 : 128)) return false;
  const block = new BlockList();
  block.addSubnet(address, Number(prefix), type);
  return block.check(host, type);
}
