import { expect, it } from 'vitest';
import { cacheFolder, stateFolder } from '../../src/disk/user-folders.ts';

it('the folders are where the XDG rules say, and a relative path does not count', () => {
  expect(stateFolder({ XDG_STATE_HOME: '/s', HOME: '/h' })).toBe('/s/kubectl-gc-tree');
  expect(stateFolder({ XDG_STATE_HOME: 's', HOME: '/h' })).toBe('/h/.local/state/kubectl-gc-tree');
  expect(stateFolder({ HOME: '/h' })).toBe('/h/.local/state/kubectl-gc-tree');
  expect(cacheFolder({ XDG_CACHE_HOME: '/c', HOME: '/h' })).toBe('/c/kubectl-gc-tree');
  expect(cacheFolder({ XDG_CACHE_HOME: './c', HOME: '/h' })).toBe('/h/.cache/kubectl-gc-tree');
  expect(cacheFolder({ XDG_CACHE_HOME: '', HOME: '/h' })).toBe('/h/.cache/kubectl-gc-tree');
});
