import { describe, expect, test } from 'vitest';
import type { DiagnosisDocument, DiagnosisItem } from '../../../src/documents/findings/diagnosis.ts';
import type { PlanDocument } from '../../../src/documents/plan/plan.ts';
import { command } from '../../cli/console.ts';
import { type Aspect, aspects, type Case, cases } from './case-files.ts';

const all = cases();

test('there is a file for every situation', () => {
  expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 17 }, (_, index) => index + 1));
});

async function run(words: string, { manifest }: Case): Promise<string> {
  const { out, err, exitCode } = await command(`${words} -f -`, { stdin: manifest });
  expect(exitCode, err).toBeLessThan(2);
  return out;
}

async function answerTo(asked: string, each: Case): Promise<DiagnosisItem> {
  const { items } = JSON.parse(await run(`why ${asked} -o json`, each)) as DiagnosisDocument;
  const [item] = items;
  if (item === undefined) throw new Error(`no answer about ${asked}`);
  return item;
}

function firstRemedy({ remedies }: DiagnosisItem): string {
  const [first] = remedies;
  if (first === undefined) return 'none';
  const { risk, id, title, kubectl } = first;
  return `${risk} ${id} ${title} ${kubectl ?? ''}`;
}

const checks: Readonly<Record<Aspect, (asked: string, each: Case) => Promise<void>>> = {
  first: async (asked, each) => {
    const { summary } = await answerTo(asked, each);
    for (const pattern of each.first) expect(summary).toMatch(new RegExp(pattern, 'u'));
  },
  remedy: async (asked, each) => {
    expect(firstRemedy(await answerTo(asked, each))).toMatch(new RegExp(each.remedy, 'u'));
  },
  never: async (asked, each) => {
    const why = await run(`why ${asked} -o wide`, each);
    for (const pattern of each.says ?? []) expect(why).toMatch(new RegExp(pattern, 'u'));
    const commands = [`why ${asked}`, `why ${asked} -o json`, 'check -A -o wide', 'check -A -o json'];
    const others = await Promise.all(
      [...commands, 'plan', 'plan -o wide', 'plan -o json'].map(words => run(words, each)),
    );
    for (const said of [why, ...others])
      for (const pattern of each.never) expect(said).not.toMatch(new RegExp(pattern, 'u'));
  },
  end: async (asked, each) => {
    const { object, next } = await answerTo(asked, each);
    const { deleted, terminating } = JSON.parse(await run('plan -o json', each)) as PlanDocument;
    const among = (list: readonly { readonly object: { readonly uid?: string } }[]): boolean =>
      list.some(({ object: { uid } }) => uid === object.uid);
    const end = among(deleted) ? 'deleted' : among(terminating) ? 'stays' : 'nothing is told';
    expect(end).toBe(each.end ?? end);
    if (end === 'stays') expect(next.join(' ')).toMatch(/stays/u);
    if (end === 'deleted') expect(next.join(' ')).not.toMatch(/stays/u);
  },
};

describe.each(all)('situation $number: $told', each => {
  const about = (aspect: Aspect): [string, () => Promise<void>] => [
    {
      first: 'the first sentence carries the cause',
      remedy: 'the first remedy is the one that helps',
      never: 'no other sentence says otherwise',
      end: 'the forecast is the same',
    }[aspect],
    async () => {
      for (const asked of each.ask) await checks[aspect](asked, each);
    },
  ];
  for (const aspect of aspects) {
    const [title, check] = about(aspect);
    const reason = each.fails?.[aspect];
    if (reason === undefined) test(title, check);
    else test.fails(`${title} (not yet: ${reason})`, check);
  }
});
