/** Why a file with credentials cannot be read, with what it is for. */
import { SourceError } from '../../source/source.ts';
import type { ResolvedConnection } from '../config/connection.ts';
import { plainText } from './plain-text.ts';

/** One sentence, of a node:fs error that names its file. */
export function fileFailure(error: unknown, { cluster, user }: ResolvedConnection): string {
  const { code, path } = error as NodeJS.ErrnoException;
  const what =
    path === cluster.caFile
      ? `certificate authority of cluster "${cluster.name}"`
      : path === user.tokenFile
        ? `token of user "${user.name}"`
        : `client certificate or key of user "${user.name}"`;
  return `cannot read the ${what}: ${path}: ${reasons[code ?? ''] ?? code}.`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  EMPTY: 'it is empty',
};

/** What stands in the way of credentials, in words; a `SourceError` has some already. */
export function unreadable(error: unknown, connection: ResolvedConnection): SourceError {
  if (error instanceof SourceError) return error;
  const { path, message } = error as NodeJS.ErrnoException;
  if (path !== undefined) return new SourceError(fileFailure(error, connection));
  return new SourceError(
    `cannot get credentials for user "${connection.user.name}" (${plainText(String(message), 120)}); log in again.`,
  );
}
