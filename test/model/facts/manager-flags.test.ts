import { describe, expect, test } from 'vitest';
import { managerFlags } from '../../../src/model/facts/manager-flags.ts';

describe('what kube-controller-manager was started with', () => {
  test('is read from its command line', () => {
    expect(
      managerFlags([
        'kube-controller-manager',
        '--controllers=*,-podgc',
        '--terminated_pod_gc_threshold',
        '10',
        '--v=2',
      ]),
    ).toEqual(['controllers=*,-podgc', 'terminated-pod-gc-threshold=10']);
  });

  test.each([
    [
      'kube-controller-manager --controllers=*,-podgc --leader-elect',
      ['controllers=*,-podgc', 'leader-elect=true'],
    ],
    [
      'exec /usr/local/bin/kube-controller-manager --controllers=\'*,-podgc\' \\\n --concurrent-gc-syncs="5" 1>>/var/log/kcm.log 2>&1',
      ['controllers=*,-podgc', 'concurrent-gc-syncs=5'],
    ],
    [
      'kube-controller-manager --terminated-pod-gc-threshold=7 &> /var/log/kcm.log',
      ['terminated-pod-gc-threshold=7'],
    ],
    ['kube-controller-manager --controllers=$CONTROLLERS --leader-elect=false', []],
    ['kube-controller-manager --controllers="*,$MORE"', []],
    ['test -e /x && kube-controller-manager --enable-garbage-collector=false', []],
    ['kube-controller-manager --leader-elect=false; sleep 5', []],
    ['setup\nkube-controller-manager --leader-elect=false', []],
    ['kube-controller-manager $(cat /etc/flags) --leader-elect=false', []],
    ['kube-controller-manager --leader-elect=false | tee log', []],
    ["kube-controller-manager --controllers='unfinished", []],
  ])('and of a shell where that is given one plain command: %j', (script, flags) => {
    expect(managerFlags(['/bin/sh', '-c', script])).toEqual(flags);
    expect(managerFlags(['bash', '-ec', script])).toEqual(flags);
  });

  test('is unknown of a script', () => {
    expect(managerFlags(['/bin/sh', '/etc/start.sh', '--leader-elect=false'])).toEqual([]);
    expect(managerFlags(['sh'])).toEqual([]);
  });
});
