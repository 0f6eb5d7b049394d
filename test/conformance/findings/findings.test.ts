import { describe, expect, test } from 'vitest';
import { type FindingCode, findingCodes } from '../../../src/diagnosis/engine/codes.ts';
import { wrongFacts } from '../../diagnosis/facts.ts';
import { shippedFindings } from '../scenario-files.ts';
import { fileOf, findingFiles } from './files.ts';
import { judgeSimulated } from './judge-simulated.ts';
import { compareFindings, lineOf, ownFindings } from './judged.ts';

const files = findingFiles();

/**
 * What no scenario brings about. No API server holds an object with several controllers (422), so only files show it:
 * test/diagnosis/rules/owners/controller-references.test.ts has it. Nobody can be asked what an account may in a scenario:
 * test/cluster/diagnosis/permissions.test.ts asks a real API server. Nor does a scenario hold bytes:
 * test/cluster/diagnosis/undecodable.test.ts writes some into etcd. Nor does it have a network between the API server and
 * pods: test/conformance/threads/unreached-services.test.ts quotes its errors. No time passes between a scenario's steps: an object
 * created half a minute after another's deletion is in test/conformance/threads/deletions.test.ts.
 */
const elsewhere: readonly FindingCode[] = [
  'MultipleControllers',
  'FinalizerHandlerForbidden',
  'ForegroundDependentsRecreated',
  'ApiServiceUnreachable',
  'ObjectCannotBeDecoded',
];

test('every code has a file of scenarios, and every file a code', () => {
  const codes = findingCodes.filter(code => !elsewhere.includes(code));
  expect(files.map(({ file }) => file)).toEqual(codes.map(fileOf).sort());
});

/** The most facts that a finding of a code has. */
const factsOf = new Map<FindingCode, number>();

describe.each(files)('$file', ({ code, scenarios }) => {
  test('the first scenario has the finding, and the second has not', () => {
    const [first, second] = scenarios.map(({ findings }) => findings?.map(each => each.code));
    expect(first).toContain(code);
    expect(second).toBeDefined();
    expect(second).not.toContain(code);
  });

  test.each(scenarios)('$title: has these findings on the simulation', async scenario => {
    expect(scenario.findings).toBeDefined();
    const { player, diagnosis } = await judgeSimulated(scenario);
    const found = ownFindings(diagnosis, player).map(finding => lineOf(finding, player));
    expect(compareFindings(scenario, found)).toEqual({ missing: [], unexpected: [] });
    expect(wrongFacts(diagnosis, diagnosis.all())).toEqual([]);
    const all = [...diagnosis.all()];
    for (const { code, facts } of all) factsOf.set(code, Math.max(factsOf.get(code) ?? 0, facts.length));
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });
});

/** It goes by a reference that isn't there, and by labels and selectors together. */
const withoutFacts: readonly FindingCode[] = ['WillBeAdopted'];

test('what goes by fields has them as facts', () => {
  const none = [...factsOf].filter(([, facts]) => facts === 0).map(([code]) => code);
  expect(none.filter(code => !withoutFacts.includes(code))).toEqual([]);
});

describe.each(shippedFindings())('$file, which the product ships', ({ scenarios }) => {
  test.each(scenarios)('$title: has these findings on the simulation', async scenario => {
    const { player, diagnosis } = await judgeSimulated(scenario);
    const found = ownFindings(diagnosis, player).map(finding => lineOf(finding, player));
    expect(compareFindings(scenario, found)).toEqual({ missing: [], unexpected: [] });
  });
});
