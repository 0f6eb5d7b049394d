/**
 * Every command that is printed or copied, pasted into real shells: kubectl receives the very object that was meant,
 * whatever it is called. Where a name cannot be shown there is no command.
 */
import { describe, expect, test } from 'vitest';
import { printLine } from '../../src/cli/documents/print/print-lines.ts';
import { onSameCluster, sameSource } from '../../src/cli/session/same-source.ts';
import { TrackedView } from '../../src/diagnosis/engine/tracked-view.ts';
import { redelete, removeFinalizer } from '../../src/diagnosis/remedies/deletion-remedies.ts';
import { kubectlDelete } from '../../src/forecast/request-paths.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import { identityOfObject } from '../../src/graph/ownership-node.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { type ShellCommands, shellLine } from '../../src/model/text/shell-line.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { actionCommands } from '../../src/text/actions/remedy-command.ts';
import { TextLine } from '../../src/text/terminal/text-line.ts';
import { now, objects } from '../cli/documents/cluster.ts';
import { finalizers, HOW_MANY, PATIENCE, pathSegments, sampled, subdomains, visibleNames } from './names.ts';
import { type Received, received, shells } from './shells.ts';

/** Some in no namespace, some with a name that only a pod may have. */
function objectsNamed(names: readonly string[], held: readonly string[]): KubeObject[] {
  return objects(
    names
      .map((name, i) => {
        const kind = i % 3 === 0 ? 'ClusterRole' : i % 3 === 1 ? 'Role' : 'RoleBinding';
        return `- ${JSON.stringify({
          kind,
          name,
          uid: `uid-${i}`,
          namespace: kind === 'ClusterRole' ? '' : 'shop',
          deletionTimestamp: '2026-11-21T11:48:00Z',
          finalizers: [held[i] ?? 'example.com/drain'],
        })}`;
      })
      .join('\n'),
  ).flatMap(change => (change.op === 'upsert' ? change.object : []));
}

interface Told {
  readonly commands: ShellCommands;
  /** What kubectl has to receive: written down here, and not by what composes the commands. */
  readonly expected: readonly Received[];
}

/** Each way in which a command is made, on one object. */
function told(
  tracked: TrackedView,
  object: KubeObject,
  { others, held, context: given }: { others: readonly KubeObject[]; held: string; context: string },
): Told[] {
  const { catalog } = tracked.view;
  const word = (each: KubeObject) => `${each.type.kind.toLowerCase()}/${each.name}`;
  const target = word(object);
  const where = object.namespace === '' ? [] : ['-n', object.namespace];
  const identity = identityOfObject(object);
  const id = `delete/${target}`;
  const removal = removeFinalizer(tracked, object, held);
  const deletion = redelete(object, 'background');
  const [patch] = removal.requests;
  const [again] = deletion.requests;
  // The one word that nothing stands in front of.
  const context = ['--context', given];
  const flags = { headers: true, color: 'auto', verbosity: 0, context: given } as const;
  const plain = (words: readonly string[]): Received => ({ words, input: '' });
  return [
    {
      commands: [actionCommands.on(catalog, identity, ['why'], sameSource(flags, 'reads'))],
      expected: [plain(['gc-tree', 'why', target, ...where, ...context])],
    },
    {
      commands: [actionCommands.ofRemedy(catalog, identity, id)],
      expected: [plain(['gc-tree', 'unblock', target, ...where, '--remedy', id])],
    },
    {
      commands: onSameCluster(removal.kubectl, flags),
      expected: [
        plain([...context, 'patch', target, ...where, '--type=json', '-p', JSON.stringify(patch?.body)]),
      ],
    },
    {
      commands: deletion.kubectl,
      expected: [
        { words: ['delete', '--raw', again?.path ?? '', '-f', '-'], input: JSON.stringify(again?.body) },
      ],
    },
    {
      commands: kubectlDelete(catalog, { verb: 'delete', cascade: 'orphan', targets: [object, ...others] }),
      expected: deletions([object, ...others]).map(targets =>
        plain([
          'delete',
          ...targets.map(word),
          ...(targets[0]?.namespace === '' ? [] : ['-n', targets[0]?.namespace ?? '']),
          '--cascade=orphan',
        ]),
      ),
    },
  ];
}

