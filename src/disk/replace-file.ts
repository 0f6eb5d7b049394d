/** Replaces a file, with retries: Windows refuses while another process such as a virus scanner has it open. */
import { renameSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Platform } from '../platform/index.ts';

/** Milliseconds before each retry: half a second in all. */
const WAITS: readonly number[] = [5, 10, 20, 40, 80, 160, 200];

interface Tries {
  readonly platform?: typeof Platform.current;
  readonly rename?: (from: string, to: string) => void;
}

/** Rejects with the file system's error. */
export async function replaceFile(
  from: string,
  to: string,
  { platform = Platform.current, rename = renameSync }: Tries = {},
): Promise<void> {
  for (const wait of waitsOn(platform)) {
    if (triedInVain(() => rename(from, to))) await sleep(wait);
    else return;
  }
  rename(from, to);
}

/** Like `replaceFile`, but blocks the thread, for work that must precede everything else. */
export function replaceFileSync(
  from: string,
  to: string,
  { platform = Platform.current, rename = renameSync }: Tries = {},
): void {
  for (const wait of waitsOn(platform)) {
    if (triedInVain(() => rename(from, to)))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    else return;
  }
  rename(from, to);
}

function waitsOn({ isWindows }: typeof Platform.current): readonly number[] {
  return isWindows ? WAITS : [];
}

/** Throws errors that a retry wouldn't fix. */
function triedInVain(act: () => void): boolean {
  try {
    act();
    return false;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EPERM' || code === 'EACCES' || code === 'EBUSY') return true;
    throw error;
  }
}
