/**
 * Every command with every flag and misuse that the definitions of commands know, and what else people get wrong: no
 * line is wider than the terminal, and where it shows ASCII alone there is nothing else.
 */
import { stripVTControlCharacters } from 'node:util';
import type { Command, Option } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program/program.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { displayWidth } from '../../src/text/terminal/width.ts';
import { folderOf } from '../source/files/reading.ts';
import { consoleFor } from './console.ts';

/** Wide characters, long names, and a bit of everything that commands tell of. */
const manifests = `
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: web
  namespace: shop
  uid: web-1
  deletionTimestamp: "2026-01-01T00:00:00Z"
  finalizers: [foregroundDeletion, "例え.example.com/とても長いファイナライザーの名前ですからね"]
---
apiVersion: v1
kind: Pod
metadata:
  name: a-pod-with-a-name-that-is-long-enough-to-need-a-second-line-or-to-be-cut-at-the-end
  namespace: shop
  uid: pod-1
  deletionTimestamp: "2026-01-01T00:00:00Z"
  finalizers: [example.com/drain-that-nobody-here-handles]
  ownerReferences:
    - {apiVersion: apps/v1, kind: StatefulSet, name: web, uid: web-1, blockOwnerDeletion: true, controller: true}
spec: {nodeName: "節点-一", containers: [{name: a, image: a}]}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: "設定-設定-設定-設定-設定-設定-設定-設定"
  namespace: shop
  labels: {app: web}
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: "不在", uid: gone-1}]
`;
let files: string;
beforeAll(() => {
  files = `${folderOf({ 'all.yaml': manifests })}/all.yaml`;
});

// All of it on all terminals takes a minute: else each is seen on one, and flags with some of the commands.
const everywhere = process.env['GC_TREE_LINES'] === 'everywhere';

const program = buildProgram(() => Promise.resolve());
const namesOf = (command: Command): string => (command === program ? '' : command.name());

/** What a command is asked in earnest. */
const asked: Readonly<Record<string, readonly string[]>> = {
  '': ['', 'sts/web'],
  tree: ['', 'sts/web', 'pods', '-l app=web', '-A'],
  why: ['sts/web', 'pods --all', 'cm --all', 'sts/web --probe', 'sts/web --audit-log /nowhere/audit.log'],
  check: ['', '-A', 'sts/web', '-n shop'],
  plan: [
    '',
    'restart',
    'delete sts/web',
    'delete sts/web --cascade=foreground --steps',
    'unblock sts/web',
    'unblock sts/web --remedy nosuch',
    'taint node/node-1 out-of-service',
    'drain node-1 --force --ignore-daemonsets',
  ],
  podgc: ['', '-A', 'pods', 'node/node-1'],
  activity: ['', '-A', 'pods', 'sts/web --what Held'],
  wait: ['sts/web --for=delete --timeout=0', 'sts/nosuch --for=delete --timeout=0', 'sts/web'],
  delete: ['sts/web --dry-run=client', 'sts/web --dry-run=server', 'sts/web'],
  unblock: ['sts/web', 'sts/web --remedy nosuch --dry-run=client', 'pods --all'],
  undo: ['', 'nosuch --yes', 'nosuch'],
  record: ['', '/nowhere/a.gctree'],
  serve: ['--port=0', '--port=0 --bind-address 0.0.0.0', '--port=0 sts/web'],
  mcp: ['sts/web', '--allow-context nosuch --demo shop'],
  demo: ['--list', 'shop', 'nosuch', 'shop --step', '--step --break pods'],
  completion: ['', 'csh'],
  schema: ['', 'plan', 'nosuch'],
  version: [''],
};

/** What is wrong with every command. */
const misuse = [
  'sts/',
  'sts/web pod',
  'sts/nosuch-with-a-long-name-that-fills-much-of-a-line',
  'stss/web',
  'wigdets',
  'delete',
  'delete sts',
  'unblock',
  'taint node/x nosuch',
  '-A sts/web',
  'sts/web -l app=web',
  '-l app==',
  '-n nosuch',
  'ns/nosuch',
  'events',
  '--nosuch',
  '--watc',
];

