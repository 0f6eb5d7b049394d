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
    expect(out).toMatch(/^All \d+ objects end the same way\.$/mu);
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
  test('is a flag of demo alone, and takes two releases', async () => {
    for (const [line, reason] of [
      ['tree --demo shop --collector=1.5', 'unknown flag --collector. Choose it with demo'],
      ['why sts/web --demo shop --collector=1.5', 'unknown flag --collector. Choose it with demo'],
      ['demo shop --collector=1.4', 'Allowed choices are 1.36, 1.5'],
    ] as const) {
      const { err, out, exitCode } = await command(line);
      expect([line, exitCode, out]).toEqual([line, 2, '']);
      expect(err).toContain(reason);
    }
  });
});
