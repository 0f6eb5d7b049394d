import { expect, it } from 'vitest';
import { replaceFile, replaceFileSync } from '../../src/disk/replace-file.ts';
import { platformOf } from '../../src/platform/platform.ts';

/** Fails with the code so many times. */
function busy(times: number, code: string): { tries: number; rename: () => void } {
  const state = {
    tries: 0,
    rename: () => {
      state.tries += 1;
      if (state.tries <= times) throw Object.assign(new Error(code), { code });
    },
  };
  return state;
}

const windows = platformOf('win32');

it('on Windows what somebody has open is tried again', async () => {
  for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
    const disk = busy(2, code);
    await replaceFile('a', 'b', { platform: windows, rename: disk.rename });
    expect(disk.tries).toBe(3);
    const now = busy(2, code);
    replaceFileSync('a', 'b', { platform: windows, rename: now.rename });
    expect(now.tries).toBe(3);
  }
});

it('in the end it is said that it is in use', async () => {
  const disk = busy(1_000, 'EBUSY');
  await expect(replaceFile('a', 'b', { platform: windows, rename: disk.rename })).rejects.toMatchObject({
    code: 'EBUSY',
  });
  expect(disk.tries).toBeGreaterThan(3);
});

it('what waiting does not change is said at once, and elsewhere everything is', async () => {
  const full = busy(1_000, 'ENOSPC');
  await expect(replaceFile('a', 'b', { platform: windows, rename: full.rename })).rejects.toThrow('ENOSPC');
  expect(full.tries).toBe(1);
  const linux = busy(1_000, 'EPERM');
  expect(() => replaceFileSync('a', 'b', { platform: platformOf('linux'), rename: linux.rename })).toThrow(
    'EPERM',
  );
  expect(linux.tries).toBe(1);
});
