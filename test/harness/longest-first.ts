/**
 * The order of test files: the ones that take minutes first, so that the workers end together. Vitest goes by how long files
 * took the last time, and in a clean checkout by how long they are; those that take longest are a few lines.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = join(import.meta.dirname, '..', '..');

/** With about how many seconds each takes on two cores beside three others. */
const seconds: ReadonlyMap<string, number> = new Map([
  ['test/cluster/diagnosis/findings.test.ts', 300],
  ['test/cluster/actions/remedies.test.ts', 250],
  ['test/cluster/forecast/conformance.test.ts', 200],
  ['test/cluster/podgc/manager.test.ts', 150],
  ['test/cluster/connection/restored-etcd.test.ts', 120],
  ['test/cluster/connection/soak.test.ts', 130],
  ['test/cluster/forecast/plan.test.ts', 120],
  ['test/cluster/forecast/nodes.test.ts', 90],
  ['test/cluster/diagnosis/undecodable.test.ts', 90],
  ['test/cluster/podgc/podgc.test.ts', 90],
  ['test/cluster/connection/faults.test.ts', 85],
  ['test/cluster/connection/polled-kind.test.ts', 80],
  ['test/cluster/actions/actions.test.ts', 75],
]);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const taking = new Map([...seconds].map(([file, each]) => [join(ROOT, file), each]));
    for (const file of taking.keys())
      if (!existsSync(file)) throw new Error(`test/harness/longest-first.ts names ${file}, which is gone`);
    const takes = (each: TestSpecification): number => taking.get(each.moduleId) ?? 0;
    // Projects keep their order, and files of which nothing is known theirs.
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project);
    return [...byProject.values()].flatMap(each => each.sort((a, b) => takes(b) - takes(a)));
  }
}
