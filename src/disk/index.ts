/** Exports of src/disk for other folders of src. */
export { isDiskFailure } from './disk-failure.ts';
export { NotPrivateError, Person } from './person.ts';
export { PrivateFile } from './private-file.ts';
export { privateFolder } from './private-folder.ts';
export { replaceFileSync } from './replace-file.ts';
export { type Environment, userFolders } from './user-folders.ts';
