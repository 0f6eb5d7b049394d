import { expect, test } from 'vitest';
import { fitColumns } from '../../../../src/cli/documents/print/text.ts';

test('without a terminal every column has what it wants', () => {
  expect(fitColumns([300, 80, 5, 200], undefined, 3)).toEqual([300, 80, 5, 200]);
});

test('the last columns give way first, then the name, and the state last', () => {
  expect(fitColumns([40, 20, 5, 40], 90, 3)).toEqual([40, 20, 5, 16]);
  expect(fitColumns([40, 20, 5, 40], 70, 3)).toEqual([28, 20, 5, 8]);
  expect(fitColumns([40, 20, 5, 40], 60, 3)).toEqual([24, 14, 5, 8]);
});

test('columns without room are left out from the end, and the name takes what they leave', () => {
  expect(fitColumns([40, 20, 5, 40], 40, 3)).toEqual([29, 8]);
  expect(fitColumns([40, 20, 5, 40], 10, 3)).toEqual([10]);
});
