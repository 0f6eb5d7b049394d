import { execFileSync } from 'node:child_process';
/** `config.yaml`: what it may say, and what is said of what it may not. */
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commands } from '../../../src/app/commands/bindings.ts';
import { withOwnKeys } from '../../../src/app/config/own-keys.ts';
import { readSettings } from '../../../src/app/config/own-settings.ts';
import { parseSettings } from '../../../src/app/config/settings-text.ts';
import { filled, fits } from '../../../src/app/settings/templates.ts';
import { views } from '../../../src/app/views/registry.ts';

describe('what it says', () => {
  test('everything may be left out, and comments are nothing', () => {
    expect(parseSettings('')).toEqual({});
    expect(parseSettings('# theme: light\n')).toEqual({});
  });

  test('each field as it was written', () => {
    const written = {
      theme: 'light',
      ascii: true,
      view: 'problems',
      sort: 'age',
      columns: [
        'name',
        'label:app.kubernetes.io/name',
        { column: 'uid', title: 'ID', width: 12, wide: true },
      ],
      keys: { delete: 'ctrl-x', down: ['down', 'n'], namespace: 'N' },
    };
    expect(parseSettings(JSON.stringify(written))).toEqual(written);
  });

  test('every view of the screen as the one to open with', () => {
    for (const { id } of views) expect(parseSettings(`view: ${id}`)).toEqual({ view: id });
    const others = views.map(({ id }) => id).join(', ');
    expect(() => parseSettings('view: held')).toThrow(`line 1: view is "held"; it must be one of ${others}`);
  });

  test.each([
    ['sort: size', 'line 1: sort is "size"; it must be one of name, age, trouble'],
    [
      'theme: light\ncolour: red',
      'line 2: colour is no field; those are theme, ascii, view, sort, columns, keys, commands, views',
    ],
    ['\n\nkeys: { erase: x }', 'line 3: erase is no command; those are '],
    ['keys: { delete: xx }', 'line 1: xx is no key: write x, X, ctrl-x, or one of up, down'],
    ['keys: { delete: ctrl-c }', 'line 1: ctrl-c quits from anywhere, and nothing else'],
    ['keys: { delete: x, orphan: x }', 'line 1: x is both delete and orphan'],
    ['keys: { delete: [] }', 'line 1: keys.delete must be a key, or a list of keys: [x, ctrl-x]'],
    ['commands: [{ name: a }]', 'line 1: commands.0: kubectl is missing'],
    ['commands: [{ name: A, kubectl: [get] }]', 'a name has small letters, digits and -'],
    [
      'commands: [{ name: a, kubectl: [get, "{pod}"] }]',
      '{pod} is nothing that can be put in; that are {name}',
    ],
    [
      'commands:\n- { name: a, kubectl: [x] }\n- { name: a, kubectl: [x] }',
      'line 3: there are two commands a',
    ],
    ['keys: { delete: x }\ncommands: [{ name: a, key: x, kubectl: [x] }]', 'line 2: x is both delete and a'],
    ['views: { x: {} }', 'line 1: views.x must NOT have fewer than 1 properties'],
    ['views: { X: { problems: true } }', 'is "X"; a name has small letters'],
    [
      'columns:\n- state\n- size',
      'line 3: columns: "size" is no column; those are name, state, age, kind, namespace, api-version, ready, reason, node, managed-by, owner, owners, dependents, finalizers, created, deleting, uid, label:KEY, annotation:KEY',
    ],
    ['columns: [age, name]', 'line 1: columns: name is always the first column'],
    ['columns: [{ column: name, width: 9 }]', 'columns: name takes the room that is left: write name alone'],
    ['columns: [age, state, { column: age }]', 'columns: age is there twice'],
    ['columns: ["label:"]', 'columns: "label:" names no label; write label:app.kubernetes.io/name'],
    ['columns: ["annotation:a b"]', 'columns: "annotation:a b" names no annotation; write annotation:'],
    [
      'columns: ["annotation:kubectl.kubernetes.io/last-applied-configuration"]',
      'kubectl.kubernetes.io/last-applied-configuration is not shown: it holds all of the object, data of Secrets too',
    ],
    ['columns: age', 'columns must be a list: [one, another]'],
    ['columns: []', 'columns must NOT have fewer than 1 items'],
    ['columns: [3]', 'columns.0 must be a name, or a name with how it looks: { column: uid, wide: true }'],
    ['columns: [{ wide: true }]', 'columns.0: column is missing'],
    ['columns: [{ column: age, width: 2 }]', 'columns.0.width is 2; it must be >= 4'],
    [
      'columns: [{ column: age, colour: red }]',
      'columns.0.colour is no field; those are column, title, width, wide',
    ],
    [
      'views:\n  a:\n    columns:\n    - lable:app',
      'line 4: views.a.columns: "lable:app" is no column; those are',
    ],
    ['- a', 'line 1: the file must be one object'],
    ['a: b: c', 'line 1: '],
    ['theme: &a [*a]', 'circular'],
  ])('%s', (yaml, message) => {
    expect(() => parseSettings(yaml)).toThrow(message);
  });

  test('how many more faults there are', () => {
    expect(() => parseSettings('sort: x\ntheme: y')).toThrow(/^line 1: sort .*\(and 1 more\)$/u);
  });
});

