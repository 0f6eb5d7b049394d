/**
 * Finds labels that suggest a release: a pod that no longer matches its set's selector looks like one orphaned with
 * `--cascade=orphan` once the set is deleted (docs/kubernetes.md §9).
 */
import { type KubeObject, Labels, labelRules } from '../../model/index.ts';
import { type FormerOwner, REVISION_HASH } from './former-owner.ts';

/** Labels that selectors commonly use. */
const naming: readonly string[] = [
  'app',
  'app.kubernetes.io/name',
  'app.kubernetes.io/instance',
  'k8s-app',
  'name',
];

/** Labels that a set's history adds to its template's (pkg/controller/history, v1.36). */
const ofHistory: readonly string[] = ['controller.kubernetes.io/hash', REVISION_HASH];

/** Returns a clause, or undefined without a sign. `revision`: the former set's, if it remains. */
export function changedLabels(
  { labels }: KubeObject,
  { kind, name }: FormerOwner,
  revision: KubeObject | undefined,
): string | undefined {
  if (kind !== 'StatefulSet') return undefined;
  if (revision !== undefined) return unlikeTemplate(labels, revision);
  const named = naming.flatMap(key => {
    const value = Labels.value(labels, key);
    return value === undefined ? [] : [{ key, value }];
  });
  const [first] = named;
  if (first === undefined || named.some(({ value }) => name.includes(value))) return undefined;
  return `its label ${first.key}=${first.value} is hardly what a set called ${name} selects`;
}

/** Returns the labels that a selector commonly has, and this one; all if there is none of them. */
export function identifyingLabels(labels: Labels, key: string): Labels {
  if (!naming.some(each => Labels.value(labels, each) !== undefined)) return labels;
  return labels.filter((_, index) => {
    const own = labels[index - (index % 2)] ?? '';
    return own === key || naming.includes(own);
  });
}

/** Returns the labels of the set's template, which its revisions have. */
export function templateLabels({ labels }: KubeObject): Labels {
  return ofHistory.reduce(labelRules.withoutLabel, labels);
}

function unlikeTemplate(labels: Labels, revision: KubeObject): string | undefined {
  const { name } = revision;
  const of = templateLabels(revision);
  for (let i = 0; i < of.length; i += 2) {
    const [key = '', value = ''] = [of[i], of[i + 1]];
    const own = Labels.value(labels, key);
    if (own === value) continue;
    const has = own === undefined ? `it has no label ${key}` : `its label is ${key}=${own}`;
    return `${has}, and that of the set's template was ${key}=${value}, as ControllerRevision ${name} has it`;
  }
  return undefined;
}
