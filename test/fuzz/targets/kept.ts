/** What was kept and is read back, perhaps damaged: kubeconfig, recordings, the journal. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readEntry, tookEffect } from '../../../src/actions/journal/journal-entry.ts';
import { parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { RecordingFile } from '../../../src/source/recording/reader.ts';
import { SourceError } from '../../../src/source/source.ts';
import { made, recorded } from '../../source/recording/recorded.ts';
import { demandBrief, fail, type Target } from '../target.ts';

const SECRET = 'correct-horse-battery';

const config = `apiVersion: v1
kind: Config
current-context: one
clusters:
- name: one
  cluster: {server: "https://127.0.0.1:6443", certificate-authority-data: QUFBQQ==}
contexts:
- name: one
  context: {cluster: one, user: me, namespace: shop}
users:
- name: me
  user:
    token: ${SECRET}
    password: ${SECRET}
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: login
      args: [--pass, ${SECRET}]
      env: [{name: PASS, value: ${SECRET}}]
      interactiveMode: Never
`;

/** What is refused, briefly and without credentials; anything else is a mistake. */
function refusedBriefly(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    demandBrief(error);
    if (error.message.includes(SECRET)) fail('an error has credentials in it');
  }
}

const kubeconfig: Target = {
  name: 'kubeconfig',
  words: [
    '\n',
    '- ',
    ': ',
    '{',
    '}',
    '[',
    ']',
    '&a ',
    '*a',
    '<<: ',
    'clusters:',
    'exec:',
    'token: ',
    '"',
    "'",
    '---\n',
    '!!binary ',
    'insecure-skip-tls-verify: ',
    'true',
    '~',
    '\t',
    '  ',
  ],
  seeds: () => [
    Buffer.from(config),
    Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters: null })),
  ],
  check: input => refusedBriefly(() => parseKubeconfig(input.toString('utf8'), '/home/me/.kube/config')),
};

const file = path.join(mkdtempSync(path.join(tmpdir(), 'fuzz-')), 'a.gctree');

function history(): Parameters<typeof recorded>[0] {
  const map = (version: string) =>
    made('ConfigMap', { metadata: { name: 'a', namespace: 'shop', uid: 'u-1', resourceVersion: version } });
  return [1, 2, 3].map(number => ({
    at: number * 1_000,
    batch: { changes: [{ op: 'upsert' as const, object: map(String(number)) }] },
  }));
}

const recording: Target = {
  name: 'recording',
  words: ['[', ']', '{', '}', '0', '-1', 'null', '1e9', '""'],
  seeds: () => [
    recorded(history()),
    recorded(history(), { keyFrameChanges: 1 }),
    recorded(history(), { end: false }),
  ],
  check: input => {
    writeFileSync(file, input);
    refusedBriefly(() => {
      const read = new RecordingFile(file);
      try {
        read.stateAt(read.to);
        read.stateAt(read.from);
      } finally {
        read.close();
      }
    });
  },
};

const lines = [
  {
    step: 'intended',
    id: '20261121T101500Z-4f1a2b',
    at: 1,
    verb: 'delete',
    title: 'delete ConfigMap shop/a',
    object: {},
    cluster: 'c',
    requests: [{}, {}],
    backup: [],
  },
  { step: 'sending', at: 2, request: 0 },
  { step: 'answered', at: 3, request: 0, status: 200 },
  { step: 'unanswered', at: 4, request: 1, message: 'lost' },
  { step: 'unsent', at: 5, request: 1, message: 'no' },
  { step: 'ended', at: 6, outcome: 'reached', because: '' },
];

const journal: Target = {
  name: 'journal',
  words: [
    '\n',
    '{',
    '}',
    '[',
    ']',
    'null',
    '"step":"intended"',
    '"requests":',
    '"request":',
    '-1',
    '1e9',
    '0',
    '"sending"',
    '"ended"',
  ],
  seeds: () => [
    Buffer.from(`${lines.map(line => JSON.stringify(line)).join('\n')}\n`),
    Buffer.from(`${JSON.stringify(lines[0])}\n`),
  ],
  check: input => {
    const source = input.toString('utf8');
    const entry = readEntry(source);
    if (entry === undefined) return;
    tookEffect(entry);
    if (entry.requests.length !== entry.intended.requests.length) fail('requests that nobody intended');
    // Whatever a kill tears off behind a line, what the lines before it said stays known.
    const torn = readEntry(`${source}\n{"step":"answe`);
    if (JSON.stringify(torn) !== JSON.stringify(entry)) fail('a torn line changes what is known');
  },
};

export const keptTargets: readonly Target[] = [kubeconfig, recording, journal];
