/**
 * A foreground deletion for which nothing but the garbage collector is awaited, for longer than it takes when it
 * runs: it is down or far behind, has missed something, or is refused (docs/kubernetes.md §10 row 8).
 */
import type { Hold } from '../../../forecast/holds.ts';
import { blockingDependents } from '../../../forecast/holds.ts';
import { deletionRequestedAt } from '../../../graph/deletion.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import { asShown } from '../../../model/text/shown.ts';
import { groupResource } from '../../../model/types/resource-type.ts';
import { evidenceOn } from '../../engine/evidence.ts';
import type { FindingDraft } from '../../engine/finding.ts';
import { worldOf } from '../../engine/holds.ts';
import { enumerated, findingTitle, titleIn } from '../../engine/words.ts';
import { advice } from '../../remedies/advice.ts';
import { redelete } from '../../remedies/deletion.ts';
import { removeForeground } from '../../remedies/finalizers.ts';
import { chainOfCase, type ForegroundCase, PATIENCE, relatedOf, way, wayEvidence } from './case.ts';

/** Undefined as long as the collector may just be at it. */
export function staleForeground(at: ForegroundCase, hold: Hold): FindingDraft | undefined {
  const { tracked, object, decided, since } = at;
  const going = blockingDependents(worldOf(tracked), object).map(each => deletionRequestedAt(each) ?? 0);
  // As long as it deletes one dependent after the other, it is at work.
  if (!tracked.lasted(Math.max(since ?? 0, ...going), PATIENCE)) return undefined;
  const { complete } = tracked.view;
  const itself = decided.object.uid === object.uid;
  if (hold.by === 'collector') tracked.reliesOnDependents(identityOfObject(decided.object));
  const unseen = complete ? [] : unseenKinds(at);
  const hidden =
    unseen.length === 0
      ? ''
      : `, unless something among ${enumerated(unseen)} blocks it, which cannot be seen`;
  return {
    code: 'ForegroundStale',
    since,
    message: itself
      ? `${findingTitle(object)} is stuck in its foreground deletion although nothing that can be seen blocks it: the garbage collector should have let it go by now${hidden}.`
      : `${findingTitle(object)} is stuck: its foreground deletion waits for ${way(at)}, which ${overdue(at, hold)}.`,
    brief: itself
      ? 'nothing blocks it: the garbage collector is late'
      : `waits for ${decided.object.name}: the garbage collector is late`,
    evidence: [
      ...wayEvidence(at),
      ...(itself
        ? ['dependents that block (blockOwnerDeletion): none seen']
        : evidenceOn(decided.object, 'metadata.deletionTimestamp: none')),
      ...(unseen.length === 0 ? [] : [`not seen: ${enumerated(unseen)}`]),
    ],
    related: relatedOf(at),
    certainty: complete && hold.by !== 'uncollected' ? 'exact' : 'assumed',
    chain: chainOfCase(at),
    remedies: () => [
      advice(
        'check-collector',
        'see whether kube-controller-manager runs (kubectl get lease -n kube-system kube-controller-manager -o yaml: renewTime) and what its log says of garbagecollector; a restart makes it look at everything anew (kubectl gc-tree plan restart)',
        'safe',
      ),
      itself ? removeForeground(tracked, object) : redelete(tracked, object, 'background'),
    ],
  };
}

function overdue({ object, decided }: ForegroundCase, hold: Hold): string {
  if (hold.by === 'uncollected') {
    const { kind, name } = asShown(hold.reference);
    return `isn't being deleted, perhaps for the sake of its other owner ${kind} ${name}, which cannot be seen`;
  }
  if (hold.by === 'collector') {
    return hold.awaits === 'orphaning'
      ? 'waits for the garbage collector to take the owner references off its dependents'
      : 'nothing blocks any more, so the garbage collector should have let it go by now';
  }
  const place = titleIn(decided.object, object.namespace);
  return `the garbage collector should have deleted by now, and ${place} isn't even being deleted`;
}

/** Kinds among which a blocking dependent could be that nobody here can see. */
function unseenKinds({ tracked }: ForegroundCase): string[] {
  const { view } = tracked;
  const spots = view.blindSpots().map(({ resource }) => resource);
  if (spots.length > 0) return spots;
  return view.catalog.types
    .filter(type => type.preferred && view.visibility(type) === 'listing')
    .map(type => groupResource(type));
}
