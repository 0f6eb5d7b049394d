/** The bare command: the screen on a terminal, the tree anywhere else. */
import { isReadOnly, useColour } from './appearance.ts';
import type { TargetCommand } from './command.ts';
import { openSource } from './session.ts';
import { parseTargets } from './targets.ts';
import { tree } from './tree.ts';

/** Asked for a format, or for changes line by line, it prints: a screen has neither. */
export async function interactive(command: TargetCommand): Promise<number> {
  const { flags, io, deps, targets } = command;
  const printing = flags.output !== undefined || flags.watch === true;
  if (printing || !io.stdoutIsTerminal || !io.stdinIsTerminal) return tree(command);
  // Wrong use is told before the screen takes the terminal.
  parseTargets(targets, flags);
  return deps.openScreen(
    {
      targets,
      flags,
      openSource: () => openSource(flags, io, deps),
      colour: useColour(flags, io),
      ascii: flags.ascii === true,
      readOnly: isReadOnly(flags, io),
      screenReader: flags.screenReader === true,
    },
    io,
  );
}
