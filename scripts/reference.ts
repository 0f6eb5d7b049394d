/** The pages of docs/ that are made from the code: commands, documents, finalizers and keys. */
import type { Command } from 'commander';
import { commands, type ScreenCommand } from '../src/app/commands/bindings.ts';
import { legend } from '../src/app/commands/help.ts';
import { keyLabel } from '../src/app/commands/keys.ts';
import { moreOf, ownWords, wordsOf } from '../src/app/commands/line/words.ts';
import { type ViewId, viewTabs } from '../src/app/state/views.ts';
import { buildProgram } from '../src/cli/runtime/program.ts';
import { documentsPage } from './documents-page.ts';
import { readCatalogue } from './finalizer-catalogue.ts';
import { finalizersPage } from './finalizers-page.ts';

const made = '<!-- Made by `npm run docs` from the code; a test checks that it is current. -->';

/** File name below docs/ → its text. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ['commands.md', commandPage()],
    ['documents.md', documentsPage(made)],
    ['finalizers.md', finalizersPage(made, readCatalogue())],
    ['keys.md', keyPage()],
  ]);
}

function commandPage(): string {
  // No command is run: only their help is asked for.
  const program = buildProgram(() => Promise.resolve());
  const section = (title: string, command: Command): string => {
    let text = '';
    command.configureOutput({
      writeOut: part => {
        text += part;
      },
      getOutHelpWidth: () => 80,
      getOutHasColors: () => false,
    });
    command.outputHelp();
    return `## ${title}\n\n\`\`\`\n${text.trimEnd()}\n\`\`\`\n`;
  };
  const sections = program.commands.map(command => section(`kubectl gc-tree ${command.name()}`, command));
  return `${made}\n\n# Commands\n\n${[section('kubectl gc-tree', program), ...sections].join('\n')}`;
}

function keyPage(): string {
  const groups = new Map<string, ScreenCommand[]>();
  for (const command of commands) {
    const group = groups.get(command.group) ?? [];
    group.push(command);
    groups.set(command.group, group);
  }
  const parts = [`${made}\n\n# Keys of the screen\n`];
  for (const [group, members] of groups) {
    const rows = members.map(
      ({ id, keys, title, views }) =>
        `| ${keys.map(key => `\`${keyLabel(key, false)}\``).join(' ')} | ${title} | ${viewKeys(views)} | \`${id}\` |`,
    );
    parts.push(
      `## ${group}\n\n| keys | what | in views | name in [settings](settings.md) |\n|---|---|---|---|\n${rows.join('\n')}\n`,
    );
  }
  const lines = [
    ...commands
      .filter(({ palette }) => palette !== false)
      .map(({ id, title }) => [wordsOf(id), title] as const),
    ...Object.entries({ ...ownWords, ...moreOf }).map(([word, title]) => [[word], title] as const),
  ].map(([names, title]) => `| ${names.map(name => `\`:${name}\``).join(' ')} | ${title} |`);
  parts.push(
    `## Commands by name\n\nBehind \`:\`, with Tab to complete, ↑ for what was typed before, and typing errors forgiven.\n\n| words | what |\n|---|---|\n${lines.join('\n')}\n`,
  );
  const words = legend.map(
    ([word, meaning, view]) => `| ${word} | ${meaning} | ${viewKeys(view && [view])} |`,
  );
  parts.push(`## What the rows say\n\n| words | meaning | in views |\n|---|---|---|\n${words.join('\n')}\n`);
  return parts.join('\n');
}

/** `2, 3`: the keys of the views. */
function viewKeys(views: readonly ViewId[] | undefined): string {
  return viewTabs
    .filter(({ id }) => views?.includes(id) ?? true)
    .map(({ key }) => key)
    .join(', ');
}