describe('keys', () => {
  const keysOf = (keys: Record<string, string | string[]>, id: string): readonly string[] | undefined =>
    withOwnKeys({ keys }).find(command => command.id === id)?.keys;

  test('a command has the keys that it was given, and no others', () => {
    expect(keysOf({ delete: ['X', 'delete'] }, 'delete')).toEqual(['X', 'delete']);
  });

  test('whoever had the key by itself loses it, and keeps others', () => {
    expect(keysOf({ delete: 'j' }, 'down')).toEqual(['down']);
    expect(keysOf({ delete: 'o' }, 'orphan')).toEqual([]);
    expect(keysOf({ delete: 'X' }, 'orphan')).toEqual(['o']);
  });

  test('no key of one view means two commands, whatever is chosen of those that are there', () => {
    for (const { id, keys } of commands.filter(command => command.id !== 'interrupt'))
      for (const key of keys) {
        const chosen = withOwnKeys({ keys: { quit: key, ...(id === 'quit' ? {} : { [id]: 'ctrl-y' }) } });
        expect(chosen.filter(command => command.keys.includes(key)).map(command => command.id)).toEqual([
          'quit',
        ]);
      }
  });
});

describe('commands of the user', () => {
  const values = {
    name: 'web-0; rm -rf /',
    namespace: 'shop',
    kind: 'Pod',
    uid: 'u1',
    target: 'pods./web-0',
  };

  test('a word stays one, whatever a name holds', () => {
    const kubectl = ['neat', '{namespace}/{name}', '--for={name}'];
    expect(filled({ kubectl }, values)).toEqual(['neat', 'shop/web-0; rm -rf /', '--for=web-0; rm -rf /']);
  });

  test('a name that would be read as a flag runs nothing', () => {
    expect(filled({ kubectl: ['get', '{name}'] }, { ...values, name: '--all' })).toBeUndefined();
    expect(filled({ kubectl: ['get', '-n', '{name}'] }, { ...values, name: 'x' })).toEqual([
      'get',
      '-n',
      'x',
    ]);
  });

  test('the kinds that it is for', () => {
    expect(fits({ kinds: ['pod'] }, 'Pod')).toBe(true);
    expect(fits({ kinds: ['Job'] }, 'Pod')).toBe(false);
    expect(fits({}, 'Pod')).toBe(true);
  });

  test('its key is taken from whoever had it', () => {
    const own = withOwnKeys({ commands: [{ name: 'a', key: 'd', kubectl: ['x'] }] });
    expect(own.find(command => command.id === 'delete')?.keys).not.toContain('d');
  });
});

describe('the file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'gc-tree-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const written = async (text: string, mode = 0o644): Promise<string> => {
    const file = path.join(folder, 'config.yaml');
    await writeFile(file, text);
    await chmod(file, mode);
    return file;
  };

  test('is nothing where there is none', async () => {
    expect(await readSettings(path.join(folder, 'config.yaml'))).toEqual({});
  });

  test('is followed where it is a link', async () => {
    const link = path.join(folder, 'link');
    await symlink(await written('sort: age'), link);
    expect(await readSettings(link)).toEqual({ sort: 'age' });
  });

  test('is named with what is wrong', async () => {
    const file = await written('sort: size');
    await expect(readSettings(file)).rejects.toThrow(`${file}: line 1: sort is "size"`);
  });

  test('is not read where others can write to it', async () => {
    const file = await written('sort: age', 0o666);
    await expect(readSettings(file)).rejects.toThrow('can be written to by other users (mode 0666)');
  });

  test.skipIf(process.platform === 'win32')(
    'is not waited for where it is a pipe',
    async () => {
      const pipe = path.join(folder, 'pipe');
      execFileSync('mkfifo', ['-m', '600', pipe]);
      await expect(readSettings(pipe)).rejects.toThrow('is no file');
    },
    3000,
  );

  test('is not read where it is a folder or too large', async () => {
    await expect(readSettings(folder)).rejects.toThrow('is no file');
    await expect(readSettings(await written('#'.repeat(300_000)))).rejects.toThrow('too large');
  });
});