/** One command for each namespace, and one for each name with a comma. */
function deletions(targets: readonly KubeObject[]): KubeObject[][] {
  const groups: KubeObject[][] = [];
  for (const target of targets) {
    const isAlone = target.name.includes(',');
    const group = isAlone
      ? undefined
      : groups.find(([first]) => first?.namespace === target.namespace && !first.name.includes(','));
    if (group === undefined) groups.push([target]);
    else group.push(target);
  }
  return groups;
}

function allTold(names: readonly string[], held: readonly string[]): Told[] {
  const living = objectsNamed(names, held);
  const view = new ClusterView();
  view.apply({ changes: [], types: builtInTypes, failedGroups: [], statuses: [] }, 0);
  const tracked = new TrackedView(view, now);
  const contexts = sampled(visibleNames, names.length, 43);
  return living.flatMap((object, i) =>
    told(tracked, object, {
      others: living.slice(i + 1, i + 1 + (i % 3)),
      held: object.finalizers[0] ?? '',
      context: contexts[i] ?? 'prod',
    }),
  );
}

/** As a terminal shows it: folded into its width. */
function printed(commands: ShellCommands, width: number | undefined): string {
  return printLine(TextLine.command('  ', commands, 'plain', 4), { colour: false, ascii: false, width });
}

const widths = [undefined, 40, 80, 200];

describe('a command that is printed', () => {
  const names = [
    ...sampled(visibleNames, Math.ceil(HOW_MANY * 0.8)),
    ...sampled(subdomains, Math.ceil(HOW_MANY * 0.2)),
  ];
  const tellings = allTold(names, sampled(finalizers, names.length));

  test('is there for every name that can be typed', { timeout: PATIENCE }, () => {
    const unsaid = tellings.filter(({ commands }) => shellLine(commands) === undefined);
    expect(unsaid.flatMap(({ expected }) => expected)).toEqual([]);
  });

  for (const { shell, missing, title } of shells)
    test.skipIf(missing)(`means the very same object in ${title}`, { timeout: PATIENCE }, () => {
      const lines = tellings.map(({ commands }, i) => printed(commands, widths[i % widths.length]).trimEnd());
      const found = received(shell, lines);
      const expected = tellings.flatMap(each => each.expected);
      // One by one first: a difference among thousands would be unreadable.
      for (const [i, want] of expected.entries()) if (!isSame(found[i], want)) expect(found[i]).toEqual(want);
      expect(found).toHaveLength(expected.length);
    });
});

function isSame(found: Received | undefined, want: Received): boolean {
  return (
    found?.input === want.input &&
    found.words.length === want.words.length &&
    found.words.every((word, i) => word === want.words[i])
  );
}

describe('of names that may hold anything', () => {
  const names = sampled(pathSegments, HOW_MANY);
  const tellings = allTold(names, sampled(finalizers, names.length)).map(({ commands, expected }) => ({
    line: shellLine(commands),
    expected,
  }));

  test('no line holds what cannot be seen', { timeout: PATIENCE }, () => {
    for (const { line = '' } of tellings)
      expect(line).not.toMatch(
        /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u,
      );
  });

  for (const { shell, missing, title } of shells)
    test.skipIf(missing)(
      `each line that there is means the very same object in ${title}`,
      { timeout: PATIENCE },
      () => {
        const said = tellings.filter(({ line }) => line !== undefined);
        const found = received(
          shell,
          said.map(({ line = '' }) => line),
        );
        const expected = said.flatMap(each => each.expected);
        for (const [i, want] of expected.entries())
          if (!isSame(found[i], want)) expect(found[i]).toEqual(want);
        expect(found).toHaveLength(expected.length);
        expect(said.length).toBeLessThan(tellings.length);
      },
    );
});
