/** `demo`: the bare command on a built-in scenario, and the list of scenarios. */

import { padEnd } from '../text/width.ts';
import type { Command } from './command.ts';
import { EXIT_DONE, UsageError } from './errors.ts';
import { interactive } from './interactive.ts';

export interface DemoCommand extends Command {
  readonly scenario: string | undefined;
  readonly list: boolean;
}

export async function demo(command: DemoCommand): Promise<number> {
  const { flags, output, list } = command;
  const { scenarios } = await import('../source/demo/scenarios.ts');
  if (list) {
    const format = flags.output ?? 'text';
    if (format !== 'text' && format !== 'wide' && format !== 'name')
      throw new UsageError(`the scenarios can't be printed as ${format}. Use -o text or -o name.`);
    const width = Math.max(...scenarios.map(({ name }) => name.length));
    await output.write(
      scenarios.map(({ name, title }) =>
        format === 'name' ? `${name}\n` : `${padEnd(name, width)}   ${title}\n`,
      ),
    );
    return EXIT_DONE;
  }
  const scenario = command.scenario ?? flags.demo ?? scenarios[0]?.name ?? '';
  return interactive({ ...command, targets: [], flags: { ...flags, demo: scenario } });
}
