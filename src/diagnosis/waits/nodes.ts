/** Waits of objects bound to a node, such as a local volume: the part of its controller on that node cleans up. */
import type { Identity } from '../../graph/index.ts';
import { BuiltInKind, type KubeObject, objectState, objectTitle, record, text } from '../../model/index.ts';
import { type Advice, advice, chainLink } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { identifyMissing, type Wait } from './edge.ts';

/** Fields of a spec that bind an object to a node. */
const bindings = ['nodeName', 'nodeID', 'ownerNodeID'];

export function nodeWaits(tracked: TrackedView, object: KubeObject): readonly Wait[] {
  const spec = record(tracked.content(object)?.json['spec']);
  const field = bindings.find(each => text(spec[each]) !== '');
  const type = tracked.type('v1', 'Node');
  // Machines name the node that they became.
  if (field === undefined || type === undefined || text(spec['providerID']) !== '') return [];
  const name = text(spec[field]);
  const found = { isReported: false, certainty: 'assumed' } as const;
  const at = `${object.type.kind} ${object.name}: spec.${field}: ${name}`;
  const missing = identifyMissing(tracked, { type, namespace: '', name });
  if (missing !== undefined)
    return [{ ...found, on: missing, isMissing: true, evidence: [`${at}, which doesn't exist`] }];
  const node = tracked.find(type, '', name);
  if (node === undefined || objectState.isNodeReady(node)) return [];
  const title = objectTitle(node);
  const end = {
    links: [chainLink(node, 'waits for', "isn't ready"), chainLink(node, '', "isn't ready")],
    advice: () => [
      advice('node-ready', `get ${title} ready again: what waits for it continues by itself`),
      nodeGone(title),
    ],
  };
  return [{ ...found, on: node, isMissing: false, until: 'ready', end, evidence: [at] }];
}

/** Advises on a missing object; if the need for it is only assumed, something else may be missing too. */
export function missingAdvice(missing: Identity, isAssumed: boolean): Advice {
  const title = objectTitle(missing);
  const kind = BuiltInKind.of(missing);
  if (kind === 'Node') return nodeGone(title);
  if (kind !== 'PersistentVolume')
    return advice(
      'bring-back-object',
      `bring ${title} back: what waits for it continues by itself${isAssumed ? ', if nothing else is missing' : ''}`,
      isAssumed ? 'caution' : 'safe',
    );
  return advice(
    'volume-detached',
    `make sure in the storage system that the volume of ${title} isn't attached any more: then the finalizer can be removed`,
  );
}

function nodeGone(title: string): Advice {
  return advice(
    'node-gone',
    `make sure that the machine of ${title} is off for good, and that nothing it held is in use: then the finalizer can be removed`,
  );
}
