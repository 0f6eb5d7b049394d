import { describe, expect, it } from 'vitest';
import { labelRules } from '../../../src/model/facts/label-selector.ts';

const labels = ['app', 'web', 'tier', 'front'];
const expression = (key: string, operator: string, ...values: string[]) => ({
  matchLabels: [],
  matchExpressions: [{ key, operator, values }],
});

describe('a workload’s selector', () => {
  it('selects labels that carry every wanted pair', () => {
    expect(
      labelRules.selects({ matchLabels: ['tier', 'front', 'app', 'web'], matchExpressions: [] }, labels),
    ).toBe(true);
    expect(
      labelRules.selects({ matchLabels: ['app', 'web', 'tier', 'back'], matchExpressions: [] }, labels),
    ).toBe(false);
    expect(labelRules.selects({ matchLabels: ['track', 'x'], matchExpressions: [] }, labels)).toBe(false);
  });

  it.each([
    ['In', 'app', ['web', 'api'], true],
    ['In', 'app', ['api'], false],
    ['In', 'track', ['web'], false],
    ['NotIn', 'app', ['api'], true],
    ['NotIn', 'app', ['web'], false],
    ['NotIn', 'track', ['web'], true],
    ['Exists', 'app', [], true],
    ['Exists', 'track', [], false],
    ['DoesNotExist', 'track', [], true],
    ['DoesNotExist', 'app', [], false],
  ] as const)('with %s on %s over %j is %s', (operator, key, values, expected) => {
    expect(labelRules.selects(expression(key, operator, ...values), labels)).toBe(expected);
  });

  it('selects everything when empty and nothing when missing', () => {
    expect(labelRules.selects({ matchLabels: [], matchExpressions: [] }, labels)).toBe(true);
    expect(labelRules.selects(undefined, labels)).toBe(false);
  });

  it('selects nothing where a controller could not read it', () => {
    expect(labelRules.selects(expression('app', 'Like', 'w'), labels)).toBe(false);
    expect(labelRules.selects(expression('app', 'In'), labels)).toBe(false);
    expect(labelRules.selects(expression('app', 'NotIn'), labels)).toBe(false);
  });
});

describe('label lists', () => {
  it('replace a label in its place, or append it', () => {
    expect(labelRules.withLabel(labels, 'app', 'api')).toEqual(['app', 'api', 'tier', 'front']);
    expect(labelRules.withLabel(labels, 'track', 'x')).toEqual([...labels, 'track', 'x']);
  });

  it('drop a label', () => {
    expect(labelRules.withoutLabel(labels, 'app')).toEqual(['tier', 'front']);
  });

  it('are the same in any order', () => {
    expect(labelRules.areSame(labels, ['tier', 'front', 'app', 'web'])).toBe(true);
    expect(labelRules.areSame(labels, ['tier', 'front', 'app', 'api'])).toBe(false);
    expect(labelRules.areSame(labels, ['app', 'web'])).toBe(false);
  });
});
