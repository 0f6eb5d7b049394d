/** Which fields of an object no fact is read from: known apart from the reader that passes over them. */
import { factsKind } from '../../../model/facts/facts.ts';
import { parseApiVersion } from '../../../model/types/resource-type.ts';

export type Mapping = Record<string, unknown>;

/**
 * Whether a field can be left out: they are most of the text. `path`: 0 for the object's own fields, 1 for those
 * of its metadata; `parent`: what was read of the object so far.
 */
export function unneeded(path: number, key: string, parent: Mapping): boolean {
  if (path === 1) return key === 'managedFields' || key === 'annotations';
  switch (key) {
    case 'data':
    case 'stringData':
    case 'binaryData':
      return true;
    case 'spec':
    case 'status': {
      // kubectl sorts keys, so that the kind is known here.
      const { apiVersion, kind } = parent;
      if (typeof apiVersion !== 'string' || typeof kind !== 'string') return false;
      // A lease is renewed every few seconds, which tells when the files were taken.
      if (kind === 'Lease') return false;
      return (
        !kind.endsWith('List') && factsKind({ group: parseApiVersion(apiVersion).group, kind }) === undefined
      );
    }
    default:
      return false;
  }
}
