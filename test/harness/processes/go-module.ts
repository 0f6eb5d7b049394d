/** The Go module that pins the control plane's versions, and the Go toolchain that reads it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const CONTROL_PLANE_MODULE = join(import.meta.dirname, '..', '..', 'controlplane');

export const goEnvironment = { GOFLAGS: '-mod=readonly', CGO_ENABLED: '0' };

/** The control plane cannot be had on this machine; the message says why and what to do. */
export class ControlPlaneUnavailable extends Error {
  override readonly name = 'ControlPlaneUnavailable';
}

export async function requireGo(): Promise<void> {
  try {
    await promisify(execFile)('go', ['version']);
  } catch {
    throw new ControlPlaneUnavailable(
      'the control plane for the tests is built with Go, and there is no "go" on this machine: ' +
        'install Go 1.26 or newer, or set GC_TREE_TEST_KUBECONFIG to a disposable cluster',
    );
  }
}

/** Folder of a module in Go's module cache, downloaded if need be, in the version that `pinnedBy`'s go.mod has. */
export async function moduleFolder(module: string, pinnedBy = CONTROL_PLANE_MODULE): Promise<string> {
  await requireGo();
  const options = { cwd: pinnedBy, env: { ...process.env, ...goEnvironment } };
  const find = async () =>
    (await promisify(execFile)('go', ['list', '-m', '-f', '{{.Dir}}', module], options)).stdout.trim();
  const found = await find();
  if (found !== '') return found;
  await promisify(execFile)('go', ['mod', 'download', module], options);
  return find();
}
