import { expect, test } from 'vitest';
import { runCommand } from './process.ts';

const file = process.execPath;
const says = (text: string): string[] => ['-e', `console.log(${JSON.stringify(text)})`];

test('a command that exits with another code than 0 is no figure', async () => {
  const run = runCommand({ file, args: ['-e', 'console.error("unknown flag"); process.exit(2)'] });
  await expect(run).rejects.toThrow(/exit code 2\nunknown flag/u);
});

test('nor is one that prints something else, or anything where nothing is expected', async () => {
  await expect(runCommand({ file, args: says('two'), prints: /one/u })).rejects.toThrow(
    /something else\ntwo/u,
  );
  await expect(runCommand({ file, args: says('two') })).rejects.toThrow(/something else\ntwo/u);
});

test('nor is one that ends before its mark', async () => {
  const run = runCommand({ file, args: ['-e', ''], marks: { facts: /facts complete/u }, until: 'facts' });
  await expect(run).rejects.toThrow('said nothing of facts');
});

test('what prints what it should has a time and its memory', async () => {
  const { wall, peak } = await runCommand({ file, args: says('one'), prints: /^one\n$/u });
  expect([wall > 0, peak > 0]).toEqual([true, true]);
});
