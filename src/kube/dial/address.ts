/** IP addresses as text, however they are written. */
import { isIP, SocketAddress } from 'node:net';

/**
 * The one way to write an IP address, or undefined for anything else. An IPv6 address that an IPv4 address is
 * mapped to becomes that, for Go takes the two for equal; with a zone it is none, also as in Go.
 */
export function canonicalAddress(text: string): string | undefined {
  if (isIP(text) === 4) return text;
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const inner = address.startsWith(mapped) ? address.slice(mapped.length) : '';
  return isIP(inner) === 4 ? inner : address;
}

/** The IPv6 address that an IPv4 address is mapped to. */
export function mappedAddress(address: string): string {
  return mapped + address;
}

const mapped = '::ffff:';
