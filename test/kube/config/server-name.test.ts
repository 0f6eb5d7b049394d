import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isIssuedFor, serverNameOf } from '../../../src/kube/config/server-name.ts';
import { fixture } from '../kubeconfig-files.ts';

const certificate = (name: string) => new X509Certificate(readFileSync(fixture(`${name}.crt`)));

describe('a certificate', () => {
  const many = certificate('many-names');

  it.each([
    'api.example.com',
    'API.EXAMPLE.com',
    'api.example.com.',
    'api_server.example.com',
    'api.local',
    'node.lan',
    'dotted.example.net.',
    '127.0.0.1',
    '[127.0.0.1]',
    '::ffff:127.0.0.1',
    'fd00::1',
    '[fd00::1]',
    'FD00:0:0::1',
    '192.0.2.1',
  ])('is made for %s', name => {
    expect(isIssuedFor(many, name)).toBe(true);
  });

  it.each([
    // Its common name, though it has alternative names.
    'common.example.net',
    'example.com',
    'a.b.example.com',
    '*.example.com.evil',
    'foo.example.org',
    'lan',
    'a.b.lan',
    'dotted.example.net',
    '10.0.0.1',
    '127.0.0.2',
    'fd00::2',
    'fd00::1%eth0',
    '',
    '.',
    '*',
    '[]',
    'api example.com',
  ])('is not valid for %j', name => {
    expect(isIssuedFor(many, name)).toBe(false);
  });

  it('with a common name alone is made for nobody', () => {
    expect(isIssuedFor(certificate('common-name'), 'api.example.com')).toBe(false);
  });

  it('is not valid for a name that stands inside of another, or in another field', () => {
    const strange = certificate('two-in-one');
    for (const name of ['api.example.com', 'mail.example.com', 'x']) {
      expect(isIssuedFor(strange, name)).toBe(false);
    }
  });
});

describe('the name in a handshake', () => {
  it('is that of a host, and none for an address', () => {
    expect(serverNameOf('api.example.com.')).toBe('api.example.com');
    for (const address of ['10.0.0.1', '::1', '[::1]']) expect(serverNameOf(address)).toBeUndefined();
  });
});
