/** Kubeconfig files in a folder of their own, written as a user would, for tests of the connection. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-connect-'));
  folders.push(folder);
  return folder;
}

/** Writes a file, with its folders, and returns its path. */
export function write(folder: string, name: string, text: string, mode = 0o600): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
  return file;
}

/** A kubeconfig with one context; `cluster` and `user` are YAML in flow style. */
export function kubeconfig(cluster: string, user = '{}', name = 'test'): string {
  return `
apiVersion: v1
kind: Config
current-context: ${name}
clusters: [{name: ${name}, cluster: ${cluster}}]
users: [{name: ${name}, user: ${user}}]
contexts: [{name: ${name}, context: {cluster: ${name}, user: ${name}}}]
`;
}

const fixtures = path.join(import.meta.dirname, 'fixtures');

/** Path of a certificate or key that `fixtures/make.sh` made. */
export function fixture(name: string): string {
  return path.join(fixtures, name);
}
