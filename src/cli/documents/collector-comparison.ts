/** The document of `demo --compare-collectors` (docs/documents.md): a scenario with v1.5's collector and today's. */
import { type CollectorComparison, collectorChanges } from '../../simulation/index.ts';
import { changeWords, sourceLinks } from '../../text/index.ts';
import { API_VERSION, objectRef } from './basis.ts';
import type { CollectorComparison as CollectorComparisonDocument, ObjectRef } from './definitions.ts';

export function collectorComparison(
  scenario: string,
  { objects, alike, requests, changes }: CollectorComparison,
): CollectorComparisonDocument {
  return {
    apiVersion: API_VERSION,
    kind: 'CollectorComparison',
    scenario,
    collectors: { first: '1.5', today: '1.36' },
    items: objects.map(({ object, ...ends }) => ({ object: withoutUid(object), ...ends })),
    alike,
    requests,
    changes: changes.map(({ code, objects: about }) => ({
      code,
      ...changeWords[code],
      since: collectorChanges[code].since,
      reference: collectorChanges[code].reference,
      sources: sourceLinks(code),
      objects: about.map(withoutUid),
    })),
  };
}

/** Drops the uid, which differs between the two runs for objects of controllers. */
function withoutUid(object: Parameters<typeof objectRef>[0]): ObjectRef {
  const { uid: _, ...ref } = objectRef(object);
  return ref;
}
