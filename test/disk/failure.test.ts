import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isDiskFailure } from '../../src/disk/disk-failure.ts';
import { Platform } from '../../src/platform/platform.ts';

function failureOf(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

it('is what a file system refuses, with a path and without', () => {
  expect(isDiskFailure(failureOf(() => readFileSync('/no/such/file')))).toBe(true);
  expect(isDiskFailure(new Error('another'))).toBe(false);
  expect(isDiskFailure(Object.assign(new Error('reset'), { syscall: 'read', code: 'ECONNRESET' }))).toBe(
    false,
  );
});

it.skipIf(Platform.current.isWindows || process.platform !== 'linux')('is a disk without room', () => {
  const full = openSync('/dev/full', 'w');
  const failure = failureOf(() => writeSync(full, 'a'));
  closeSync(full);
  expect(failure).not.toHaveProperty('path');
  expect(isDiskFailure(failure)).toBe(true);
});
