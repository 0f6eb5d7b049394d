/** The register of kube-controller-manager against the source of the Kubernetes that the tests run. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { upstreamRegister } from '../../../../scripts/upstream-register.ts';
import {
  controllerRegister,
  type RegisteredController,
} from '../../../../src/simulation/controllers/register.ts';
import { moduleFolder } from '../../../harness/processes/go-module.ts';
import { minorNumber, pinnedVersions, usualVersion } from '../../../harness/processes/versions.ts';

const { rows, changingFieldsAlone } = controllerRegister;

/** Lines of the source that are no row of the register, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'delete Pods.Delete controller_utils.go': 'RealPodControl, with which the workload controllers delete',
  'delete Pods.Delete util/node/controller_utils.go': 'DeletePods, which nothing calls',
  'delete Pods.Delete recyclerclient/recycler_client.go':
    'pods that the binder creates for the policy Recycle',
};

function fileOf(line: string): string {
  return line.split(' ')[2] ?? '';
}

/** The version in which a row has to be, if it isn't in 1.30. */
function sinceOf({ since }: RegisteredController): number {
  return Number(since?.split('.')[1] ?? 30);
}

describe('the register of kube-controller-manager', () => {
  let kubernetes: string;
  let lines: readonly string[];

  beforeAll(async () => {
    kubernetes = await moduleFolder('k8s.io/kubernetes');
    const folders = ['pkg/controller', 'pkg/apis', 'pkg/volume/util', 'cmd/kube-controller-manager'];
    lines = await upstreamRegister(folders.map(each => path.join(kubernetes, each)));
  });

  it('lists every call that deletes', () => {
    const files = rows.filter(({ deletes }) => deletes !== undefined).flatMap(row => row.files);
    const deletions = lines.filter(line => line.startsWith('delete '));
    expect(deletions.length).toBeGreaterThan(25);
    expect(deletions.filter(line => !files.includes(fileOf(line)) && !(line in exceptions))).toEqual([]);
    expect(Object.keys(exceptions).filter(line => !lines.includes(line))).toEqual([]);
  });

  it('lists every finalizer, also of constants that are built of parts', () => {
    const removed = new Set(rows.flatMap(row => controllerRegister.removes(row)));
    const finalizers = lines.flatMap(line =>
      line.startsWith('finalizer ') ? (line.split(' ')[1] ?? '') : [],
    );
    expect(finalizers).toContain('scheduling.k8s.io/podgroup-protection');
    expect(finalizers).toContain('kubernetes.io/vac-protection');
    expect(finalizers.filter(each => !removed.has(each))).toEqual([]);
  });

  it('cites files that the source has', async () => {
    const missing: string[] = [];
    for (const file of rows.flatMap(row => row.files)) {
      const [, name, rest] = /^(k8s\.io\/[^/]+)\/(.*)$/u.exec(file) ?? [];
      const folder = name === undefined ? kubernetes : await moduleFolder(name);
      const place = rest ?? (file.startsWith('pkg/') ? file : path.join('pkg', 'controller', file));
      if (!existsSync(path.join(folder, place))) missing.push(file);
    }
    expect(missing).toEqual([]);
  });

  it.each(pinnedVersions())('has the controllers of Kubernetes $minor', async pinned => {
    const folder =
      pinned.version === usualVersion.version
        ? kubernetes
        : await moduleFolder('k8s.io/kubernetes', pinned.module);
    const names = path.join(folder, 'cmd/kube-controller-manager/names/controller_names.go');
    const found = [...(await readFile(names, 'utf8')).matchAll(/= +"([a-z-]+)"/gu)].map(
      ([, name = '']) => name,
    );
    const since = rows.filter(row => sinceOf(row) <= minorNumber(pinned)).map(({ name }) => name);
    const alone = changingFieldsAlone.filter(each => found.includes(each));
    expect(found.toSorted()).toEqual([...since, ...alone].sort());
  });
});
