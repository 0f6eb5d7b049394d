/**
 * Commands that are printed to be pasted have to find what this one found: the flags that it was given for that,
 * written out again. Apart, because what may be repeated is decided in one place: never a token.
 */
import { shellWord } from '../forecast/requests.ts';
import type { Flags } from './flags.ts';

/**
 * ` --context prod`, or nothing: behind a command of this tool, with a blank before it. Files are for commands that
 * read: what changes a cluster goes to the one that kubectl finds. Standard input can't be read again.
 */
export function sameSource(flags: Flags, what: 'reads' | 'acts'): string {
  const { terminatedPodGcThreshold: threshold } = flags;
  const assumed = threshold === undefined ? '' : ` --terminated-pod-gc-threshold=${threshold}`;
  return place(flags, what) + assumed;
}

function place(flags: Flags, what: 'reads' | 'acts'): string {
  if (flags.demo !== undefined) return ` --demo ${shellWord(flags.demo)}`;
  if (flags.filename === undefined) return connection(flags);
  if (what === 'acts') return '';
  const files = flags.filename.map(file => ` -f ${shellWord(file)}`).join('');
  return files + (flags.closedWorld === true ? ' --closed-world' : '');
}

// A word `kubectl` where a command begins; what is quoted is passed over.
const kubectlWord = /'[^']*'|"(?:\\.|[^"\\])*"|\\.|(?<=^|[\s;&|(])kubectl(?= )/gu;

/** The kubectl commands of a line, on the same cluster. A scenario and files have none. */
export function onSameCluster(command: string, flags: Flags): string {
  const found = flags.demo === undefined && flags.filename === undefined ? connection(flags) : '';
  return command.replace(kubectlWord, part => (part === 'kubectl' ? `kubectl${found}` : part));
}

function connection(flags: Flags): string {
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--kubeconfig', flags.kubeconfig],
    ['--context', flags.context],
    ['--cluster', flags.cluster],
    ['--user', flags.user],
    ['--server', flags.server],
    ['--as', flags.as],
    ...(flags.asGroup ?? []).map(group => ['--as-group', group] as const),
    ['--as-uid', flags.asUid],
    ...(flags.asUserExtra ?? []).map(extra => ['--as-user-extra', extra] as const),
    // Paths, which the command has to find again; what is in them isn't repeated.
    ['--client-certificate', flags.clientCertificate],
    ['--client-key', flags.clientKey],
    ['--certificate-authority', flags.certificateAuthority],
    ['--tls-server-name', flags.tlsServerName],
  ];
  const words = given.flatMap(([flag, value]) =>
    value === undefined ? [] : [` ${flag} ${shellWord(value)}`],
  );
  return words.join('') + (flags.insecureSkipTlsVerify === true ? ' --insecure-skip-tls-verify' : '');
}
