/** What kube-controller-manager reports, where an answer says that its collector is late. */
import { describe, expect, test } from 'vitest';
import type { Diagnosis } from '../../../../src/cli/documents/definitions.ts';
import type { ManagerPage } from '../../../../src/model/exchange/manager-pages.ts';
import { command, SmallSource } from '../../console.ts';

const manager = (name: string): string =>
  `\n- {kind: Pod, name: kube-controller-manager-${name}, namespace: kube-system, spec: {nodeName: ${name}, containers: [{name: manager, command: [kube-controller-manager, "--controllers=*"]}]}, status: {phase: Running}}`;
const lease = `\n- {kind: Lease, name: kube-controller-manager, namespace: kube-system, spec: {holderIdentity: "two_5f2c", leaseDurationSeconds: 15, acquireTime: "2026-11-21T08:00:00Z", renewTime: "2026-11-21T12:00:00Z"}}`;
const stray = '\n- {kind: ConfigMap, name: stray, owners: [v1 Secret gone]}\n- {kind: ConfigMap, name: fine}';

const pages: Readonly<Record<ManagerPage, string>> = {
  metrics: 'workqueue_depth{name="garbage_collector_attempt_to_delete"} 12400\n',
  flagz: 'kube-controller-manager flagz\n\ncontrollers: [*]\n',
};

class ReportingSource extends SmallSource {
  readonly asked: string[] = [];
  readonly #shown: Partial<Record<ManagerPage, string>>;

  constructor(yaml: string, shown: Partial<Record<ManagerPage, string>> = pages) {
    super(yaml);
    this.#shown = shown;
  }

  managerPage(pod: string, page: ManagerPage): Promise<string | undefined> {
    this.asked.push(`${pod} ${page}`);
    return Promise.resolve(this.#shown[page]);
  }
}

async function why(source: SmallSource, words: string): Promise<string> {
  const { out, err } = await command(`why ${words}`, { source });
  expect(err).toBe('');
  return out.replaceAll(/\s+/gu, ' ');
}

describe('an answer that the collector is late', () => {
  test('has what the manager reports of its queues and flags', async () => {
    const source = new ReportingSource(manager('one') + stray);
    const out = await why(source, 'cm/stray');
    expect(out).toContain(
      'workqueue_depth{garbage_collector_attempt_to_delete}: 12,400 objects wait for the collector',
    );
    expect(out).toContain('(/flagz): --controllers=*');
    expect(source.asked).toEqual([
      'kube-controller-manager-one metrics',
      'kube-controller-manager-one flagz',
    ]);
    const document = await command('why cm/stray -o json', {
      source: new ReportingSource(manager('one') + stray),
    });
    const [item] = (JSON.parse(document.out) as Diagnosis).items;
    expect(item?.findings[0]?.evidence.join(' ')).toContain('12,400 objects wait');
  });

  test('asks the replica that leads, and none where that is unknown', async () => {
    const led = new ReportingSource(manager('one') + manager('two') + lease + stray);
    await why(led, 'cm/stray');
    expect(new Set(led.asked.map(each => each.split(' ')[0]))).toEqual(
      new Set(['kube-controller-manager-two']),
    );
    const unknown = new ReportingSource(manager('one') + manager('two') + stray);
    await why(unknown, 'cm/stray');
    expect(unknown.asked).toEqual([]);
  });

  test('is the same where nothing is shown', async () => {
    const silent = await why(new ReportingSource(manager('one') + stray, {}), 'cm/stray');
    expect(silent).toBe(await why(new SmallSource(manager('one') + stray), 'cm/stray'));
  });

  test('alone asks, and once for several objects', async () => {
    const source = new ReportingSource(manager('one') + stray);
    await why(source, 'cm/fine');
    expect(source.asked).toEqual([]);
    const many = new ReportingSource(
      `${manager('one')}${stray}\n- {kind: Secret, name: two, owners: [v1 Secret gone]}`,
    );
    await why(many, 'cm/stray secret/two');
    expect(many.asked).toHaveLength(2);
  });
});
