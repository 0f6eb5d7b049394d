/** Findings on an object's controller reference, or its lack (docs/kubernetes.md §9, §10 rows 22 to 25). */

import {
  controllerOf,
  enumerated,
  isMirrorPod,
  type KubeObject,
  type OwnerReference,
  objectTitle,
  objectTitleIn,
  shownName,
  textEscapes,
} from '../../../model/index.ts';
import { adoptionsOf, afterAdoption, withoutReference } from '../../cluster/adoption.ts';
import { referenceFact } from '../../engine/evidence.ts';
import { advice, chainLink } from '../../engine/finding.ts';
import { ownerTitle } from '../../engine/kind-words.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import { setBlock } from '../../remedies/change-reference.ts';
import { claimedBy, type OwnerSurvey, sinceBoth, surveyOwners } from './owner-survey.ts';
import { hasLasted } from './pending-collection.ts';
import { prune } from './reference-remedies.ts';

/** docs/kubernetes.md §10 row 22. The API server rejects it, so only files show it. */
const multipleControllers: Rule = {
  appliesTo: ({ object }) => object.owners.length > 1 && controllersOf(object).length > 1,
  *judge({ object, node }) {
    const controllers = controllersOf(object);
    const named = enumerated(controllers.map(ownerTitle));
    yield {
      code: 'MultipleControllers',
      message: `${objectTitle(object)} names several controllers, ${named}: at most one of its owner references may say so, and the API server refuses the object as it is.`,
      brief: `several controllers: ${named}`,
      evidence: object.owners.map(textEscapes.asShown).map(({ kind, name, controller }, index) => ({
        text: `metadata.ownerReferences[${index}].controller: ${controller === true} (${kind} ${name})`,
        facts: object.owners.slice(index, index + 1).map(each => referenceFact(object, each)),
      })),
      chain: [chainLink(node.identity, '', `controlled by ${named} at once`)],
      remedies: () => [
        advice(
          'one-controller',
          'leave controller: true on one owner reference alone before the object is applied',
        ),
      ],
    };
  },
};

function controllersOf({ owners }: KubeObject): readonly OwnerReference[] {
  return owners.filter(({ controller }) => controller === true);
}

/** docs/kubernetes.md §10 row 23. The kubelet sets such a reference on mirror pods on purpose. */
const controllerDoesNotBlock: Rule = {
  appliesTo: ({ object, deleting }) => !deleting && object.owners.some(lacksBlock) && !isMirrorPod(object),
  *judge({ object, node }, tracked) {
    const reference = object.owners.find(lacksBlock);
    if (reference === undefined || tracked.ownerStatus(node, reference) !== 'Solid') return;
    const owner = `${reference.kind} ${reference.name}`;
    const index = object.owners.indexOf(reference);
    const identity = tracked.node(reference.uid)?.identity ?? claimedBy(tracked, object, reference);
    yield {
      code: 'ControllerDoesNotBlock',
      message: `${objectTitle(object)} is controlled by ${owner}, yet a foreground deletion of ${reference.name} doesn't wait for it: it is deleted all the same, and may outlast its owner.`,
      brief: `a foreground deletion of ${reference.name} doesn't wait for it`,
      evidence: [
        {
          text: `metadata.ownerReferences[${index}].controller: true (${owner})`,
          facts: [referenceFact(object, reference)],
        },
        `metadata.ownerReferences[${index}].blockOwnerDeletion: ${reference.blockOwnerDeletion ?? 'not set'}`,
      ],
      related: [identity],
      chain: [
        chainLink(node.identity, '', 'there', sinceBoth(object)),
        chainLink(identity, 'controlled by', "its foreground deletion wouldn't wait for this one"),
      ],
      remedies: () => [setBlock(tracked, object, reference)],
    };
  },
};

function lacksBlock({ controller, blockOwnerDeletion }: OwnerReference): boolean {
  return controller === true && blockOwnerDeletion !== true;
}

