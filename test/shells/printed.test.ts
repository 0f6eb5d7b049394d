/** What the commands of this tool print for objects with any name, pasted as it stands on the terminal. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { DiagnosisItem } from '../../src/cli/documents/definitions.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { consoleFor, SmallSource } from '../cli/console.ts';
import { pathSegments, sampled, visibleNames } from './names.ts';
import { type Received, received, shells } from './shells.ts';

const NO_COMMAND = 'no command';

/** Roles that are being deleted, and held. */
function stuck(names: readonly string[], finalizers: readonly string[] = ['example.com/drain']): SmallSource {
  const roles = names.map((name, i) => ({
    kind: 'Role',
    name,
    uid: `uid-${i}`,
    deletionTimestamp: '2026-11-21T11:48:00Z',
    finalizers,
  }));
  return new SmallSource(roles.map(role => `- ${JSON.stringify(role)}`).join('\n'));
}

async function output(argv: readonly string[], names: readonly string[], columns?: number): Promise<string> {
  const { io, services, result } = consoleFor({
    source: stuck(names),
    ...(columns === undefined ? {} : { columns, terminal: true }),
  });
  const exitCode = await runCommandLine([...argv, '--color', 'never'], io, services);
  expect([result().err, exitCode === 2]).toEqual(['', false]);
  return result().out;
}

/** The commands among the lines, with the rows that they go on in. */
function commandsIn(text: string): string[] {
  const commands: string[] = [];
  let open = false;
  for (const row of text.split('\n')) {
    if (open) commands.push(`${commands.pop() ?? ''}\n${row}`);
    else {
      const [, command] =
        /^ *(?:Equivalent: |More about the first: )?((?:kubectl|echo|printf) .*)$/u.exec(row) ?? [];
      if (command === undefined) continue;
      commands.push(command);
    }
    open = row.endsWith(' \\');
  }
  return commands;
}

interface Request {
  readonly verb: string;
  readonly path: string;
  readonly body: unknown;
}

/** What the commands of a remedy have to say, from the document, which says nothing of shells. */
function saidBy({ object, remedies }: DiagnosisItem): Received[] {
  const where = ['-n', object.namespace ?? ''];
  const target = `role/${object.name}`;
  return remedies
    .filter(({ requests }) => requests.length > 0)
    .flatMap(({ id, requests }) => [
      { words: ['gc-tree', 'unblock', target, ...where, '--remedy', id], input: '' },
      ...(requests as readonly Request[]).map(({ verb, path, body }) =>
        verb === 'PATCH'
          ? { words: ['patch', target, ...where, '--type=json', '-p', JSON.stringify(body)], input: '' }
          : { words: ['delete', '--raw', path, '-f', '-'], input: JSON.stringify(body) },
      ),
    ]);
}

describe('pasted from the terminal', () => {
  const names = [...new Set(sampled(visibleNames, 50))];
  let lines: readonly string[] = [];
  let expected: readonly Received[] = [];

  beforeAll(async () => {
    const document = await output(['why', 'roles', '--all', '-o', 'json'], names);
    const { items } = JSON.parse(document) as { readonly items: readonly DiagnosisItem[] };
    expect(items.map(({ object }) => object.name).sort()).toEqual([...names].sort());
    const printed = [undefined, 60, 100].map(columns =>
      output(['why', 'roles', '--all', '-o', 'wide'], names, columns),
    );
    lines = (await Promise.all(printed)).flatMap(commandsIn);
    expected = printed.flatMap(() => items.flatMap(saidBy));
    for (const name of names.slice(0, 5)) {
      const target = `role/${name}`;
      const told = await Promise.all([
        output(['check', target], names),
        output(['plan', 'delete', target], names, 72),
      ]);
      lines = [...lines, ...told.flatMap(text => commandsIn(text).slice(0, 1))];
      expected = [
        ...expected,
        { words: ['gc-tree', 'why', target, '-n', 'shop'], input: '' },
        { words: ['delete', target, '-n', 'shop', '--cascade=background'], input: '' },
      ];
    }
  });

  for (const { shell, missing, title } of shells)
    test.skipIf(missing)(`each command means its object in ${title}`, () => {
      expect(received(shell, lines)).toEqual(expected);
    });
});

describe('a name that no line can show', () => {
  const names = [...new Set(sampled(pathSegments, 150))].filter(name => /[\p{Cc}\p{Cf}]/u.test(name));

  test('has no command that could mean another object', async () => {
    expect(names.length).toBeGreaterThan(10);
    const text = await output(['why', 'roles', '--all', '-o', 'wide'], names);
    // What kubectl is told by a path is told exactly.
    expect(commandsIn(text).filter(line => !line.includes(' --raw '))).toEqual([]);
    expect(text.split(NO_COMMAND).length - 1).toBeGreaterThanOrEqual(names.length);
    for (const name of names.slice(0, 5)) {
      const target = `role/${name}`;
      expect(commandsIn(await output(['check', target], names))).toEqual([]);
      expect(commandsIn(await output(['plan', 'delete', target], names))).toEqual([]);
    }
  });

  test('is refused by -o name, whatever else there is to print', async () => {
    for (const argv of [
      ['tree', 'roles'],
      ['why', 'roles', '--all'],
      ['check'],
      ['plan', 'delete', 'roles', '--all'],
    ]) {
      const { io, services, result } = consoleFor({
        source: stuck(['harmless', 'a\u001b[2Jb'], argv[0] === 'plan' ? [] : undefined),
      });
      expect(await runCommandLine([...argv, '-o', 'name'], io, services)).toBe(2);
      expect(result().out).toBe('');
      expect(result().err).toMatch(/^kubectl gc-tree: .*role[^ ]*\/a%1B\[2Jb holds characters/u);
    }
  });

  test('and is printed by -o name where a line can hold it', async () => {
    const name = "c;touch x;#' $(id)";
    expect(await output(['tree', 'roles', '-o', 'name'], [name])).toBe(
      `role.rbac.authorization.k8s.io/${name}\n`,
    );
  });
});
