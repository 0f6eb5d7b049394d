/** Flags for printed commands, so that they find what this one found; never a token. */
import type { ShellCommands } from '../../model/index.ts';
import { ConnectionFlags } from '../../source/index.ts';
import { type Flags, quoteFile, standingFlag } from '../runtime/flags.ts';

/** Returns flags such as `--context prod`; files and recordings only for reading, and never standard input. */
export function sameSource(flags: Flags, what: 'reads' | 'acts'): readonly string[] {
  const { terminatedPodGcThreshold: threshold, serverVersion } = flags;
  const assumed = threshold === undefined ? [] : [`--terminated-pod-gc-threshold=${threshold}`];
  const catalogues = (flags.catalogue ?? []).flatMap(file => ['--catalogue', file]);
  // A live cluster states its version itself.
  const isGiven = serverVersion !== undefined && (what === 'reads' || flags.demo !== undefined);
  const version = isGiven ? [`--server-version=${serverVersion}`] : [];
  return [...place(flags, what), ...version, ...catalogues, ...assumed];
}

function place(flags: Flags, what: 'reads' | 'acts'): readonly string[] {
  if (flags.demo !== undefined) return ['--demo', flags.demo];
  if (standingFlag(flags) === undefined) return ConnectionFlags.words(flags);
  if (what === 'acts') return [];
  const { replay, at } = flags;
  if (replay !== undefined) return ['--replay', replay, ...(at === undefined ? [] : [`--at=${at}`])];
  const { filename = [], kustomize } = flags;
  const files =
    kustomize === undefined ? filename.flatMap(file => ['-f', quoteFile(file)]) : ['-k', kustomize];
  return [
    ...files,
    ...(flags.closedWorld === true ? ['--closed-world'] : []),
    ...(flags.strict === true ? ['--strict'] : []),
  ];
}

/** Returns commands unchanged for scenarios, files and recordings. */
export function onSameCluster(commands: ShellCommands, flags: Flags): ShellCommands {
  if (flags.demo !== undefined || standingFlag(flags) !== undefined) return commands;
  const found = ConnectionFlags.words(flags);
  return commands.map(command => {
    const [kubectl, ...rest] = command.words;
    return { ...command, words: [kubectl, ...found, ...rest] };
  });
}
