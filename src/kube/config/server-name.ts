/**
 * Matches names by Go's crypto/x509 (`VerifyHostname`, Go 1.26); Node also accepts common names and partial wildcards.
 */
import type { X509Certificate } from 'node:crypto';
import { isIP, SocketAddress } from 'node:net';

/** `name` is a host name or an IP address, with or without brackets. */
export function isIssuedFor(certificate: X509Certificate, name: string): boolean {
  const address = addressOf(name);
  if (address === undefined) {
    const host = lowerCase(name);
    return dnsNames(certificate.subjectAltName ?? '').some(pattern => matches(pattern, host));
  }
  const forms = isIP(address) === 4 ? [address, mappedAddress(address)] : [address];
  return forms.some(form => certificate.checkIP(form) !== undefined);
}

/** Returns the name for the handshake: none for an IP address (RFC 6066). */
export function serverNameOf(name: string): string | undefined {
  return addressOf(name) === undefined ? name.replace(/\.$/, '') : undefined;
}

function addressOf(name: string): string | undefined {
  return canonicalAddress(/^\[(.*)\]$/.exec(name)?.[1] ?? name);
}

/** Parses the DNS names from Node's text of alternative names, which quotes unusual values like JSON. */
function dnsNames(alternativeNames: string): string[] {
  const names: string[] = [];
  const entry = /([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y;
  for (let found = entry.exec(alternativeNames); found !== null; found = entry.exec(alternativeNames)) {
    const [, type, value = ''] = found;
    if (type === 'DNS') names.push(value.startsWith('"') ? String(JSON.parse(value)) : value);
  }
  return names;
}

function matches(pattern: string, host: string): boolean {
  const bareHost = host.replace(/\.$/, '');
  // Exact matches always count; wildcards and the final dot only among valid DNS names.
  if (!isHostName(bareHost.split('.')) || !isPattern(pattern))
    return lowerCase(pattern) === host && host !== '';
  const wanted = bareHost.split('.');
  const made = lowerCase(pattern).split('.');
  return (
    made.length === wanted.length &&
    made.every((label, i) => (i === 0 && label === '*') || label === wanted[i])
  );
}

function isPattern(pattern: string): boolean {
  const [first, ...rest] = pattern.split('.');
  return first === '*' ? isHostName(rest) : isHostName(pattern.split('.'));
}

// Underscores are against the rules, but common in clusters.
function isHostName(labels: readonly string[]): boolean {
  return labels.length > 0 && labels.every(label => /^[a-z\d_][a-z\d_-]*$/i.test(label));
}

// Converts ASCII alone: other letters may become ASCII in lower case.
function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, letter => letter.toLowerCase());
}

/** Returns undefined for a name or a zoned address. IPv4-mapped IPv6 becomes IPv4, as in Go. */
export function canonicalAddress(text: string): string | undefined {
  if (isIP(text) === 4) return text;
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const inner = address.startsWith(mapped) ? address.slice(mapped.length) : '';
  return isIP(inner) === 4 ? inner : address;
}

function mappedAddress(address: string): string {
  return mapped + address;
}

const mapped = '::ffff:';
