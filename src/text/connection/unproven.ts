/** A warning for server versions that no test ran on. */
import { ServerBehaviour, serverReleases, showHidden } from '../../model/index.ts';

/** Returns `''` for a proven or unknown version. */
export function unprovenWarning(serverVersion: string | undefined): string {
  const { unproven, release } = new ServerBehaviour(serverVersion);
  const { oldestRun, read } = serverReleases;
  const [oldest = ''] = read;
  const newest = read.at(-1) ?? '';
  if (unproven === 'newer')
    return showHidden(
      `Kubernetes ${serverVersion} is newer than this tool knows: it takes the server to do what ${newest} does, which is not proven.`,
    );
  if (unproven === 'older' && read.includes(release))
    return showHidden(
      `Kubernetes ${serverVersion} is older than the versions that this tool is tested on, ${oldestRun} to ${newest}: what that one does differently is read from its source, and not proven.`,
    );
  if (unproven === 'older')
    return showHidden(
      `Kubernetes ${serverVersion} is older than this tool knows: where it knows nothing else, it takes the server to do what ${oldest} does, which is not proven.`,
    );
  return '';
}
