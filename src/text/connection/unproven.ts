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
      `Kubernetes ${serverVersion} is newer than this tool knows. Answers assume that it behaves like ${newest}; this is not tested.`,
    );
  if (unproven === 'older' && read.includes(release))
    return showHidden(
      `Kubernetes ${serverVersion} is older than the versions that this tool is tested on, ${oldestRun} to ${newest}. Its differences are read from its source, and not tested.`,
    );
  if (unproven === 'older')
    return showHidden(
      `Kubernetes ${serverVersion} is older than this tool knows. Unless more is known, answers assume that it behaves like ${oldest}; this is not tested.`,
    );
  return '';
}