/** docs/kubernetes.md §10 row 24. */
const adoptionBlocked: Rule = {
  appliesTo: subject => subject.oddOwners && !subject.deleting && isAdoptable(subject),
  *judge({ object, node }, tracked) {
    const reference = controllerOf(object);
    if (reference === undefined || tracked.ownerStatus(node, reference) !== 'Absent') return;
    const free = withoutReference(object, reference);
    const adoptions = adoptionsOf(tracked, free);
    const [by] = adoptions.by;
    if (by === undefined) return;
    const survey = surveyOwners(tracked, node, object);
    const since = sinceBoth(object, by);
    const adopters = enumerated(adoptions.by.map(each => objectTitleIn(each, object.namespace)));
    const former = ownerTitle(reference);
    yield {
      code: 'AdoptionBlockedByDanglingController',
      severity: hasLasted(tracked, since) ? 'warning' : 'info',
      since,
      message: `${objectTitle(object)} cannot be adopted by ${adopters}, though its labels match: its owner reference names another controller, ${former}, which doesn't exist${meanwhile[survey.outcome] ?? ''}.`,
      brief: `not adopted by ${by.name}: controlled by ${former}, which doesn't exist`,
      evidence: [
        {
          text: `metadata.ownerReferences[${object.owners.indexOf(reference)}]: controller: true, ${former}, uid ${shownName(reference.uid)}`,
          facts: [referenceFact(object, reference)],
        },
        ...adoptions.by.map(
          each =>
            `${objectTitleIn(each, object.namespace)}: metadata.uid: ${each.uid}, its spec.selector matches`,
        ),
      ],
      related: adoptions.by,
      certainty: survey.judgement.certainty === 'exact' ? adoptions.certainty : 'assumed',
      chain: [
        chainLink(node.identity, '', 'there; not adopted', sinceBoth(object)),
        chainLink(claimedBy(tracked, object, reference), 'controlled by', "it doesn't exist"),
      ],
      remedies: () =>
        survey.references
          .filter(each => each.reference === reference)
          .map(each => prune(survey, each, 'safe')),
    };
  },
};

const meanwhile: Readonly<Partial<Record<OwnerSurvey['outcome'], string>>> = {
  deleted: ', and the collector deletes it before anybody can',
  unseen: ', and the collector may delete it before anybody can',
  pruned: '; once the collector has removed that reference, it is adopted',
  ownerless: '; once the collector has removed that reference, it is adopted',
};

/** docs/kubernetes.md §10 row 25. */
const willBeAdopted: Rule = {
  appliesTo: subject =>
    !subject.deleting && isAdoptable(subject) && controllerOf(subject.object) === undefined,
  *judge({ object, node }, tracked) {
    const { by: adopters, certainty } = adoptionsOf(tracked, object);
    const [by] = adopters;
    if (by === undefined) return;
    const others = adopters.length > 1;
    const named = enumerated(adopters.map(each => objectTitleIn(each, object.namespace)));
    const { fate, words, others: surplus } = afterAdoption(tracked, by, object);
    const then = others ? 'whichever looks first' : words;
    yield {
      code: 'WillBeAdopted',
      severity: fate === 'deleted' && !others ? 'warning' : 'info',
      message: `${objectTitle(object)} will be adopted by ${others ? `one of ${named}` : named} as soon as kube-controller-manager looks at it, because nothing controls it and its labels match; ${then}.`,
      brief: `will be adopted by ${others ? `one of ${adopters.length} controllers` : by.name}${fate === 'deleted' && !others ? ' and deleted' : ''}`,
      evidence: [
        'metadata.ownerReferences: none with controller: true',
        ...adopters.map(
          each => `${objectTitleIn(each, object.namespace)}: its spec.selector matches metadata.labels`,
        ),
      ],
      related: adopters,
      certainty: others ? 'assumed' : certainty,
      chain: [
        chainLink(node.identity, '', 'there; nothing controls it', sinceBoth(object)),
        chainLink(by, 'will be adopted by', then),
      ],
      remedies: () =>
        fate === 'kept' && surplus !== true
          ? []
          : [
              advice(
                'relabel',
                `to keep ${object.name} out of it, change a label that ${by.name} selects before kube-controller-manager looks`,
              ),
              ...(by.type.kind === 'Deployment' ? [] : [scaleUp(by)]),
            ],
    };
  },
};

function scaleUp({ type, name }: KubeObject): ReturnType<typeof advice> {
  return advice('scale-up', `or scale ${type.kind} ${name} up first, so that it has room for it`, 'caution');
}

/** Returns true for kinds that controllers adopt if uncontrolled (controller_ref_manager.go, v1.36). */
function isAdoptable({ object }: Pick<Subject, 'object'>): boolean {
  const { group, kind } = object.type;
  return (group === '' && kind === 'Pod') || (group === 'apps' && kind === 'ReplicaSet');
}

export const controllerRules: readonly Rule[] = [
  multipleControllers,
  controllerDoesNotBlock,
  adoptionBlocked,
  willBeAdopted,
];
