import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { catalogueJson, readCatalogue } from '../../../scripts/finalizer-catalogue.ts';
import { parseCatalogue } from '../../../src/diagnosis/finalizers/catalogue-text.ts';
import { finalizersIn } from '../../../src/model/finalizer-catalogue.ts';
import { hasContent } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';

describe('the finalizer catalogue', () => {
  it('is valid, and what the product loads of it is current (else: npm run docs)', async () => {
    const json = new URL('../../../src/diagnosis/finalizers/catalogue.json', import.meta.url);
    expect(await readFile(json, 'utf8')).toBe(catalogueJson(readCatalogue()));
  });

  it('takes what a controller lacks as nothing', () => {
    const yaml = `- {controller: it, runsIn: cluster, finalizers: [{names: [a.io/x], carriedBy: pods, protects: a thing, cost: the thing}]}`;
    expect(finalizersIn(parseCatalogue(yaml))).toEqual([
      {
        names: ['a.io/x'],
        controller: { name: 'it', runsIn: 'cluster', workloads: [], groups: [] },
        carriedBy: 'pods',
        protects: 'a thing',
        cost: 'the thing',
      },
    ]);
  });
});

it('refers to no kind whose live objects are not read', () => {
  const referring = finalizersIn(readCatalogue()).flatMap(({ waitsFor = [] }) =>
    waitsFor.flatMap(each => (each.referring === undefined ? [] : (each.kinds ?? []))),
  );
  const unread = referring.filter(kind => {
    const [resource = '', ...group] = kind.split('.');
    const type = { resource, group: group.join('.') } as ResourceType;
    return !hasContent({ type, deletionTimestamp: undefined });
  });
  expect(unread).toEqual([]);
});

describe('a catalogue that is wrong', () => {
  const finalizer = { names: ['example.com/drain'], carriedBy: 'pods', protects: 'it drains', cost: 'water' };
  const entry = { controller: 'Drain', runsIn: 'cluster', workloads: ['drain'], finalizers: [finalizer] };
  const errorOf = (...entries: readonly unknown[]): string => {
    try {
      parseCatalogue(entries.map(each => `- ${JSON.stringify(each)}\n`).join(''));
      return '';
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  };

  it.each<readonly [string, unknown, string]>([
    [
      'a place that there is not',
      { ...entry, runsIn: 'outside' },
      'Drain: runsIn is "outside"; it must be one of API server, control plane, cluster, elsewhere',
    ],
    [
      'a field that is missing',
      { ...entry, finalizers: [{ ...finalizer, cost: undefined }] },
      'Drain: finalizers[0].cost is missing',
    ],
    ['an entry without a name', { ...entry, controller: undefined }, 'entry 2: controller is missing'],
    [
      'a field that there is not',
      { ...entry, finalizers: [{ ...finalizer, on: 'pods' }] },
      'Drain: finalizers[0].on is no field; those are names, carriedBy, protects, cost, drains, awaitsProcess, workloadsOf, definedWith, standsFor, controllerField, namespaceLabel, waitsFor, needs',
    ],
    [
      'a name with a space',
      { ...entry, groups: ['example com'] },
      'Drain: groups[0] is "example com"; a name has no spaces, | or backquotes',
    ],
    [
      'a clause with a full stop',
      { ...entry, finalizers: [{ ...finalizer, cost: 'water.' }] },
      'Drain: finalizers[0].cost is "water."; it must not end with a full stop',
    ],
    [
      'a list that is a word',
      { ...entry, workloads: 'drain' },
      'Drain: workloads must be a list: [one, another]',
    ],
    ['nothing that it does', { ...entry, finalizers: undefined }, 'Drain: finalizers or manages is missing'],
    [
      'a mark that is a word',
      { ...entry, manages: [{ called: 'x', name: { label: 'a' }, namespace: 'shop' }] },
      'Drain: manages[0].namespace must be own, {label: KEY} or {annotation: KEY}',
    ],
    ['no finalizers', { ...entry, finalizers: [] }, 'Drain: finalizers is empty'],
    [
      'a clause that would draw on the terminal',
      { ...entry, controller: 'Drain\u001b[2J' },
      'Drain\u001b[2J: controller is "Drain\\u001b[2J"; it must be words, without control characters and without spaces around them',
    ],
    ['a list of something else', 'Drain', 'entry 2: it must be one object'],
    [
      'a finalizer that another entry has',
      { ...entry, controller: 'Other', finalizers: [finalizer] },
      'Other: names has example.com/drain, which Drain has already',
    ],
  ])('says so of %s', (_, wrong, message) => {
    expect(errorOf(entry, wrong)).toBe(`line 2: ${message}`);
  });

  it('says where the YAML ends', () => {
    expect(() => parseCatalogue('- controller: Drain\n  runsIn: a: b\n')).toThrow(
      /^line 2: .*needs quotes\.$/,
    );
  });
});
