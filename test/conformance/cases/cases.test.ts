import { describe, expect, test } from 'vitest';
import type { Diagnosis, DiagnosisItem, Plan } from '../../../src/cli/documents/definitions.ts';
import { command } from '../../cli/console.ts';
import { type Aspect, aspects, type Case, cases } from './case-files.ts';

const all = cases();

test('there is a file for every situation', () => {
  expect(all.map(({ number }) => number)).toEqual(
    Array.from({ length: all.length }, (_, index) => index + 1),
  );
});

async function run(words: string, { manifest }: Case): Promise<string> {
  const { out, err, exitCode } = await command(`${words} -f -`, { stdin: manifest });
  expect(exitCode, err).toBeLessThan(2);
  return out;
}

async function answerTo(asked: string, each: Case): Promise<DiagnosisItem> {
  const { items } = JSON.parse(await run(`why ${asked} -o json`, each)) as Diagnosis;
  const [item] = items;
  if (item === undefined) throw new Error(`no answer about ${asked}`);
  return item;
}

/** The first of all, and the first that has a command: before that may stand whom to bring back. */
function firstRemedies({ remedies }: DiagnosisItem): string {
  const first = [remedies[0], remedies.find(({ requests }) => requests.length > 0)];
  return [...new Set(first)]
    .map(each => `${each?.risk} ${each?.id} ${each?.title} ${each?.kubectl ?? ''}`)
    .join('\n');
}

const checks: Readonly<Record<Aspect, (asked: string, each: Case) => Promise<void>>> = {
  first: async (asked, each) => {
    const { summary } = await answerTo(asked, each);
    for (const pattern of each.first) expect(summary).toMatch(new RegExp(pattern, 'u'));
  },
  remedy: async (asked, each) => {
    expect(firstRemedies(await answerTo(asked, each))).toMatch(new RegExp(each.remedy, 'mu'));
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
    const { deleted, terminating } = JSON.parse(await run('plan -o json', each)) as Plan;
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

test.skipIf(process.env['GC_TREE_CASES'] === undefined)('the table of what is said first', async () => {
  for (const each of all)
    for (const asked of each.ask) {
      const { summary, remedies } = await answerTo(asked, each);
      const [first] = remedies;
      const remedy = first === undefined ? 'none' : `${first.risk}: ${first.title}`;
      process.stdout.write(`| ${each.number} | ${asked} | ${summary} | ${remedy} |\n`);
    }
});

describe('what is nearly the same', () => {
  const of = (wanted: number): Case => {
    const found = all.find(({ number }) => number === wanted);
    if (found === undefined) throw new Error(`no situation ${wanted}`);
    return found;
  };
  const saidOf = async (each: Case, from: string, to: string): Promise<string> => {
    expect(each.manifest).toContain(from);
    return run(`why ${each.ask[0]}`, { ...each, manifest: each.manifest.replaceAll(from, to) });
  };

  test('an App of a downstream cluster that is still registered waits for Rancher', async () => {
    const said = await saidOf(of(4), 'name: local', 'name: c-fx8wr');
    expect(said).toMatch(/cluster c-fx8wr removes it, and that\s+downstream cluster exists/u);
    expect(said).not.toContain('is stuck');
  });

  test('a Job that is not complete still counts its pods', async () => {
    const said = await saidOf(of(1), 'type: Complete\n', 'type: Suspended\n');
    expect(said).toMatch(/dangerous {2}remove batch\.kubernetes\.io\/job-tracking/u);
    expect(said).not.toContain('has finished');
  });

  test('a namespace ends with the last object that its conditions name, and may not with one of several', async () => {
    const named = 'services. has 1 resource instances';
    expect(await saidOf(of(16), named, named)).toMatch(/edge is deleted/u);
    const asked = { ...of(16), ask: ['ns/shop'] };
    expect(await saidOf(asked, named, named)).toMatch(/shop is deleted, and Service shop\/edge with it\n/u);
    expect(await saidOf(asked, named, `configmaps. has 1 resource instances, ${named}`)).toMatch(
      /shop stays, waiting for 1 configmaps, which cannot be seen/u,
    );
    const waitingForPods = await saidOf(asked, 'status: "True"', 'status: "False"');
    expect(waitingForPods).toMatch(/but shop stays if it holds something that cannot be seen/u);
  });

  test('claims that running pods mount are not held by finished ones', async () => {
    const said = await saidOf(of(10), 'phase: Succeeded', 'phase: Running');
    expect(said).not.toContain('finished');
  });
});