/** As the flag asks for it, without its value, and with one that makes no sense. */
function usesOf(option: Option): string[] {
  const flag = option.long ?? '';
  if (flag === '--help' || flag === '--filename' || flag === '--demo') return [];
  if (!option.required) return [flag];
  return [flag, `${flag} nosuch`, ...(option.argChoices ?? []).map(choice => `${flag}=${choice}`)];
}

function invocations(): string[] {
  const words: string[] = [];
  for (const [nth, command] of [program, ...program.commands].entries()) {
    const name = namesOf(command);
    const [good = ''] = asked[name] ?? [];
    words.push(`${name} --help`, ...(asked[name] ?? []).map(rest => `${name} ${rest}`));
    const sources = ['--demo shop', '-f FILES'];
    words.push(...sources.flatMap(source => (asked[name] ?? []).map(rest => `${name} ${rest} ${source}`)));
    const options = new Set([...command.options, ...program.options]);
    const uses = [...options].flatMap(usesOf).map(use => `${good} ${use}`);
    // It would take most of them for the file to write; and on a port that others have.
    const wrong = name === 'record' || name === 'serve' ? [] : misuse;
    const more = [...wrong, ...uses.filter((_, use) => everywhere || use % 3 === nth % 3)];
    for (const [index, rest] of more.entries())
      for (const [at, source] of sources.entries())
        if (everywhere || index % sources.length === at) words.push(`${name} ${rest} ${source}`);
  }
  words.push(
    'nosuch',
    'help nosuch',
    'tree -f nowhere.yaml',
    'tree -f FILES --demo shop',
    'tree --demo nosuch',
  );
  return [...new Set(words.map(each => each.replace(/ +/gu, ' ').trim()))];
}

/** Documents are for programs, and a script for a shell. */
const isDocument = (words: string): boolean =>
  /-(?:o|-output)[ =](?:json|yaml|name|dot|mermaid|svg|html|junit|sarif|github|markdown|baseline)/u.test(
    words,
  ) || /^(?:completion|schema)/u.test(words);

interface Terminal {
  readonly columns: number;
  readonly ascii: boolean;
}

async function linesOf(words: string, { columns, ascii }: Terminal): Promise<string[]> {
  // What goes on for ever ends with its first words.
  const stop = (_: string, interrupt: () => void): void => {
    if (words.includes('--watch') || words.startsWith('serve')) interrupt();
  };
  const { io, services, result } = consoleFor({
    columns,
    env: ascii ? { LC_ALL: 'C' } : {},
    onOutput: stop,
    onError: stop,
  });
  const argv = words.split(' ').map(word => (word === 'FILES' ? files : word));
  await runCommandLine(argv, io, services);
  const { out, err } = result();
  const told = isDocument(words) ? err : `${out}\n${err}`;
  return told.split('\n').map(line => stripVTControlCharacters(line));
}

/** Rows of `-o wide` aren't cut. */
const isWide = (words: string): boolean => /^(?:check|podgc) .*--output=wide/u.test(words);

/** One word that doesn't fit: a path, a URL, a name. To cut it would take away what it is there for. */
const isOneWord = (line: string): boolean => !/\S\s\S/u.test(line.replace(/ \\$/u, ''));

const terminals: readonly Terminal[] = [
  { columns: 80, ascii: false },
  { columns: 120, ascii: true },
  { columns: 80, ascii: true },
  { columns: 120, ascii: false },
];

test.each(terminals.entries().toArray())('terminal %i has every line within it', async (at, terminal) => {
  const bad: string[] = [];
  for (const [index, words] of invocations().entries()) {
    if (!everywhere && index % terminals.length !== at) continue;
    for (const line of await linesOf(words, terminal)) {
      const isTooWide = displayWidth(line) > terminal.columns && !isOneWord(line) && !isWide(words);
      if (isTooWide) bad.push(`${words}: ${line}`);
      if (terminal.ascii && /[^ -~]/u.test(line)) bad.push(`${words}: ${line}`);
    }
  }
  expect(bad).toEqual([]);
});

test('every command is asked something', () => {
  expect(Object.keys(asked).sort()).toEqual(['', ...program.commands.map(command => command.name())].sort());
});
