/**
 * Singles out the workload that came with the definition of an object's kind: of many providers, the one whose package or
 * release has both.
 */
import { OwnerStatus } from '../../collector/index.ts';
import {
  type KubeObject,
  Labels,
  type OwnerReference,
  objectTitle,
  ResourceType,
  shownName,
} from '../../model/index.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { workloadKinds, workloadsWhere } from './controller-signs.ts';
import { type Handler, withWorkloads } from './handler.ts';

/** Returns the handler unchanged if the definition, or what it has in common with a workload, isn't known. */
export function withDefinitionWorkload(tracked: TrackedView, object: KubeObject, handler: Handler): Handler {
  const common = handler.entry?.definedWith;
  if (common === undefined) return handler;
  const type = tracked.type('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  const definition = type && tracked.find(type, '', ResourceType.groupResource(object.type));
  if (common !== 'owner')
    return definition !== undefined && Labels.value(definition.labels, common) !== undefined
      ? ofLabel(tracked, handler, { definition, label: common })
      : ofKind(tracked, handler, { object, label: common });
  return definition === undefined ? handler : ofPackage(tracked, handler, definition);
}

/** Without the definition's label, takes workloads whose label has only words of the kind: `infrastructure-vsphere`. */
function ofKind(
  tracked: TrackedView,
  handler: Handler,
  { object: { type }, label }: { readonly object: KubeObject; readonly label: string },
): Handler {
  const kind = `${type.group} ${type.kind}`.toLowerCase();
  const found = workloadsWhere(tracked, `its label ${label}`, ({ labels }) => {
    const words = Labels.value(labels, label)?.toLowerCase().split('-') ?? [''];
    return words.every(word => word !== '' && kind.includes(word));
  });
  return found.length > 0 ? withWorkloads(tracked, handler, found) : handler;
}

function ofPackage(tracked: TrackedView, handler: Handler, definition: KubeObject): Handler {
  const owner = definition.owners.find(({ controller }) => controller === true);
  if (owner === undefined) return handler;
  const title = objectTitle({ ...owner, namespace: '' });
  const found = workloadsWhere(tracked, `its owner ${title}`, ({ owners }) =>
    owners.some(({ uid }) => uid === owner.uid),
  );
  if (found.length > 0) return withWorkloads(tracked, handler, found);
  const reason = isGone(tracked, definition, owner)
    ? `that ${shownName(owner.kind)} no longer exists`
    : 'it is not there';
  return withoutWorkload(tracked, handler, { definition, of: `of ${title}`, reason });
}

function ofLabel(
  tracked: TrackedView,
  handler: Handler,
  { definition, label }: { readonly definition: KubeObject; readonly label: string },
): Handler {
  const value = Labels.value(definition.labels, label);
  if (value === undefined) return handler;
  const labelled = workloadsWhere(
    tracked,
    `its label ${label}`,
    ({ labels }) => Labels.value(labels, label) !== undefined,
  );
  // Other ways to install them may leave the label out.
  if (labelled.length === 0) return handler;
  const found = labelled.filter(({ object }) => Labels.value(object.labels, label) === value);
  const of = `with the label ${label}: ${shownName(value)}`;
  return found.length > 0
    ? withWorkloads(tracked, handler, found)
    : withoutWorkload(tracked, handler, { definition, of, reason: 'it is not there' });
}

function withoutWorkload(
  tracked: TrackedView,
  handler: Handler,
  {
    definition,
    of,
    reason,
  }: { readonly definition: KubeObject; readonly of: string; readonly reason: string },
): Handler {
  const types = workloadKinds.map(([apiVersion, kind]) => tracked.type(apiVersion, kind));
  if (!types.every(each => each !== undefined && tracked.view.seesAll(each))) return handler;
  const name = `the workload ${of}`;
  return {
    ...handler,
    name,
    presence: 'absent',
    workloads: [],
    evidence: [objectTitle(definition), `no workload ${of}`],
    words: `only ${name}, which ${shownName(definition.name)} came with, removes it, and ${reason}`,
  };
}

function isGone(tracked: TrackedView, definition: KubeObject, owner: OwnerReference): boolean {
  const node = tracked.node(definition.uid);
  return node !== undefined && OwnerStatus.isDangling(tracked.ownerStatus(node, owner));
}
