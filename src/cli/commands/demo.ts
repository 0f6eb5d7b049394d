/** `demo`: the bare command on a built-in scenario, and the list of scenarios. */
import type { NamedScenario } from '../../source/demo/scenarios.ts';
import { padEnd, truncate } from '../../text/terminal/width.ts';
import { glyphsFor } from '../output/appearance.ts';
import type { CommandContext } from '../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../runtime/errors.ts';
import { interactive } from './interactive.ts';

export interface DemoCommand extends CommandContext {
  readonly scenario: string | undefined;
  readonly list: boolean;
}

export async function demo(command: DemoCommand): Promise<number> {
  const { flags, output, list } = command;
  const { DEFAULT_SCENARIO, readScenarios } = await import('../../source/demo/scenarios.ts');
  if (list) {
    await output.write(await scenarioList(await readScenarios(), command));
    return EXIT_DONE;
  }
  const scenario = command.scenario ?? flags.demo ?? DEFAULT_SCENARIO;
  return interactive({ ...command, targets: [], flags: { ...flags, demo: scenario } });
}

/** The text of `demo --list` in pieces. Throws a `UsageError` for formats that have no list of scenarios. */
async function scenarioList(
  scenarios: readonly NamedScenario[],
  { flags, io }: CommandContext,
): Promise<readonly string[]> {
  const format = flags.output ?? 'text';
  switch (format) {
    case 'name':
      return scenarios.map(({ name }) => `${name}\n`);
    case 'json': {
      const { stringify } = await import('../../documents/print/json.ts');
      return [`${stringify(await documentOf(scenarios))}\n`];
    }
    case 'yaml': {
      const { block } = await import('../../documents/print/yaml.ts');
      return [`${block(await documentOf(scenarios), '').trimStart()}\n`];
    }
    case 'text':
    case 'wide': {
      const width = Math.max(...scenarios.map(({ name }) => name.length));
      return scenarios.flatMap(({ name, title, about }, index) => {
        const line = `${truncate(`${padEnd(name, width)}   ${title}`, io.columns() ?? Infinity, glyphsFor(flags).ellipsis)}\n`;
        if (format === 'text' || about === undefined) return [line];
        const columns = Math.min(io.columns() ?? 110, 110);
        return [index === 0 ? '' : '\n', line, ...indented(about, columns)];
      });
    }
    case 'dot':
    case 'mermaid':
    case 'junit':
    case 'sarif':
      throw new UsageError(
        `the scenarios cannot be printed as ${format}. Use -o text, wide, name, json or yaml.`,
      );
  }
}

async function documentOf(scenarios: readonly NamedScenario[]): Promise<unknown> {
  const { API_VERSION } = await import('../../documents/basis.ts');
  const items = scenarios.map(({ name, title, about, namespace }) => ({
    name,
    title,
    about: about?.replaceAll(/(?<!\n)\n(?!\n)/gu, ' '),
    namespace,
  }));
  return { apiVersion: API_VERSION, kind: 'ScenarioList', items };
}

/** Paragraphs of our own, so words are as wide as they are long. */
function indented(text: string, columns: number): readonly string[] {
  const indent = '    ';
  const lines: string[] = [];
  for (const paragraph of text.split(/\n{2,}/u)) {
    let line = indent;
    for (const word of paragraph.split(/\s+/u)) {
      if (line.length > indent.length && line.length + 1 + word.length > columns) {
        lines.push(`${line}\n`);
        line = indent;
      }
      line += line.length > indent.length ? ` ${word}` : word;
    }
    lines.push(`${line}\n`);
  }
  return lines;
}
