import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { Cast } from '../../src/ui/cast.ts';

class Output extends EventEmitter {
  columns = 80;
  rows = 24;
  readonly written: string[] = [];

  write(text: string): boolean {
    this.written.push(text);
    return true;
  }
}

function recorded(): { output: Output; cast: Cast; pass: (ms: number) => void } {
  let now = Date.parse('2026-11-21T12:00:00.500Z');
  const output = new Output();
  const cast = new Cast(output as unknown as NodeJS.WriteStream, () => now, 'gc-tree');
  return { output, cast, pass: ms => void (now += ms) };
}

function lines(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as unknown);
}

test('what is written is recorded with its time, and still written', () => {
  const { output, cast, pass } = recorded();
  output.write('\u001B[31mone\u001B[39m\n');
  pass(1_250);
  Object.assign(output, { columns: 60, rows: 15 });
  output.emit('resize');
  output.write('two');
  const text = cast.end();
  output.write('three');
  output.emit('resize');
  expect(lines(text)).toEqual([
    {
      version: 2,
      width: 80,
      height: 24,
      timestamp: Date.parse('2026-11-21T12:00:00Z') / 1_000,
      title: 'gc-tree',
    },
    [0, 'o', '\u001B[31mone\u001B[39m\r\n'],
    [1.25, 'r', '60x15'],
    [1.25, 'o', 'two'],
  ]);
  expect(output.written).toEqual(['\u001B[31mone\u001B[39m\n', 'two', 'three']);
});

test('text for the clipboard is not recorded', () => {
  const { output, cast } = recorded();
  output.write('\u001B]52;c;c2VjcmV0\u0007');
  output.write('\u001BP\u001B]52;c;c2VjcmV0\u0007\u001B\\');
  expect(lines(cast.end())).toHaveLength(1);
  expect(output.written).toHaveLength(2);
});

test('a long one ends before it is too large', () => {
  const { output, cast } = recorded();
  for (let i = 0; i < 30; i++) output.write('x'.repeat(1_000_000));
  expect(cast.end().length).toBeLessThan(23_000_000);
});
