/**
 * A short form of `npm run test:matrix`: one other version of Kubernetes, another each day, of those whose servers have been
 * built on this machine. To build one takes longer than to test it.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { conform } from '../../conformance/conform.ts';
import { fuzz } from '../../conformance/fuzz/fuzz.ts';
import { scenarioFiles } from '../../conformance/scenario-files.ts';
import { builtVersions } from '../../harness/processes/binaries.ts';
import { versionOfTheDay } from '../../harness/processes/versions.ts';

const isChosen = ['GC_TREE_KUBERNETES', 'GC_TREE_CONTROLPLANE_BIN', 'GC_TREE_TEST_KUBECONFIG'].some(
  name => process.env[name] !== undefined,
);
const other = isChosen ? undefined : versionOfTheDay(await builtVersions(), Date.now());

/** What versions do otherwise: the order in which namespaces are emptied, and owners that are added. */
const files = ['stuck/namespace.yaml', 'references/second-owner.yaml', 'workloads/deployment.yaml'];

// A suite that is skipped doesn't say why.
process.stdout.write(
  other === undefined
    ? 'No other version of Kubernetes is compared: none was built by npm run test:matrix, or one was chosen\n'
    : `Kubernetes ${other.version} is compared today; GC_TREE_KUBERNETES=${other.minor} chooses it again\n`,
);

describe.skipIf(other === undefined)('another version than the usual one', () => {
  beforeAll(() => {
    // Whatever starts a control plane or a simulation asks it.
    if (other !== undefined) process.env['GC_TREE_KUBERNETES'] = other.minor;
  });

  test('scenario files end alike on the simulation and on a real cluster', async () => {
    const scenarios = scenarioFiles()
      .filter(({ file }) => files.includes(file))
      .flatMap(each => each.scenarios);
    const results = await conform(scenarios);
    expect(results.size).toBeGreaterThan(files.length);
    for (const { scenario, differences } of results.values()) expect(differences, scenario.title).toEqual([]);
  });

  test('15 random graphs end alike', async () => {
    const result = await fuzz({ rounds: 15, seed: 20_261_124, modes: ['running'] });
    expect(result.divergences).toEqual([]);
  });
});
