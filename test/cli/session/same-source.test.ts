import { describe, expect, it } from 'vitest';
import type { Flags } from '../../../src/cli/runtime/flags.ts';
import { onSameCluster, sameSource } from '../../../src/cli/session/same-source.ts';
import { shellLine } from '../../../src/model/text/shell-line.ts';

const flags = (given: Partial<Flags>): Flags => ({ headers: true, color: 'auto', verbosity: 0, ...given });

describe('a command that is printed to be pasted', () => {
  it('goes to the cluster that this one read', () => {
    expect(sameSource(flags({ context: 'prod eu', as: 'jane' }), 'acts')).toEqual([
      '--context',
      'prod eu',
      '--as',
      'jane',
    ]);
  });

  it('acts as the same user, from the same files', () => {
    const given = flags({
      as: 'jane',
      asUserExtra: ['team=a b', 'team=c'],
      clientCertificate: 'my.crt',
      clientKey: 'my key',
      kuberc: 'my kuberc',
    });
    expect(sameSource(given, 'reads').join(' ')).toBe(
      '--as jane --as-user-extra team=a b --as-user-extra team=c --client-certificate my.crt --client-key my key --kuberc my kuberc',
    );
  });

  it('never repeats a token', () => {
    const given = flags({ token: 'secret', server: 'https://10.0.0.1' });
    expect(sameSource(given, 'acts')).toEqual(['--server', 'https://10.0.0.1']);
    const [command] = onSameCluster([{ words: ['kubectl', 'get', 'pods'] }], given);
    expect(command?.words).toEqual(['kubectl', '--server', 'https://10.0.0.1', 'get', 'pods']);
  });

  it('goes to the scenario', () => {
    expect(sameSource(flags({ demo: 'shop' }), 'acts')).toEqual(['--demo', 'shop']);
  });

  it('is of the same version, where that is given and a cluster would not say its own', () => {
    const version = { serverVersion: 'v1.29' };
    expect(sameSource(flags({ filename: ['dump'], ...version }), 'reads')).toEqual([
      '-f',
      'dump',
      '--server-version=v1.29',
    ]);
    expect(sameSource(flags({ filename: ['dump'], ...version }), 'acts')).toEqual([]);
    expect(sameSource(flags({ demo: 'shop', ...version }), 'acts')).toContain('--server-version=v1.29');
  });

  it('reads the same files, and acts on a cluster', () => {
    const given = flags({ filename: ['a b', 'dump'], closedWorld: true });
    expect(sameSource(given, 'reads')).toEqual(['-f', 'a b', '-f', 'dump', '--closed-world']);
    expect(sameSource(given, 'acts')).toEqual([]);
    const built = flags({ kustomize: 'a b', closedWorld: true });
    expect(sameSource(built, 'reads')).toEqual(['-k', 'a b', '--closed-world']);
    expect(sameSource(built, 'acts')).toEqual([]);
    const get = [{ words: ['kubectl', 'get', 'pods'] }];
    expect(onSameCluster(get, built)).toEqual(get);
  });

  it('says so to every kubectl of a line, and leaves what is quoted alone', () => {
    const commands = [
      { words: ['kubectl', 'delete', '--raw', '/z', '-f', '-'], input: 'x; kubectl y' },
      { words: ['kubectl', 'get', 'a'] },
    ];
    expect(shellLine(onSameCluster(commands, flags({ context: 'b' })))).toBe(
      `echo 'x; kubectl y' | kubectl --context b delete --raw /z -f - && kubectl --context b get a`,
    );
  });
});
