/** YAML with merge keys, and what kubectl makes of it: `{a: 1}` stands for a mapping, in a document of its own or below a key. */
export interface MergeCase {
  readonly what: string;
  readonly text: string;
  readonly value: unknown;
}

export const mergeCases: readonly MergeCase[] = [
  { what: 'give way to what stands behind them', text: '{<<: {a: 1, b: 1}, a: 2}', value: { a: 2, b: 1 } },
  {
    what: 'take the place of what stands before them',
    text: '{a: 2, <<: {a: 1, b: 1}}',
    value: { a: 1, b: 1 },
  },
  { what: 'take the first of several mappings', text: '{<<: [{a: 1}, {a: 2, b: 2}]}', value: { a: 1, b: 2 } },
  { what: 'may stand twice, the later over the earlier', text: '{<<: {a: 1}, <<: {a: 2}}', value: { a: 2 } },
  { what: 'are not deep', text: '{<<: {a: {x: 1}}, a: {z: 2}}', value: { a: { z: 2 } } },
  { what: 'may hold merge keys', text: '{<<: {b: 1, <<: {a: 1, b: 2}}}', value: { a: 1, b: 2 } },
  {
    what: 'lead through aliases',
    text: '- &a {x: 1}\n- {<<: *a}\n- {<<: [*a, {z: 2}]}',
    value: [{ x: 1 }, { x: 1 }, { x: 1, z: 2 }],
  },
  {
    what: 'are names in quotes',
    text: `{"<<": {a: 1}, b: {'<<': 1}}`,
    value: { '<<': { a: 1 }, b: { '<<': 1 } },
  },
  { what: 'are names elsewhere', text: '[<<, {a: <<}]', value: ['<<', { a: '<<' }] },
  { what: 'may be tagged', text: '{!!merge <<: {a: 1}}', value: { a: 1 } },
  { what: 'of nothing give nothing', text: '{<<: {}, <<: [], a: 1}', value: { a: 1 } },
  {
    what: 'in block style',
    text: 'a: &a\n  x: 1\nb:\n  <<: *a\n  z: 2\n',
    value: { a: { x: 1 }, b: { x: 1, z: 2 } },
  },
];
