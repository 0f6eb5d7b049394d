/** Finds statements about a deletion in an object's status and events. */
import { objectDeletion } from '../../graph/index.ts';
import { type Content, type KubeObject, type Said, statementJson } from '../../model/index.ts';

const waiting =
  /wait|block|pending|until|still|remain|in use|used by|depend|refus|cannot|can't|fail|error|not found|exist|conflict|being deleted|terminat/iu;

/**
 * Recognizes what the API server accepts from no controller: a new object in a namespace that is being deleted
 * (NamespaceLifecycle, v1.36), or a new finalizer on an object that is (ValidateObjectMetaAccessorUpdate).
 */
export function isFutile(message: string): boolean {
  return /because it is being (?:terminated|deleted)|no new finalizers can be added/u.test(message);
}

/** Returns statements since the deletion that may name an obstacle: failures first. */
export function obstaclesIn(object: KubeObject, { json, events = [] }: Content): readonly Said[] {
  const since = objectDeletion.requestedAt(object) ?? 0;
  return [...statementJson.in(json), ...events]
    .filter(({ at, outdated }) => outdated !== true && (at === undefined || at >= since))
    .filter(({ failing, message }) => failing || waiting.test(message))
    .sort((a, b) => Number(b.failing) - Number(a.failing));
}
