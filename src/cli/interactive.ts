/** The bare command: the screen on a terminal, the tree anywhere else. */
import { isReadOnly, useColour } from './appearance.ts';
import type { TargetCommand } from './command.ts';
import { sourceFlags } from './flags.ts';
import { openSource } from './session.ts';
import { findTargets, parseTargets } from './targets.ts';
import { tree } from './tree.ts';

/** Asked for a format, or for changes line by line, it prints: a screen has neither. */
export async function interactive(command: TargetCommand): Promise<number> {
  const { flags, io, deps, targets } = command;
  const printing = flags.output !== undefined || flags.watch === true;
  if (printing || !io.stdoutIsTerminal || !io.stdinIsTerminal) return tree(command);
  // Wrong use is told before the screen takes the terminal.
  const query = parseTargets(targets, flags);
  return deps.openScreen(
    {
      targets,
      flags,
      findTargets: (view, namespace) => findTargets(view, query, namespace),
      openSource: context => {
        // Another context brings its own cluster, user and namespace.
        const { cluster: _cluster, user: _user, server: _server, namespace: _namespace, ...rest } = flags;
        return openSource(context === undefined ? flags : { ...rest, context }, io, deps);
      },
      contexts: async () => (await deps.kubeconfigNames?.(sourceFlags(flags), io))?.contexts ?? [],
      colour: useColour(flags, io),
      ascii: flags.ascii === true,
      readOnly: isReadOnly(flags, io),
      screenReader: flags.screenReader === true,
    },
    io,
  );
}
