import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { printLine } from '../../../../src/cli/documents/print/print-lines.ts';
import { TextLine } from '../../../../src/text/terminal/text-line.ts';

const look = (width: number) => ({ colour: false, ascii: false, width });

function argumentsOf(script: string): string[] {
  const out = execFileSync('sh', ['-c', `show() { printf '%s\\n' "$@"; }\nshow ${script.trimStart()}`]);
  return out.toString().trimEnd().split('\n');
}

describe('a command on a narrow terminal', () => {
  const body = '[{"op":"test", "path":"/metadata/uid"}]';
  const words = ['patch', 'pod/web-2', '-n', 'shop', '--type=json', '-p', body, "--name=it's so \\ \\' or"];

  it.each([20, 30, 40, 60, 80, 200])('is the same command when it is pasted from %i columns', width => {
    const printed = printLine(
      TextLine.command('    ', [{ words: ['kubectl', ...words] }], 'info', 6),
      look(width),
    );
    expect(argumentsOf(printed)).toEqual(['kubectl', ...words]);
  });

  it('says with a backslash that it goes on, and stays within the terminal', () => {
    const printed = printLine(
      TextLine.command(
        '  ',
        [
          {
            words: 'kubectl gc-tree unblock statefulset/web -n shop --remedy clear-block/pod/web-2'.split(
              ' ',
            ),
          },
        ],
        'info',
        4,
      ),
      look(40),
    );
    expect(printed).toBe(
      [
        '  kubectl gc-tree unblock \\',
        '    statefulset/web -n shop --remedy \\',
        '    clear-block/pod/web-2\n',
      ].join('\n'),
    );
  });

  it('has no backslash where it fits to the last column', () => {
    expect(printLine(TextLine.command('', [{ words: ['kubectl', 'gc-tree'] }], 'info', 2), look(15))).toBe(
      'kubectl gc-tree\n',
    );
  });

  it('does not leave the terminal for a name behind a long lead, as long as that fits by itself', () => {
    expect(printLine(TextLine.of('in ~31s  shop/a-name-that-is-so-long taken', 'plain', 9), look(30))).toBe(
      'in ~31s\n   shop/a-name-that-is-so-long\n         taken\n',
    );
    expect(printLine(TextLine.of('    shop/a-name-that-is-longer-than-that', 'plain', 2), look(30))).toBe(
      '    shop/a-name-that-is-longer-than-that\n',
    );
  });

  it('leaves sentences without one', () => {
    expect(printLine(TextLine.of('  one two three four five six', 'plain', 2), look(24))).toBe(
      '  one two three four\n  five six\n',
    );
  });
});
