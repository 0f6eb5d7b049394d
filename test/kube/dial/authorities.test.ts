import { readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { certificatesOf, systemAuthorities } from '../../../src/kube/dial/authorities.ts';
import { fixture, temporaryFolder, write } from '../kubeconfig-files.ts';

const ca = readFileSync(fixture('ca.crt'), 'utf8');
const stranger = readFileSync(fixture('stranger.crt'), 'utf8');
const bare = (text: string): string => text.replace(/\s/g, '');

describe('the certificates of a text', () => {
  it('are those of its PEM blocks, whatever stands between them', () => {
    const text = `# ours\r\n${ca.replaceAll('\n', '\r\n')}\nmore\n${stranger}`;
    expect(certificatesOf(text).map(bare)).toEqual([bare(ca), bare(stranger)]);
  });

  it('leave out what is no certificate', () => {
    const key = readFileSync(fixture('server.key'), 'utf8');
    const broken = ca.replace(/\n[A-Za-z\d+/]{40}/, `\n${'A'.repeat(40)}`);
    expect(certificatesOf(`${key}${broken}${stranger}`).map(bare)).toEqual([bare(stranger)]);
    for (const text of [
      '',
      'hello',
      ca.replace(/^/gm, ' '),
      ca.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'),
    ]) {
      expect(certificatesOf(text)).toEqual([]);
    }
  });
});

describe('the authorities of linux', () => {
  const none = temporaryFolderOf({});
  const read = (env: Record<string, string>) =>
    systemAuthorities({ SSL_CERT_FILE: '/no/such', SSL_CERT_DIR: none(), ...env }, 'linux').map(bare);

  it('are in the file that SSL_CERT_FILE names', () => {
    expect(read({ SSL_CERT_FILE: fixture('ca.crt') })).toEqual([bare(ca)]);
  });

  it('are in every file of the folders that SSL_CERT_DIR names, each once', () => {
    const folder = temporaryFolderOf({ 'any-name': ca, 'again.pem': ca })();
    const other = temporaryFolderOf({ 'x.crt': stranger, notes: 'none' })();
    symlinkSync('any-name', path.join(folder, '0a1b2c3d.0'));
    expect(read({ SSL_CERT_DIR: `/no/such:${folder}:${other}` })).toEqual([bare(ca), bare(stranger)]);
  });

  it('are in both', () => {
    const folder = temporaryFolderOf({ 'x.crt': stranger })();
    expect(read({ SSL_CERT_FILE: fixture('ca.crt'), SSL_CERT_DIR: folder })).toEqual([
      bare(ca),
      bare(stranger),
    ]);
  });

  it('are none where there is no file', () => {
    expect(read({})).toEqual([]);
  });
});

// A folder is made in its test, which takes it away.
function temporaryFolderOf(files: Readonly<Record<string, string>>): () => string {
  return () => {
    const folder = temporaryFolder();
    for (const [name, text] of Object.entries(files)) write(folder, name, text);
    return folder;
  };
}
