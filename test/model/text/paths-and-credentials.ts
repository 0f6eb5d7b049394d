/** Random paths as dumps, builds and temporary folders have them, and credentials as they turn up in messages. */
import type { Random } from '../../fuzz/mutate.ts';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const BASE64_URL = `${LOWER.toUpperCase()}${LOWER}${DIGITS}-_`;

function pick<T>(random: Random, list: readonly [T, ...T[]]): T {
  return list[Math.floor(random() * list.length)] ?? list[0];
}

function from(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
}

function bytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
}

const hex = (random: Random, length: number) => from(random, `${DIGITS}abcdef`, length);

function uuid(random: Random): string {
  return [8, 4, 4, 4, 12].map(length => hex(random, length)).join('-');
}

const words = [
  'namespaces',
  'cluster-scoped-resources',
  'openshift-kube-apiserver',
  'Namespaces',
  'MyService',
  'api-token',
  'client-secrets',
  'node_modules',
  'build',
  'release-v1.36.2',
  'ip-10-0-131-2.eu-west-1.compute.internal',
  'com.example.OperatorLifecycle',
  'target',
  'credentials',
] as const;

const folders: readonly [(random: Random) => string, ...((random: Random) => string)[]] = [
  random => pick(random, words),
  random => pick(random, words),
  uuid,
  random => uuid(random).toUpperCase(),
  random => hex(random, 64),
  random => `quay-io-openshift-release-dev-ocp-v4-0-art-dev-sha256-${hex(random, 64)}`,
  random => `registry-redhat-io-odf4-odf-must-gather-rhel9-sha256-${hex(random, 64)}`,
  random => `must-gather.local.${from(random, DIGITS, 19)}`,
  random => `api-${from(random, `${LOWER}${DIGITS}`, 10)}-${from(random, `${LOWER}${DIGITS}`, 5)}`,
  random => `tmp.${from(random, BASE64_URL.slice(0, 62), 10)}`,
  random => `${from(random, `${LOWER}${DIGITS}`, 32)}-kubernetes-1.36.0`,
  random => `TestManyPathsAreShown${from(random, DIGITS, 10)}`,
  random => from(random, `${LOWER.toUpperCase()}${DIGITS}`, 26),
];

/** Rooted or not, up to twelve folders deep, with the name of a file at the end or without. */
export function randomPath(random: Random): string {
  const depth = 2 + Math.floor(random() * 11);
  const parts = Array.from({ length: depth }, () => pick(random, folders)(random));
  const file = pick(random, ['', 'pods.yaml', 'secrets.yaml', 'my-token.json', `${hex(random, 64)}.yml`]);
  // Of characters as a credential has them, which a name that ends like a file may have, too.
  if (file !== '' && random() < 0.2) parts.push(from(random, BASE64_URL.slice(0, 62), 60));
  if (file !== '') parts.push(file);
  return `${pick(random, ['', '', './', '../', '/tmp/', '/home/Me2/', '/var/folders/8k/', 'C:/Users/Me/'])}${parts.join('/')}`;
}

/** A message with a credential in it, and what of it must not be shown. */
export function plantedCredential(random: Random): { readonly text: string; readonly secret: string } {
  const value = bytes(random, 36).toString('base64url');
  const jwt = `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${value}.${bytes(random, 32).toString('base64url')}`;
  const long = bytes(random, 48).toString(pick(random, ['base64', 'base64url']));
  const basic = Buffer.from(`admin:${value.slice(0, 12)}`).toString('base64');
  const password = from(random, `${BASE64_URL}!$%*`, 16);
  const made: [string, string][] = [
    [`got ${jwt}, which has expired`, value],
    [`Authorization: Bearer a1${value}`, value],
    [`authorization: basic ${basic}`, basic],
    [`proxy http://me:${password}@proxy:3128 says no`, password],
    [`login --password ${password}1a`, `${password}1a`],
    [`{"client_secret": "${value}"}`, value],
    [`AWS_SECRET_ACCESS_KEY=${long.slice(0, 40)}`, long.slice(0, 40)],
    [`AKIA${from(random, LOWER.toUpperCase(), 16)} has no access`, 'AKIA'],
    [`ghp_${hex(random, 36)} is revoked`, 'ghp_'],
    [`sha256~${bytes(random, 32).toString('base64url')} is unknown`, 'sha256~'],
    [`the answer was ${long}`, long],
    [`the answer was:\n${long}\n`, long],
    [`-----BEGIN PRIVATE KEY-----\n${long}\n-----END PRIVATE KEY-----`, long],
  ];
  const [text, secret] = made[Math.floor(random() * made.length)] ?? ['', ''];
  return { text, secret };
}
