/** What a kubeconfig says is what the real kubectl reads in it, however it is written; and what it refuses is refused. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { kubeconfigCases } from '../../kube/config/kubeconfig-cases.ts';
import { temporaryFolder, write } from '../../kube/kubeconfig-files.ts';

// On a cluster of somebody's own there is no kubectl of a known version.
it.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)(
  'is known of each way to write a kubeconfig',
  async () => {
    const { kubectl } = await controlPlaneBinaries();
    for (const { what, text, read } of kubeconfigCases) {
      const file = write(temporaryFolder(), 'config', text);
      const args = ['--kubeconfig', file, 'config', 'view', '--raw', '-o', 'json'];
      let theirs: unknown;
      try {
        theirs = JSON.parse(execFileSync(kubectl, args, { encoding: 'utf8', stdio: 'pipe' }));
      } catch (error) {
        expect({ what, refused: String((error as { stderr?: unknown }).stderr) }).toEqual({
          what,
          refused: expect.stringContaining('error loading config file'),
        });
      }
      if (read === undefined) expect({ what, theirs }).toEqual({ what, theirs: undefined });
      else expect({ what, ...(theirs as object) }).toMatchObject({ what, ...read });
    }
  },
);
