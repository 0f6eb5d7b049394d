/**
 * Whether a certificate is made for a name, by the rules of Go's crypto/x509 (`VerifyHostname`, Go 1.26), which
 * kubectl goes by. Node's own check takes a common name for a host's, and a wildcard for a part of a label.
 */
import type { X509Certificate } from 'node:crypto';
import { isIP, SocketAddress } from 'node:net';

/** `name` is a host name or an IP address, which may be written in brackets. */
export function isIssuedFor(certificate: X509Certificate, name: string): boolean {
  const address = addressOf(name);
  if (address === undefined) {
    const host = lowerCase(name);
    return dnsNames(certificate.subjectAltName ?? '').some(pattern => matches(pattern, host));
  }
  const forms = isIP(address) === 4 ? [address, mappedAddress(address)] : [address];
  return forms.some(form => certificate.checkIP(form) !== undefined);
}

/** The name to ask for in the handshake: none for an IP address (RFC 6066). */
export function serverNameOf(name: string): string | undefined {
  return addressOf(name) === undefined ? name.replace(/\.$/, '') : undefined;
}

function addressOf(name: string): string | undefined {
  return canonicalAddress(/^\[(.*)\]$/.exec(name)?.[1] ?? name);
}

/**
 * The DNS names in the text that Node makes of a certificate's alternative names. It puts a value with a comma or
 * anything else that is strange in quotes, as JSON does, so that no value can look like two.
 */
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
  // Perfect matches always count; wildcards and the final dot only among names that DNS could have.
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

// Underscores are in no rule but in many clusters.
function isHostName(labels: readonly string[]): boolean {
  return labels.length > 0 && labels.every(label => /^[a-z\d_][a-z\d_-]*$/i.test(label));
}

// ASCII alone: others of Unicode's letters become ASCII when they are made small.
function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, letter => letter.toLowerCase());
}

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
function mappedAddress(address: string): string {
  return mapped + address;
}

const mapped = '::ffff:';
