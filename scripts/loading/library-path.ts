/** The libraries of an archive are for its own Node: what is started from here gets the environment as it was. */

/** LD_LIBRARY_PATH before the launcher of an archive for Linux changed it (scripts/release/launchers.ts). */
const REMEMBERED = 'KUBECTL_GC_TREE_LIBRARY_PATH';

export function restoreLibraryPath(env: NodeJS.ProcessEnv): void {
  const before = env[REMEMBERED];
  if (before === undefined) return;
  Reflect.deleteProperty(env, REMEMBERED);
  // One that is empty says the same as none.
  if (before === '') Reflect.deleteProperty(env, 'LD_LIBRARY_PATH');
  else env['LD_LIBRARY_PATH'] = before;
}
