/** What is deployed names metrics that there are, and the Prometheus Operator gets the same alerts as everybody else. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Metrics } from '../../../../src/cli/servers/http/metrics.ts';

const deploy = path.join(import.meta.dirname, '..', '..', '..', '..', 'deploy');
const read = (file: string): string => readFileSync(path.join(deploy, file), 'utf8');

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

const rules = parse(read('prometheus/rules.yaml')) as Rules;
const alerts = rules.groups.flatMap(group => group.rules);
const dashboard = JSON.parse(read('grafana/gc-tree.json')) as {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
};

const names = new Set(new Metrics({ version: '1.2.3', maxNamespaces: 9 }).names);

function unknownIn(expression: string): string[] {
  // Metrics have an underscore; functions and labels here that have one are told apart.
  const words =
    expression.replaceAll(/"[^"]*"|by \([^)]*\)/gu, '').match(/\b(?:gc_tree|process|nodejs)_\w+/gu) ?? [];
  return words.map(word => word.replace(/_bucket$/u, '')).filter(word => !names.has(word));
}

describe('every metric is one that the server tells', () => {
  it.each(alerts)('of the alert $alert', ({ expr }) => {
    expect(expr).toContain('gc_tree_');
    expect(unknownIn(expr)).toEqual([]);
  });

  it.each(dashboard.panels)('of the panel $title', ({ targets }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) {
      expect(expr).toMatch(/(?:gc_tree|process)_/u);
      expect(unknownIn(expr)).toEqual([]);
    }
  });

  it('of its own page, and each of them is described there', () => {
    const page = readFileSync(path.join(deploy, '..', 'docs', 'serve.md'), 'utf8');
    const described = new Set(page.match(/\bgc_tree_\w+/gu));
    expect([...described].filter(name => !names.has(name))).toEqual([]);
    expect([...names].filter(name => name.startsWith('gc_tree_') && !described.has(name))).toEqual([]);
  });
});

it('gives the Prometheus Operator the same alerts', () => {
  const { spec } = parse(read('components/monitoring/prometheus-rule.yaml')) as { readonly spec: Rules };
  expect(spec).toEqual(rules);
});

it('tests every alert with promtool', () => {
  const tested = new Set(
    [...read('prometheus/rules.test.yaml').matchAll(/alertname: (\w+)/gu)].map(([, name]) => name),
  );
  expect(alerts.map(({ alert }) => alert).filter(name => !tested.has(name))).toEqual([]);
});
