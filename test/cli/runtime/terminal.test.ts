import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type StepAside, Terminal } from '../../../src/cli/runtime/terminal.ts';

function terminal(isTerminal = true) {
  const drawn: string[] = [];
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      drawn.push(chunk.toString().replaceAll('\r\u001B[K', '<wipe>'));
      done();
    },
  });
  return { terminal: new Terminal(stderr, isTerminal), drawn };
}

/** A screen that notes when it is away. */
function screen(drawn: string[]): StepAside {
  return async meanwhile => {
    drawn.push('<screen off>');
    await meanwhile();
    drawn.push('<screen on>');
  };
}

describe('the terminal', () => {
  test('shows one line of progress, which gives way to what stays', () => {
    const { terminal: one, drawn } = terminal();
    one.status('1 of 2');
    one.status('2 of 2');
    one.say('a word');
    one.status('');
    expect(drawn).toEqual(['<wipe>1 of 2', '<wipe>2 of 2', '<wipe>', 'a word\n']);
  });

  test('shows no progress where it is none, and says everything at once', async () => {
    const { terminal: none, drawn } = terminal(false);
    none.status('1 of 2');
    await none.hold({ stepAside: screen(drawn) });
    none.say('a word');
    expect(drawn).toEqual(['a word\n']);
  });

  test('is lent without progress or words in between, which come after it', async () => {
    const { terminal: one, drawn } = terminal();
    one.status('1 of 2');
    expect(one.isFree).toBe(true);
    await one.lend(async write => {
      write('Code: ');
      one.status('2 of 2');
      one.say('a word');
      return 'x';
    });
    one.status('2 of 2');
    expect(drawn).toEqual(['<wipe>1 of 2', '<wipe>', 'Code: ', 'a word\n', '<wipe>2 of 2']);
  });

  test('is lent by the screen, to one after the other, and what was said comes when the screen is left', async () => {
    const { terminal: one, drawn } = terminal();
    const release = await one.hold({ stepAside: screen(drawn) });
    expect(one.isFree).toBe(false);
    one.say('a word');
    one.status('1 of 2');
    const first = one.lend(async write => {
      write('one');
      await new Promise(resolve => setImmediate(resolve));
      one.say('another word');
      write('done');
      return 1;
    });
    const second = one.lend(async write => {
      write('two');
      throw new Error('no');
    });
    expect(await first).toBe(1);
    await expect(second).rejects.toThrow('no');
    release();
    expect(drawn).toEqual([
      '<screen off>',
      'one',
      'done',
      '<screen on>',
      '<screen off>',
      'two',
      '<screen on>',
      'a word\n',
      'another word\n',
    ]);
  });

  test('is not lent by a screen that has gone', async () => {
    const { terminal: one } = terminal();
    await one.hold({ stepAside: () => Promise.reject(new Error('the screen was left.')) });
    await expect(one.lend(async () => 1)).rejects.toThrow('the screen was left.');
  });

  test('is not lent while a question waits for its answer, which stands below what is said', async () => {
    const { terminal: one, drawn } = terminal();
    const release = await one.hold({ question: 'Sure? ' });
    expect(one.isFree).toBe(false);
    expect(one.lend(async () => 1)).toBeUndefined();
    one.say('a word');
    release();
    expect(drawn).toEqual(['<wipe>a word\nSure? ']);
    expect(await one.lend(async () => 1)).toBe(1);
  });

  test('is not given to a question before who borrowed it gives it back', async () => {
    const { terminal: one, drawn } = terminal();
    const borrowed = Promise.withResolvers<void>();
    const loan = one.lend(() => borrowed.promise);
    const held = one.hold({ question: 'Sure? ' }).then(() => drawn.push('Sure? '));
    await new Promise(resolve => setImmediate(resolve));
    expect(drawn).toEqual([]);
    borrowed.resolve();
    await Promise.all([loan, held]);
    expect(drawn).toEqual(['Sure? ']);
  });
});
