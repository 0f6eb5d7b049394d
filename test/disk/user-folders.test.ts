import { expect, it } from 'vitest';
import { userFolders } from '../../src/disk/user-folders.ts';
import { platformOf } from '../../src/platform/platform.ts';

it('the folders are where the XDG rules say, and a relative path does not count', () => {
  expect(userFolders.state({ XDG_STATE_HOME: '/s', HOME: '/h' })).toBe('/s/kubectl-gc-tree');
  expect(userFolders.state({ XDG_STATE_HOME: 's', HOME: '/h' })).toBe('/h/.local/state/kubectl-gc-tree');
  expect(userFolders.state({ HOME: '/h' })).toBe('/h/.local/state/kubectl-gc-tree');
  expect(userFolders.cache({ XDG_CACHE_HOME: '/c', HOME: '/h' })).toBe('/c/kubectl-gc-tree');
  expect(userFolders.cache({ XDG_CACHE_HOME: './c', HOME: '/h' })).toBe('/h/.cache/kubectl-gc-tree');
  expect(userFolders.cache({ XDG_CACHE_HOME: '', HOME: '/h' })).toBe('/h/.cache/kubectl-gc-tree');
});

it('on Windows they are below the folders for applications, and the profile where those are not told', () => {
  const windows = platformOf('win32');
  const env = {
    HOME: 'H:\\',
    USERPROFILE: String.raw`C:\Users\me`,
    LOCALAPPDATA: String.raw`C:\Users\me\AppData\Local`,
    APPDATA: String.raw`\\server\me\AppData\Roaming`,
  };
  expect(userFolders.state(env, windows)).toBe(String.raw`C:\Users\me\AppData\Local\kubectl-gc-tree\state`);
  expect(userFolders.cache(env, windows)).toBe(String.raw`C:\Users\me\AppData\Local\kubectl-gc-tree\cache`);
  expect(userFolders.config(env, windows)).toBe(String.raw`\\server\me\AppData\Roaming\kubectl-gc-tree`);
  const bare = { USERPROFILE: String.raw`C:\Users\me`, LOCALAPPDATA: '', XDG_CACHE_HOME: 'relative' };
  expect(userFolders.cache(bare, windows)).toBe(String.raw`C:\Users\me\AppData\Local\kubectl-gc-tree\cache`);
  expect(userFolders.config(bare, windows)).toBe(String.raw`C:\Users\me\AppData\Roaming\kubectl-gc-tree`);
  expect(userFolders.state({ ...env, XDG_STATE_HOME: String.raw`D:\state` }, windows)).toBe(
    String.raw`D:\state\kubectl-gc-tree`,
  );
});
