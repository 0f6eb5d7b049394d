/** The document of `demo --compare-collectors` (docs/documents.md): a scenario with v1.5's collector and today's. */
import { type CollectorChangeCode, collectorChanges } from '../simulation/collector/first/departures.ts';
import type { CollectorComparison, ComparedEnd, RequestCounts } from '../simulation/comparison/comparison.ts';
import { changeWords } from '../text/vintage/changes.ts';
import { sourceLinks } from '../text/vintage/comparison.ts';
import { API_VERSION, type ObjectRef, objectRef } from './basis.ts';

export interface CollectorComparisonDocument {
  readonly apiVersion: string;
  readonly kind: 'CollectorComparison';
  readonly scenario: string;
  readonly collectors: { readonly first: '1.5'; readonly today: '1.36' };
  readonly items: readonly {
    readonly object: ObjectRef;
    readonly first: ComparedEnd;
    readonly today: ComparedEnd;
    readonly because: readonly CollectorChangeCode[];
  }[];
  readonly alike: number;
  readonly requests: { readonly first: RequestCounts; readonly today: RequestCounts };
  readonly changes: readonly {
    readonly code: CollectorChangeCode;
    readonly title: string;
    readonly first: string;
    readonly today: string;
    readonly since: string;
    readonly reference: string;
    readonly sources: readonly string[];
    readonly objects: readonly ObjectRef[];
  }[];
}

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
