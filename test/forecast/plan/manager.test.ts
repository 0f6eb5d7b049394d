import { describe, expect, test } from 'vitest';
import { warningWords } from '../../../src/text/plan/warning-words.ts';
import { plan, planDelete, viewOf } from '../fixtures.ts';

const settings = '- {kind: ConfigMap, name: settings}';
const lease = (renewed: string): string =>
  `- {kind: Lease, name: kube-controller-manager, namespace: kube-system, spec: {holderIdentity: cp-1_5f2c, leaseDurationSeconds: 15, acquireTime: "2026-11-20T08:00:00Z", renewTime: "${renewed}"}}`;
const manager =
  '- {kind: Pod, name: kube-controller-manager-cp-1, namespace: kube-system, spec: {containers: [{name: m, command: [kube-controller-manager, "--controllers=*,-garbagecollector"]}]}}';

describe('a forecast warns', () => {
  test('that nobody renews the lease of kube-controller-manager, but not of one that is to start', () => {
    const view = viewOf([settings, lease('2026-11-20T08:00:00Z')].join('\n'));
    const said =
      'kube-controller-manager seems not to run: its lease was last renewed at 2026-11-20T08:00:00Z.';
    expect(warningWords.all(planDelete(view, 'settings')).join('\n')).toContain(said);
    expect(warningWords.all(plan(view, 'restart')).join('\n')).not.toContain('seems not to run');
  });

  test('that the collector is switched off', () => {
    const said =
      'The collector is switched off: kube-controller-manager runs with --controllers=*,-garbagecollector.';
    expect(warningWords.all(planDelete(viewOf(`${settings}\n${manager}`), 'settings')).join('\n')).toContain(
      said,
    );
    expect(warningWords.all(planDelete(viewOf(settings), 'settings')).join('\n')).not.toContain(
      'switched off',
    );
  });

  test('that the collector has not finished what it alone is to finish, unless it is to start', () => {
    const of = (since: string, more = ''): string => `${settings}
- {kind: Secret, name: late, deletionTimestamp: "${since}", finalizers: [foregroundDeletion]}${more}`;
    const said =
      'The garbage collector seems not to be running, or far behind: Secret shop/late waits for it alone.';
    const warned = (yaml: string): string =>
      warningWords.all(planDelete(viewOf(yaml), 'settings')).join('\n');
    expect(warned(of('2026-11-21T11:59:40Z'))).toContain(said);
    expect(warned(of('2026-11-21T11:59:50Z'))).not.toContain('seems not to be running');
    const held =
      '- {kind: Pod, name: held, owners: [v1 Secret late late +b], finalizers: [example.com/hold]}';
    expect(warned(of('2026-11-21T11:59:40Z', `\n${held}`))).not.toContain('seems not to be running');
    const view = viewOf(of('2026-11-21T11:59:40Z'));
    expect(warningWords.all(plan(view, 'restart')).join('\n')).not.toContain('seems not to be running');
  });
});
