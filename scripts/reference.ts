/** The pages that are made from the code, and the pages of which a part is. */
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { type ScreenCommand, wordsOf } from '../src/app/commands/bindings/binding.ts';
import { commands } from '../src/app/commands/bindings.ts';
import { moreOf, ownWords } from '../src/app/commands/line/line-words.ts';
import type { ViewId } from '../src/app/settings/settings.ts';
import { keyLabel } from '../src/app/state/keys.ts';
import { views as allViews } from '../src/app/views/registry.ts';
import { buildProgram, sharedFlagsHelp } from '../src/cli/program/program.ts';
import { withMatrix } from '../test/conformance/matrix/table.ts';
import { withPicture } from './architecture/picture.ts';
import { withControllers, withProofs } from './controller-tables.ts';
import { readCatalogue } from './finalizer-catalogue.ts';
import { finalizersPage } from './finalizers-page.ts';
import { withSection } from './page-section.ts';
import { withVersions } from './versions-table.ts';

const made = '<!-- Made by `npm run docs` from the code; a test checks that it is current. -->';

/** File name below docs/ → its text. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ['commands.md', commandPage()],
    ['finalizers.md', finalizersPage(made, readCatalogue())],
  ]);
}

/** Page → what makes its generated part current. */
export const partsOfPages: Readonly<Record<string, (page: string) => string>> = {
  'docs/kubernetes.md': page => withControllers(withVersions(page)),
  'docs/conformance.md': page => withProofs(withMatrix(page)),
  'docs/screen.md': page => withSection(page, 'keys', `${made}\n\n${keyTables()}`),
  'ARCHITECTURE.md': page => withPicture(page, fileURLToPath(new URL('..', import.meta.url))),
};

const aboutCommands = `# Commands

Flags that several commands share, and targets, are [at the end](#shared-flags), as \`kubectl gc-tree help flags\` prints them.`;

/** Parts of a command's help that the page leaves out. */
const SHARED = /^Shared flags/u;

function commandPage(): string {
  // No command is run: only their help is asked for.
  const program = buildProgram(() => Promise.resolve());
  const sections = program.commands.map(command =>
    commandSection(
      `kubectl gc-tree ${command.name()}`,
      helpBlocks(command).filter(block => !SHARED.test(block)),
    ),
  );
  const all = commandSection('kubectl gc-tree', helpBlocks(program));
  const shared = commandSection('Shared flags', helpBlocks(sharedFlagsHelp()));
  return `${made}\n\n${aboutCommands}\n\n${[all, ...sections, shared].join('\n')}`;
}

/** The help of a command in blocks, as blank lines separate them. */
function helpBlocks(command: Command): readonly string[] {
  let text = '';
  command.configureOutput({
    writeOut: part => {
      text += part;
    },
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.trimEnd().split('\n\n');
}

function commandSection(title: string, blocks: readonly string[]): string {
  return `## ${title}\n\n\`\`\`\n${blocks.join('\n\n')}\n\`\`\`\n`;
}

function keyTables(): string {
  const groups = Map.groupBy(commands, ({ group }) => group);
  const tables = [...groups].map(([group, members]) => `### ${group}\n\n${keyTable(members)}\n`);
  const words = Object.entries({ survivors: ownWords.survivors, cast: ownWords.cast, ...moreOf }).map(
    ([word, title]) => `| \`:${word}\` | ${title} |`,
  );
  return [...tables, `### Words without a key\n\n| word | what |\n|---|---|\n${words.join('\n')}\n`].join(
    '\n',
  );
}

function keyTable(members: readonly ScreenCommand[]): string {
  const rows = members.map(command => {
    const { id, keys, title, views, palette } = command;
    const shown = keys.map(key => `\`${keyLabel(key, false)}\``).join(' ');
    const where = views === undefined ? '' : ` (in ${viewKeys(views)})`;
    const words =
      palette === false
        ? ''
        : wordsOf(command)
            .map(word => `\`:${word}\``)
            .join(' ');
    return `| ${shown} | ${title}${where} | ${words} | \`${id}\` |`;
  });
  return `| keys | what | word | name |\n|---|---|---|---|\n${rows.join('\n')}`;
}

/** `2, 3`: the keys of the views. */
function viewKeys(views: readonly ViewId[]): string {
  return allViews
    .filter(({ id }) => views.includes(id))
    .map(({ key }) => key)
    .join(', ');
}
