/** Acting as somebody else, by the kubeconfig and by flags: what the server is told. */
import type { ConnectionFlags } from '../../../../src/source/connection-flags.ts';
import type { Cell, Cells, Fields } from '../cell.ts';

export function impersonations(): Cells {
  const as = (user: Fields, flags: ConnectionFlags = {}): Cell => ({ user: { as: 'jane', ...user }, flags });
  const extra = (key: string, ...values: string[]): Cell => as({ 'as-user-extra': { [key]: values } });
  const alone = (user: Fields, flags: ConnectionFlags = {}): Cell => ({
    user,
    flags,
    says: /need a user to impersonate/,
  });
  return {
    accepted: {
      'of the kubeconfig': as({}),
      'with a uid and groups': as({ 'as-uid': '7', 'as-groups': ['dev', 'a b', ''] }),
      'with one extra value': extra('team', 'a'),
      'with several extra values': extra('team', 'a', 'b', 'a'),
      'with an extra key of large letters': extra('Team', 'a'),
      'with an extra key of other signs': extra('example.com/a b%20_é=1', 'a'),
      'with an empty extra value': extra('team', ''),
      'with an extra key that has no values': extra('team'),
      'with a value of other signs': extra('team', 'a=b,c %'),
      'of a flag': {
        flags: { as: 'joe', asGroup: ['dev', 'qa'], asUid: '8', asUserExtra: ['a=1', 'b=2', 'a=3'] },
      },
      'of a flag in place of the kubeconfig': as(
        { 'as-groups': ['a'], 'as-uid': '7' },
        { as: 'joe', asGroup: ['b'] },
      ),
      'of a flag, with an extra value that has an equals sign': {
        flags: { as: 'joe', asUserExtra: ['a=b=c'] },
      },
      'of a flag, with an extra value that is empty': { flags: { as: 'joe', asUserExtra: ['a='] } },
      'of a flag, with a comma in its extra value': { flags: { as: 'joe', asUserExtra: ['a=b,c=d'] } },
      'with an extra key more by a flag': as({ 'as-user-extra': { a: ['1'] } }, { asUserExtra: ['b=2'] }),
      'with an extra key again by a flag': as({ 'as-user-extra': { a: ['1'] } }, { asUserExtra: ['a=2'] }),
      'without TLS': { server: 'http', user: { as: 'jane', 'as-user-extra': { a: ['1'] } } },
    },
    refused: {
      'with extra values and nobody': alone({ 'as-user-extra': { a: ['1'] } }),
      'with groups and nobody': alone({ 'as-groups': ['a'] }),
      'with a uid and nobody': alone({ 'as-uid': '7' }),
      'with extra values of a flag and nobody': alone({}, { asUserExtra: ['a=1'] }),
      'with groups of a flag and nobody': alone({}, { asGroup: ['a'] }),
      'with extra values and nobody, without TLS': {
        ...alone({ 'as-user-extra': { a: ['1'] } }),
        server: 'http',
      },
    },
    stricter: {
      'of a flag, with an extra value that has no key': {
        flags: { as: 'joe', asUserExtra: ['a'] },
        says: /give a key and a value/,
      },
    },
  };
}
