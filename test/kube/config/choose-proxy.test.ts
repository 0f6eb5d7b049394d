import { describe, expect, it } from 'vitest';
import { proxyFromEnvironment } from '../../../src/kube/config/choose-proxy.ts';

const proxy = { HTTPS_PROXY: 'http://proxy:3128', HTTP_PROXY: 'plain:8080' };

describe('the proxy of the environment', () => {
  it('is chosen by the scheme of the server', () => {
    expect(proxyFromEnvironment('https://api.example.com', proxy)).toBe('http://proxy:3128');
    expect(proxyFromEnvironment('http://api.example.com', proxy)).toBe('http://plain:8080');
    expect(proxyFromEnvironment('https://api.example.com', { https_proxy: 'socks5://s:1080' })).toBe(
      'socks5://s:1080',
    );
    expect(proxyFromEnvironment('https://api.example.com', {})).toBe('');
  });

  it('is never used for this machine', () => {
    for (const host of ['localhost:6443', '127.0.0.1:6443', '127.1.2.3', '[::1]:6443']) {
      expect(proxyFromEnvironment(`https://${host}`, proxy)).toBe('');
    }
  });

  it.each([
    ['example.com', 'api.example.com', true],
    ['example.com', 'example.com', true],
    ['.example.com', 'api.example.com', true],
    ['.example.com', 'example.com', false],
    ['*.example.com', 'api.example.com', true],
    ['example.com', 'badexample.com', false],
    ['other, EXAMPLE.com', 'api.example.com', true],
    ['api.example.com:6443', 'api.example.com:6443', true],
    ['api.example.com:6443', 'api.example.com:443', false],
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.1.2.3', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '110.1.2.3', false],
    ['fd00::/8', '[fd00::1]', true],
    ['10.0.0.0/99', '10.0.0.1', false],
    // A name is no part of an address.
    ['2.3', '10.1.2.3', false],
    ['.2.3', '10.1.2.3', false],
    ['10.1.2.3:1', '10.1.2.3', false],
    ['FD00:0:0::1', '[fd00::1]', true],
    ['[fd00::1]:443', '[fd00::1]', true],
    ['[fd00::1]', '[fd00::1]', false],
    ['::ffff:10.1.2.3', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '11.1.2.3', false],
    ['api.example.com.', 'api.example.com', false],
    [':443', 'api.example.com', false],
    ['*', 'anything', true],
    ['', 'anything', false],
  ])('with NO_PROXY=%s for %s is left out: %s', (list, host, left) => {
    expect(proxyFromEnvironment(`https://${host}`, { ...proxy, NO_PROXY: list }) === '').toBe(left);
  });

  it.each([
    ' http://proxy:3128',
    'http://proxy:3128 ',
    'http://',
    '//proxy',
    'http://u ser@proxy',
    'socks4://proxy',
    'ftp://proxy',
  ])('is refused as %j, without being shown', address => {
    expect(() => proxyFromEnvironment('https://api.example.com', { https_proxy: address })).toThrow(
      /^https_proxy is not the address of a proxy; it should look like http:\/\/host:3128/,
    );
  });

  it('is refused for plain http where a web server may have set it', () => {
    const env = { ...proxy, REQUEST_METHOD: 'GET' };
    expect(() => proxyFromEnvironment('http://api.example.com', env)).toThrow('REQUEST_METHOD is set');
    expect(proxyFromEnvironment('https://api.example.com', env)).toBe('http://proxy:3128');
  });
});
