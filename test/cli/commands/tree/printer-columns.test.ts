/** Printer columns of custom resources, in `-o wide` and as the state of objects without conditions. */
import { describe, expect, test } from 'vitest';
import { folderOf } from '../../../source/files/reading.ts';
import { command } from '../../console.ts';
import { objects } from '../../documents/cluster.ts';
import { UnwellSource, widgetTypes } from '../../session/unwell-source.ts';

const ESCAPE = '\u001B[31m';

function definition(columns: readonly object[]): string {
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget' },
      versions: [
        {
          name: 'v1beta1',
          served: true,
          additionalPrinterColumns: [{ name: 'Old', jsonPath: '.spec.size' }],
        },
        { name: 'v1', served: true, storage: true, additionalPrinterColumns: columns },
      ],
    },
  });
}

async function printed(columns: readonly object[], widget: object, format = 'wide'): Promise<string> {
  const metadata = { name: 'one', namespace: 'shop', creationTimestamp: '2026-11-20T00:00:00Z' };
  const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata, ...widget };
  const folder = folderOf({ 'all.yaml': `${definition(columns)}\n---\n${JSON.stringify(object)}\n` });
  const { out } = await command(`tree widget/one -n shop -f ${folder} -o ${format}`);
  return out;
}

const columnOf = (jsonPath: string, type = 'string', name = 'Size', priority = 0): object => ({
  name,
  type,
  jsonPath,
  priority,
});

describe('printer columns', () => {
  test.each<[path: string, type: string, cell: string]>([
    ['.spec.size', 'string', 'Size=7'],
    ['.spec.size', 'integer', 'Size=7'],
    ['.spec.half', 'integer', 'Size=7'],
    ['.spec.half', 'number', 'Size=7.5'],
    ['.spec.on', 'boolean', 'Size=false'],
    ['.spec.hosts[*]', 'string', 'Size=a.example.com'],
    ['.spec.hosts', 'string', 'Size=[a.example.com b.example.com]'],
    ['.spec.rules[?(@.type=="Main")].port', 'integer', 'Size=80'],
    ['.metadata.labels.example\\.com/team', 'string', 'Size=web'],
  ])('%s as %s', async (path, type, cell) => {
    const out = await printed([columnOf(path, type)], {
      metadata: { name: 'one', namespace: 'shop', labels: { 'example.com/team': 'web' } },
      spec: {
        size: 7,
        half: 7.5,
        on: false,
        hosts: ['a.example.com', 'b.example.com'],
        rules: [
          { type: 'Other', port: 79 },
          { type: 'Main', port: 80 },
        ],
      },
    });
    expect(out).toContain('PRINTER COLUMNS');
    expect(out).toContain(cell);
  });

  test.each([
    ['.spec.none', 'string'],
    ['.spec.size', 'boolean'],
    ['.spec.name', 'integer'],
    ['.metadata.creationTimestamp', 'date'],
    ['.spec[', 'string'],
    [`.spec${'.a'.repeat(200)}`, 'string'],
  ])('none by %s as %s', async (path, type) => {
    expect(await printed([columnOf(path, type)], { spec: { size: 7, name: 'web' } })).not.toContain(
      'PRINTER',
    );
  });

  test('have the columns of priority 1 with -o wide alone', async () => {
    const columns = [columnOf('.status.size'), columnOf('.status.more', 'string', 'More', 1)];
    const widget = { status: { size: 'large', more: 'words' } };
    expect(await printed(columns, widget)).toContain('Size=large,More=words');
    expect(await printed(columns, widget, 'text')).toMatch(/Widget shop\/one +Size=large/u);
  });

  test('are the state only if neither a condition nor a phase is', async () => {
    const columns = [columnOf('.spec.size'), columnOf('.status.health', 'string', 'Health')];
    const health = { health: 'Degraded' };
    const state = async (status: object): Promise<string> =>
      (await printed(columns, { spec: { size: 7 }, status }, 'text')).split('\n')[1] ?? '';
    expect(await state(health)).toContain('Health=Degraded');
    expect(await state({ ...health, phase: 'Bound' })).toMatch(/ Bound/u);
    const conditions = [{ type: 'Ready', status: 'False', reason: 'Broken' }];
    expect(await state({ ...health, conditions })).toMatch(/not Ready: Broken/u);
    expect(await state({})).not.toContain('Size');
  });

  test('show hostile names and values as text', async () => {
    const out = await printed(
      [
        columnOf('.status.evil', 'string', `${ESCAPE}Name\n`),
        columnOf('.status.password', 'string', 'Password'),
        columnOf('.status.apiKey', 'string', 'Key'),
        columnOf('.status.tokens[0]', 'string', 'First'),
        columnOf('.status.token.value', 'string', 'Value'),
        columnOf('.status.tokenRef.name', 'string', 'Reference'),
        columnOf('.status.name', 'string', 'Secret'),
        columnOf('.status.long', 'string', 'Long'),
        { name: 7, type: [], jsonPath: {} },
      ],
      {
        status: {
          evil: `a${ESCAPE}\r\nb\u202E`,
          password: 'hunter2',
          apiKey: 'hunter2',
          tokens: ['hunter2'],
          token: { value: 'hunter2' },
          tokenRef: { name: 'web-token' },
          name: 'web-tls',
          long: 'x'.repeat(5000),
        },
      },
    );
    for (const hidden of ['\u001B', '\r', '\u202E']) expect(out).not.toContain(hidden);
    expect(out).not.toContain('hunter2');
    expect(out).toContain('Secret=web-tls');
    expect(out).toContain('Reference=web-token');
    expect(out.split('\n').filter(line => line.includes('Name'))).toHaveLength(1);
    expect(Math.max(...out.split('\n').map(line => line.length))).toBeLessThan(800);
  });

  test('are the state with --watch too, and follow it', async () => {
    const source = new UnwellSource('');
    const later = objects(source.widget('b', 2), widgetTypes);
    const { out } = await command('tree -n shop -w', {
      source,
      onOutput: (printed, interrupt) => {
        if (printed.includes('Health=Healthy')) return interrupt();
        source.health = 'Healthy';
        setImmediate(() => source.emit({ changes: later }));
      },
    });
    expect(out).toMatch(/^Widget shop\/a +Health=Degraded/mu);
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/^Widget shop\/b +Health=Healthy/u);
    expect(source.lists).toEqual(['Widget shop']);
  });
});
