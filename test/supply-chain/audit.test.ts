import { expect, test } from 'vitest';
import { judgeAudit } from '../../scripts/supply-chain/judge-audit.ts';

const bundled = new Set(['node_modules/undici', 'node_modules/a/node_modules/b']);

function report(
  ...vulnerabilities: readonly (readonly [name: string, severity: string, node: string])[]
): string {
  return JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      vulnerabilities.map(([name, severity, node]) => [
        name,
        {
          name,
          severity,
          nodes: [node],
          via: ['other', { title: 'It leaks', url: 'https://example.com/1' }],
        },
      ]),
    ),
  });
}

test('high and critical in what is bundled fail', () => {
  for (const severity of ['high', 'critical'])
    expect(judgeAudit(report(['undici', severity, 'node_modules/undici']), bundled)).toEqual({
      failed: true,
      lines: [`FAILED: undici, ${severity}, in the bundle: It leaks https://example.com/1`],
    });
  expect(judgeAudit(report(['b', 'high', 'node_modules/a/node_modules/b']), bundled).failed).toBe(true);
});

test('what is less, or only builds and tests, is told', () => {
  const { failed, lines } = judgeAudit(
    report(
      ['undici', 'moderate', 'node_modules/undici'],
      ['vitest', 'critical', 'node_modules/vitest'],
      ['b', 'high', 'node_modules/b'],
    ),
    bundled,
  );
  expect(failed).toBe(false);
  expect(lines.map(line => line.split(':', 2).join(':'))).toEqual([
    'known: undici, moderate, in the bundle',
    'known: vitest, critical, used for building and testing',
    'known: b, high, used for building and testing',
  ]);
});

test('where nothing is known that is said', () => {
  expect(judgeAudit(report(), bundled)).toEqual({
    failed: false,
    lines: ['npm audit: nothing known against the 2 packages in the bundle.'],
  });
});

test('a registry that keeps no list is said to, and goes through; what is no answer does not', () => {
  const refused = JSON.stringify({
    message: '405 Method Not Allowed',
    statusCode: 405,
    error: { summary: '', detail: '' },
  });
  expect(judgeAudit(refused, bundled)).toEqual({
    failed: false,
    lines: ["npm audit: SKIPPED, the registry doesn't say what it knows (405 Method Not Allowed)."],
  });
  expect(judgeAudit(JSON.stringify({ error: { summary: 'offline' } }), bundled).lines[0]).toContain(
    '(offline)',
  );
  for (const text of ['', 'npm error', 'null', '3']) expect(judgeAudit(text, bundled).failed).toBe(true);
});
