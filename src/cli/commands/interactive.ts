/** The bare command: the screen on a terminal, the tree elsewhere. */
import { SourceError } from '../../source/index.ts';
import type { TargetCommand } from '../runtime/command.ts';
import { UsageError } from '../runtime/errors.ts';
import { type Flags, filesFlag, sourceFlags } from '../runtime/flags.ts';
import { isReadOnly, terminalOf, useColour } from '../runtime/format.ts';
import { say } from '../runtime/say.ts';
import { ownCatalogue } from '../session/own-catalogue.ts';
import { openSource } from '../session/session.ts';
import { findTargets, namesOneObject, parseTargets, targetMatcher } from '../targets/targets.ts';
import { tree } from './tree/tree.ts';

export async function interactive(command: TargetCommand): Promise<number> {
  const { flags, io, services, targets } = command;
  const printing = flags.output !== undefined || flags.watch === true;
  if (printing || !io.stdoutIsTerminal || !io.stdinIsTerminal) return tree(command);
  if (terminalOf(io.env) === 'plain') {
    say(
      io,
      'This terminal (TERM=dumb) cannot show the screen, so this is the tree. Set TERM to what it is, such as xterm-256color, for the screen.\n',
    );
    return tree(command);
  }
  const query = parseTargets(targets, flags);
  if (flags.filename?.includes('-') === true)
    throw new UsageError(
      'the screen needs standard input for keys, so it cannot read -f - as well. Save it to a file.',
    );
  const catalogue = await ownCatalogue(flags, io);
  return services.openScreen(
    {
      targets,
      // Files default to all namespaces.
      flags:
        filesFlag(flags) !== undefined && flags.namespace === undefined
          ? { ...flags, allNamespaces: true }
          : flags,
      findTargets: (view, namespace) => findTargets(view, query, namespace),
      matcher: namesOneObject(query) ? undefined : (view, namespace) => targetMatcher(view, query, namespace),
      openSource: context => openSource(flagsAt(flags, context), io, services),
      kubectl: async opened => {
        if (services.kubectl === undefined) throw new SourceError('there is no cluster here.');
        return services.kubectl(sourceFlags(flagsAt(flags, opened.asked)), io, opened);
      },
      contexts: async () => (await services.kubeconfigNames?.(sourceFlags(flags), io))?.contexts ?? [],
      colour: useColour(flags, io),
      ascii: flags.ascii === true,
      readOnly: isReadOnly(flags, io),
      screenReader: flags.screenReader === true,
      tour: flags.tour === true,
      terminatedPodGcThreshold: flags.terminatedPodGcThreshold,
      catalogue,
    },
    io,
  );
}

function flagsAt(flags: Flags, context: string | undefined): Flags {
  return context === undefined ? flags : { ...elsewhere(flags), context };
}

/** Drops flags of the named source: another context has its own. */
function elsewhere(flags: Flags): Flags {
  const {
    cluster: _cluster,
    user: _user,
    server: _server,
    namespace: _namespace,
    filename: _filename,
    kustomize: _kustomize,
    closedWorld: _closedWorld,
    strict: _strict,
    demo: _demo,
    replay: _replay,
    at: _at,
    serverVersion: _serverVersion,
    collector: _collector,
    terminatedPodGcThreshold: _terminatedPodGcThreshold,
    ...rest
  } = flags;
  return rest;
}
