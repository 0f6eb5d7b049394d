import { describe, expect, it } from 'vitest';
import { credentials } from '../../../src/model/text/credentials.ts';
import { randomFrom } from '../../fuzz/mutate.ts';
import { plantedCredential, randomPath } from './paths-and-credentials.ts';

const key = `-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIPlantedPlantedPlanted\nAwEHoUQ=\n-----END EC PRIVATE KEY-----`;
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl-X_9';

describe('what looks like a credential is hidden', () => {
  it.each([
    [`got ${jwt}, which has expired`, 'got (hidden), which has expired'],
    ['token=abc', 'token=(hidden)'],
    ['refresh_token: s3cr3t-value', 'refresh_token: (hidden)'],
    ['{"id_token":"abc","user":"me"}', '{"id_token":"(hidden)","user":"me"}'],
    ["password = 'with blanks in it'", "password = '(hidden)'"],
    ['AWS_SECRET_ACCESS_KEY=a/b+c', 'AWS_SECRET_ACCESS_KEY=(hidden)'],
    ['https://api/?access_token=abc&x=1', 'https://api/?access_token=(hidden)&x=1'],
    ['login --client-secret Zx81-plain', 'login --client-secret (hidden)'],
    ['Authorization: Bearer sha256~Abc1', 'Authorization: Bearer (hidden)'],
    ['basic YWRtaW46YWRtaW4=', 'basic (hidden)'],
    ['http://me:pa:ss@proxy:3128/x', 'http://(hidden)@proxy:3128/x'],
    ['k8s-aws-v1.aHR0cHM6Ly9zdHM', '(hidden)'],
    [`dump:\n${key}\ndone`, 'dump:\n(hidden)\ndone'],
    [key.slice(0, 60), '(hidden)'],
    [`${key.slice(40)} done`, '(hidden) done'],
    [`line ${'Ab1+'.repeat(16)}`, 'line (hidden)'],
    ['login with sha256~9tJXTr3_Zsmb4yxIDq2ixbFrSd0nDpwmWEyC2xhvmnE', 'login with (hidden)'],
    ['client_id GOCSPX-Zx81abcdefghijklmnopqrstuvwx', 'client_id (hidden)'],
    ['key AIzaSyA1234567890abcdefghijklmnopqrstuv', 'key (hidden)'],
    ['vault hvs.CAESIJ1234567890abcdefghij', 'vault (hidden)'],
    ['Basic YWRtaW46L3g=', 'Basic (hidden)'],
    ['secrets.yaml: token: s3cr3t-value', 'secrets.yaml: token: (hidden)'],
  ])('%s', (text, shown) => {
    expect(credentials.removed(text)).toBe(shown);
    expect(credentials.removed(shown)).toBe(shown);
  });

  it.each([
    'token: expired',
    'the password is wrong: try again',
    'bearer authentication is off',
    'secrets "web" is forbidden: User "dev" cannot get resource "secrets"',
    'Secret shop/api-token: no answer',
    'cannot read the token of user "dev": /run/token2: no such file.',
    'image sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'GET https://api.example.com:6443/api/v1/secrets?limit=500 200 in 3 ms',
    'dump/quay-io-openshift-release-dev-ocp-v4-0-art-dev-sha256-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/Namespaces/b.yaml: no such file or folder.',
    `/tmp/${'aB3dE9fG1h'.repeat(7)}: no such file or folder.`,
    `./${'aB3dE9fG1h'.repeat(7)}/b.yaml, line 3: no kind.`,
    'dump/secrets.yaml: ConfigMap web has no name.',
    'dump/api-token.json: ReplicaSet web2 has no name.',
    '--token-file /run/secrets/abc1: no permission to read it.',
    'tokenFile: /run/secrets/abc1: no such file or folder.',
    'image digest sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 is another one',
    '/home/me/Basic Setup2/b.yaml: no such file or folder.',
    'user has a client certificate without its key; set client-key or client-key-data, or pass --client-key.',
  ])('and nothing else: %s', text => {
    expect(credentials.removed(text)).toBe(text);
  });

  it('of 5,000 random paths each is shown as it is', () => {
    const random = randomFrom(7);
    for (let i = 0; i < 5_000; i++) {
      const text = aboutPath(random, randomPath(random));
      expect(credentials.removed(text)).toBe(text);
    }
  });

  it('of 5,000 credentials beside random paths none is shown', () => {
    const random = randomFrom(8);
    for (let i = 0; i < 5_000; i++) {
      const { text, secret } = plantedCredential(random);
      const path = randomPath(random);
      const shown = credentials.removed(`${path}: ${text}`);
      expect({ text, shown, leaks: shown.includes(secret) }).toEqual({ text, shown, leaks: false });
      expect(shown.startsWith(`${path}: `)).toBe(true);
    }
  });

  it('in linear time', () => {
    for (const piece of ['token', 'eyJ', 'a://', 'Aa1', '-----BEGIN PRIVATE KEY-----', '"token": "\\'])
      expect(credentials.removed(piece.repeat(20_000)).length).toBeGreaterThan(0);
  });
});

/** As errors and warnings name one. */
function aboutPath(random: () => number, path: string): string {
  const sentences = [
    `${path}: no such file or folder.`,
    `${path}, line 12: metadata.ownerReferences[0].uid is missing.`,
    `Warning: ${path}: ConfigMap web has no name.`,
    `2 files in ${path} are no manifests.`,
  ];
  return sentences[Math.floor(random() * sentences.length)] ?? '';
}
