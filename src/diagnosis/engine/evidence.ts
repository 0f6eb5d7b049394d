/** Builds evidence: fields written as a user would look for them in the objects, and the same as data. */

import { identityOfObject, objectDeletion } from '../../graph/index.ts';
import {
  BuiltInKind,
  isoTime,
  type KubeObject,
  type OwnerReference,
  objectIds,
  objectTitle,
  shownName,
  textEscapes,
} from '../../model/index.ts';
import type { Evidence, EvidenceLine, Fact } from './finding.ts';

/** Shows one field, `''` if it isn't set; pass `text` if the value alone says too little. */
export function fieldEvidence(
  object: KubeObject,
  path: string,
  value: string | number | boolean,
  text = `${path}: ${value}`,
): EvidenceLine {
  return { text, facts: value === '' ? [] : [{ object: identityOfObject(object), path, value }] };
}

export function finalizersEvidence(
  object: KubeObject,
  text = `metadata.finalizers: [${object.finalizers.join(', ')}]`,
): EvidenceLine {
  return { text, facts: elements(object, 'metadata.finalizers', object.finalizers) };
}

function elements(object: KubeObject, path: string, values: readonly string[]): Fact[] {
  const identity = identityOfObject(object);
  return values.map((value, index) => ({ object: identity, path: `${path}[${index}]`, value }));
}

export function specFinalizersEvidence(object: KubeObject, finalizers: readonly string[]): EvidenceLine {
  return {
    text: `spec.finalizers: [${finalizers.join(', ')}]`,
    facts: elements(object, 'spec.finalizers', finalizers),
  };
}

export function deletionEvidence(object: KubeObject): EvidenceLine[] {
  const { deletionTimestamp: at, deletionGracePeriodSeconds: grace } = object;
  const lines = at === undefined ? [] : [fieldEvidence(object, 'metadata.deletionTimestamp', isoTime(at))];
  if (BuiltInKind.of(object.type) === 'Pod' && grace !== undefined) {
    lines.push(fieldEvidence(object, 'metadata.deletionGracePeriodSeconds', grace));
  }
  if (object.facts?.kind === 'Namespace') {
    lines.push(specFinalizersEvidence(object, object.facts.specFinalizers));
  }
  if (objectDeletion.finalizers(object).length > 0) lines.push(finalizersEvidence(object));
  return lines;
}

export function evidenceOn(object: KubeObject, ...lines: readonly Evidence[]): EvidenceLine[] {
  return lines.map(line => {
    const { text, facts } = typeof line === 'string' ? { text: line, facts: [] } : line;
    return { text: `${objectTitle(object)}: ${text}`, facts };
  });
}

export function referenceEvidence(object: KubeObject, reference: OwnerReference): EvidenceLine {
  const { apiVersion, kind, name, uid, blockOwnerDeletion, controller } = textEscapes.asShown(reference);
  const flags = [
    ...(controller === true ? ['controller: true'] : []),
    ...(blockOwnerDeletion === true ? ['blockOwnerDeletion: true'] : []),
  ];
  const words = [`${apiVersion} ${kind} ${name}`, `uid ${shownName(uid)}`, ...flags].join(', ');
  return { text: `metadata.ownerReferences: ${words}`, facts: [referenceFact(object, reference)] };
}

export function referenceFact(object: KubeObject, reference: OwnerReference): Fact {
  const { apiVersion, kind, name, controller, blockOwnerDeletion } = reference;
  const uid = objectIds.shown(reference.uid);
  return {
    object: identityOfObject(object),
    path: `metadata.ownerReferences[${object.owners.indexOf(reference)}]`,
    value: {
      apiVersion,
      kind,
      name,
      ...(uid === '' ? {} : { uid }),
      ...(controller === undefined ? {} : { controller }),
      ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
    },
  };
}

export function blockingReferences(dependent: KubeObject, owner: KubeObject): OwnerReference[] {
  return dependent.owners.filter(
    ({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion === true,
  );
}
