import { describe, expect, test } from 'vitest';
import { command } from '../console.ts';

describe('demo --compare-collectors', () => {
  test('prints both ends side by side, and why they differ', async () => {
    const { out, err, exitCode } = await command('demo two-collectors --compare-collectors');
    expect([err, exitCode]).toEqual(['', 0]);
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^OBJECT +1\.5 +1\.36$/u);
    expect(out).toMatch(/^ConfigMap shop\/release-41 +deleted +stuck: held by foregroundDeletion$/mu);
    expect(out).toMatch(/^Foreground deletion: ConfigMap shop\/release-41$/mu);
    expect(out).toContain('https://github.com/kubernetes/kubernetes/pull/38676');
    expect(out).not.toContain('/blob/v1.5.8/');
  });

  test('with -o wide it names the files of both releases, and what made no difference', async () => {
    const { out } = await command('demo how-the-collector-works --compare-collectors -o wide');
    expect(out).toMatch(/^All \d+ objects end alike\.$/mu);
    expect(out).toMatch(/^Foreground deletion: no end shows it$/mu);
    expect(out).toContain('/blob/v1.5.8/pkg/registry/generic/registry/store.go');
    expect(out).toContain('/blob/v1.36.3/');
  });

  test('on a narrow terminal each object is a paragraph', async () => {
    const { out } = await command('demo two-collectors --compare-collectors', { columns: 40 });
    expect(out).toContain(
      'ConfigMap shop/archive\n  1.5:  deleted\n  1.36: stuck: held by example.com/shred\n',
    );
    // Addresses don't break.
    const prose = out.split('\n').filter(line => !line.includes('https://'));
    for (const line of prose) expect(line.length).toBeLessThanOrEqual(40);
  });

  test('is refused with what it has no use for', async () => {
    for (const [line, reason] of [
      ['demo shop --compare-collectors -o name', 'has no -o name'],
      ['demo shop --compare-collectors --collector=1.5', 'leave --collector out'],
      ['demo shop --compare-collectors --step', 'exclude each other'],
      ['demo nowhere --compare-collectors', 'no scenario "nowhere"'],
    ] as const) {
      const { err, out, exitCode } = await command(line);
      expect([line, exitCode, out]).toEqual([line, 2, '']);
      expect(err).toContain(reason);
    }
  });
});

describe('--collector', () => {
  test('1.5 makes forecasts those of the first collector, and says so', async () => {
    const line = 'plan delete cm/release-41 --cascade=foreground --demo policies-side-by-side';
    const first = await command(`${line} --collector=1.5 -o json`);
    const today = await command(`${line} -o json`);
    expect(first.err).toMatch(/^The garbage collector and the deletions here are those of Kubernetes 1\.5/u);
    expect(outcomeOf(first.out)).toMatchObject({ collector: '1.5', terminating: ['certificate'] });
    expect(outcomeOf(today.out)).toMatchObject({
      collector: undefined,
      terminating: ['certificate', 'release-41'],
    });
  });

  test('1.36 changes nothing', async () => {
    const line = 'plan delete cm/release-41 --cascade=foreground --demo policies-side-by-side -o json';
    const [told, untold] = [await command(`${line} --collector=1.36`), await command(line)];
    expect(told).toEqual(untold);
  });

  test('anything but a scenario is refused, and what diagnoses, and other releases', async () => {
    for (const [line, reason] of [
      ['tree --collector=1.5', 'name a scenario with --demo'],
      ['tree -f - --collector=1.5', 'name a scenario with --demo'],
      ['why sts/web --demo shop --collector=1.5', 'unknown flag for why: --collector'],
      ['activity --demo shop --collector=1.5', 'unknown flag for activity: --collector'],
      ['check --demo shop --collector=1.5', 'unknown flag for check: --collector'],
      ['tree --demo shop --collector=1.4', 'Allowed choices are 1.36, 1.5'],
    ] as const) {
      const { err, out, exitCode } = await command(line);
      expect([line, exitCode, out]).toEqual([line, 2, '']);
      expect(err).toContain(reason);
    }
  });
});

function outcomeOf(out: string): object {
  const { basis, terminating } = JSON.parse(out) as {
    readonly basis: { readonly collector?: string };
    readonly terminating: readonly { readonly object: { readonly name: string } }[];
  };
  return { collector: basis.collector, terminating: terminating.map(({ object }) => object.name).sort() };
}
