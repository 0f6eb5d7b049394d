/** Chooses the environment's proxy by the rules of Go's `httpproxy`, as kubectl does. */
import { BlockList, isIP } from 'node:net';
import { SourceError } from '../../source/index.ts';
import type { KubeconfigEnvironment } from './load-kubeconfig.ts';
import { canonicalAddress } from './server-name.ts';

/**
 * Reads `HTTPS_PROXY` or `HTTP_PROXY` by the server's scheme, and `NO_PROXY`, upper case before lower case; `''` for no
 * proxy, as always on loopback (golang.org/x/net/http/httpproxy). Throws a `SourceError` for an invalid address, which
 * Go would ignore or take an unknown scheme for http.
 */
export function proxyFromEnvironment(server: string, env: KubeconfigEnvironment): string {
  const url = new URL(server);
  const names = url.protocol === 'https:' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  const name = names.find(each => env[each]);
  const given = name === undefined ? '' : (env[name] ?? '');
  if (name === undefined || given === '') return '';
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (isLoopback(host) || isExcluded(host, port, env['NO_PROXY'] || env['no_proxy'] || '')) return '';
  const proxy = given.includes('://') ? given : `http://${given}`;
  if (!isProxyAddress(proxy, ['http', 'https', 'socks5', 'socks5h'])) {
    throw new SourceError(
      `${name} is not the address of a proxy; it should look like http://host:3128, https:// or socks5://.`,
    );
  }
  // Under CGI, a client can set the variable with a header (golang.org/s/cgihttpproxy).
  if (url.protocol === 'http:' && env['REQUEST_METHOD']) {
    throw new SourceError(
      `${name} cannot be trusted where REQUEST_METHOD is set, as in CGI; unset one of them.`,
    );
  }
  return proxy;
}

/** Returns the address for messages, without user and password; `''` for none. */
export function shownProxy(address: string): string {
  if (address === '') return '';
  const url = URL.parse(address);
  return url === null ? 'of the kubeconfig' : `${url.protocol}//${url.host}`;
}

/** Returns true if Go would accept the URL: one of these schemes, with a host. */
export function isProxyAddress(address: string, schemes: readonly string[]): boolean {
  const [, scheme = ''] =
    /^([a-z\d]+):\/\/(?:[^\s/@]*@)?(?:\[[^\s\]]+\]|[^\s:/?#@[\]]+)(?::\d*)?(?:[/?#]\S*)?$/i.exec(address) ??
    [];
  return schemes.includes(scheme.toLowerCase()) && URL.canParse(address);
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return host === 'localhost' || host === '::1' || canonicalAddress(host)?.startsWith('127.') === true;
}

function isExcluded(host: string, port: string, list: string): boolean {
  return list
    .split(',')
    .map(entry => entry.trim().toLowerCase())
    .some(entry => entry !== '' && matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const address = canonicalAddress(host);
  if (entry.includes('/')) return address !== undefined && isInNetwork(entry, address);
  // Brackets belong to an address only before a port.
  const [, bracketed, plain, entryPort] = /^(?:\[([^\]]*)\]|([^:]*)):([^:]*)$/.exec(entry) ?? [];
  const name = bracketed ?? plain ?? entry;
  if (name === '' || (entryPort ? entryPort !== port : false)) return false;
  const excluded = canonicalAddress(name);
  // Names never match parts of addresses: `1.1` doesn't exclude 10.0.1.1.
  if (address !== undefined || excluded !== undefined) return address === excluded;
  const bare = name.replace(/^\*(?=\.)/, '');
  // `.example.com` matches subdomains alone, `example.com` the domain too.
  return bare.startsWith('.') ? host.endsWith(bare) : host === bare || host.endsWith(`.${bare}`);
}

function isInNetwork(network: string, address: string): boolean {
  const [given = '', length = ''] = network.split('/');
  const base = canonicalAddress(given);
  if (base === undefined || !/^\d{1,3}$/.test(length)) return false;
  const family = isIP(base);
  // In an IPv4-mapped IPv6 address, the first 96 bits are fixed.
  const prefix = Number(length) - (family === 4 && isIP(given) === 6 ? 96 : 0);
  if (prefix < 0 || prefix > (family === 4 ? 32 : 128) || isIP(address) !== family) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const block = new BlockList();
  block.addSubnet(base, prefix, type);
  return block.check(address, type);
}
