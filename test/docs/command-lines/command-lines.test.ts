/**
 * Every command line of the product in a code block of any page, and in the help of any command: the program takes its flags
 * and arguments, and gets as far as the cluster, the scenario or the files that it names.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program/program.ts';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { consoleFor } from '../../cli/console.ts';
import { commandLines } from '../console-blocks.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');
const pages = globSync(['*.md', 'docs/**/*.md', 'deploy/**/*.md'], { cwd: root }).sort();

/** No cluster is there, so that it ends where it would be asked. */
const REACHED = 'no context "prdo" in the kubeconfig';
/** Nor are the files that pages speak of, the program that builds some of them, and what was done or is told in a log. */
const notThere =
  /: no such file or folder\.|: there is no such file[.;]|: there is no kubectl on the PATH to build it\.|: there is no entry "\w+-\w+" in the journal\.|: the journal is empty, so|is not in the log: no request there created| cannot be read \(ENOENT\)/u;
/** What is piped in. */
const stdin = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: api, namespace: shop}}
`;

interface Tried {
  readonly exitCode: number;
  readonly err: string;
}

async function tried(words: readonly string[]): Promise<Tried> {
  // These ask, or show around, on a terminal alone.
  const isAsking = ['delete', 'unblock', 'undo'].includes(words[0] ?? '') || words.includes('--tour');
  const { io, services, result } = consoleFor({ stdin, terminal: isAsking });
  const exitCode = await runCommandLine(endless(words), io, {
    ...services,
    kubeconfigNames: () =>
      Promise.resolve({ contexts: ['prod-eu', 'stage-eu'], clusters: ['c'], users: ['u'] }),
  });
  return { exitCode, err: result().err.replaceAll(/\s+/gu, ' ') };
}

/** What would go on in a scenario for ever ends at the cluster in place of it. */
function endless(words: readonly string[]): readonly string[] {
  const goesOn =
    ['serve', 'record', 'wait'].includes(words[0] ?? '') ||
    /(?:^| )(?:-w|--watch)(?: |$)/u.test(words.join(' '));
  const at = words.indexOf('--demo');
  return goesOn && at >= 0 ? words.toSpliced(at, 2) : words;
}

/** File name, or the name of a command → its text, the help of a command as a code block. */
function texts(): ReadonlyMap<string, string> {
  const program = buildProgram(() => Promise.resolve());
  return new Map([
    ...pages.map((name): [string, string] => [name, readFileSync(path.join(root, name), 'utf8')]),
    ...program.commands.map((command): [string, string] => [
      `the help of ${command.name()}`,
      `\`\`\`\n${helpOf(command)}\n\`\`\``,
    ]),
  ]);
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: part => {
      text += part;
    },
    getOutHelpWidth: () => 80,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text;
}

const isAccepted = ({ exitCode, err }: Tried): boolean =>
  exitCode !== 2 || err.includes(REACHED) || notThere.test(err);

describe.each([...texts()])('%s', (_, text) => {
  const lines = commandLines(text);
  test.runIf(lines.length > 0)('has only command lines that the program takes', async () => {
    const refused: string[] = [];
    for (const words of lines) {
      const answer = await tried(words);
      if (!isAccepted(answer)) refused.push(`${words.join(' ')}: ${answer.err}`);
    }
    expect(refused).toEqual([]);
  });
});

test('command lines are found in pages, and what is wrong with one is seen', async () => {
  const all = [...texts().values()].flatMap(commandLines);
  expect(all.length).toBeGreaterThan(150);
  for (const wrong of [
    ['tree', '--nosuch'],
    ['check', '-o', 'nosuch'],
    ['tree', '--probe', 'sts/web'],
    ['why'],
    ['plan', 'explode', 'sts/web'],
    ['nosuch', 'a/b/c'],
    ['demo', 'nosuch'],
  ])
    expect([wrong, isAccepted(await tried(wrong))]).toEqual([wrong, false]);
});
