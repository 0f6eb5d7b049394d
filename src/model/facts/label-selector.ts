/** Label selectors of workloads (k8s.io/apimachinery pkg/apis/meta/v1/helpers.go and pkg/labels, v0.36); not `-l`. */

import { pairs } from '../json/json.ts';
import { Labels } from '../object.ts';
import { type LabelSelector, labelSelectorIn } from './facts.ts';

type Expression = LabelSelector['matchExpressions'][number];

/**
 * Reports if a selector matches labels. `undefined` selects nothing, an empty selector everything. A selector that the
 * API server would refuse (an unknown operator, `In` without values) selects nothing, because a controller that cannot
 * read its selector leaves every object alone.
 */
function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  const { matchLabels, matchExpressions } = selector;
  for (let i = 0; i < matchLabels.length; i += 2) {
    const key = matchLabels[i];
    if (key !== undefined && Labels.value(labels, key) !== matchLabels[i + 1]) return false;
  }
  return matchExpressions.every(expression => meets(expression, labels));
}

function meets({ key, operator, values }: Expression, labels: Labels): boolean {
  const value = Labels.value(labels, key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return values.length > 0 && (value === undefined || !values.includes(value));
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

function withLabel(labels: Labels, key: string, value: string): Labels {
  const changed = [...labels];
  for (let i = 0; i < changed.length; i += 2) {
    if (changed[i] !== key) continue;
    changed[i + 1] = value;
    return changed;
  }
  changed.push(key, value);
  return changed;
}

function withoutLabel(labels: Labels, key: string): Labels {
  const kept: string[] = [];
  for (let i = 0; i < labels.length; i += 2) {
    const name = labels[i];
    if (name !== undefined && name !== key) kept.push(name, labels[i + 1] ?? '');
  }
  return kept;
}

function sameLabels(a: Labels, b: Labels): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 2) {
    const key = a[i];
    if (key !== undefined && Labels.value(b, key) !== a[i + 1]) return false;
  }
  return true;
}

export const labelRules = {
  labelsIn: pairs,
  selectorIn: labelSelectorIn,
  selects,
  withLabel,
  areSame: sameLabels,
  withoutLabel,
};
