/** What `NO_PROXY` excludes and what it doesn't. The hosts lead nowhere. */

interface Exclusion {
  readonly list: string;
  readonly host: string;
}

const name = 'api.gc-tree.invalid';
const address = '192.0.2.3';
const v6 = '[2001:db8::1]';
const of = (host: string, lists: readonly string[]): Exclusion[] => lists.map(list => ({ list, host }));

export const excluded: readonly Exclusion[] = [
  ...of(name, ['gc-tree.invalid', '.gc-tree.invalid', '*.gc-tree.invalid', name, `${name}:6443`, 'invalid']),
  ...of(name, ['*', ' *', 'x,*', name.toUpperCase(), `a, b ,${name} ,`]),
  ...of(address, [
    address,
    `${address}:6443`,
    `${address}/32`,
    '192.0.2.0/24',
    '192.0.2.99/24',
    '0.0.0.0/0',
    '*',
  ]),
  ...of(address, [`::ffff:${address}`, '::ffff:192.0.2.0/120']),
  ...of(v6, ['2001:db8::1', '2001:DB8:0::1', '[2001:db8::1]:6443', '2001:db8::/32']),
  ...of('localhost', ['']),
  ...of('127.0.0.1', ['']),
  ...of('[::1]', ['']),
];

export const included: readonly Exclusion[] = [
  ...of(name, ['', 'gc-tree', 'tree.invalid', `${name}:443`, `${name}.`, 'api.*', '*tree.invalid', ':6443']),
  ...of(name, [`https://${name}`, `${name} other`, `${name};other`, '192.0.2.0/24']),
  ...of('gc-tree.invalid', ['.gc-tree.invalid']),
  ...of(address, ['2.3', '.2.3', '192.0', `${address}:1`, `${address}/33`, '0192.0.2.3', '192.0.3.0/24']),
  ...of(v6, ['[2001:db8::1]', '[2001:db8::1]:1', '2001:db9::/32']),
];
