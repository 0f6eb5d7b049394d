import { expect, test } from 'vitest';
import { parseSelector } from '../../../src/cli/targets/selectors.ts';

const labels = ['app', 'web', 'tier', 'front', 'example.com/zone', 'b'];

// Upstream's semantics: != and notin also match objects that lack the label.
test.each([
  ['app=web', true],
  ['app==web', true],
  ['app=api', false],
  ['app!=api', true],
  ['app!=web', false],
  ['missing!=x', true],
  ['app', true],
  ['missing', false],
  ['!missing', true],
  ['!app', false],
  ['app in (api,web)', true],
  ['app in (api)', false],
  ['missing in (a)', false],
  ['app notin (api, db)', true],
  ['app notin (web)', false],
  ['missing notin (a)', true],
  ['app=web,tier=front', true],
  ['app=web,tier=back', false],
  ['app in (api,web),example.com/zone=b', true],
  ['app=', false],
  ['', true],
])('%j: %s', (selector, matches) => {
  expect(parseSelector(selector)(labels)).toBe(matches);
});

test.each(['a b', 'a in b', 'a=(b)', '=b', 'a>1', 'a in (b'])('%j is refused by name', selector => {
  expect(() => parseSelector(selector)).toThrow(`cannot read the selector "${selector}"`);
});
