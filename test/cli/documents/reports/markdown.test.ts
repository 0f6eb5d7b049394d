import { describe, expect, test } from 'vitest';
import {
  markdownBlock,
  markdownParagraph,
  markdownTable,
  markdownTitle,
} from '../../../../src/cli/documents/reports/markdown.ts';

describe('Markdown', () => {
  test('has nothing of what it is given read as markup', () => {
    expect(markdownTitle('a_b <img src=x>')).toBe('### a\\_b \\<img src=x\\>\n\n');
    expect(markdownParagraph('# not\na heading &amp; [no](link) `code` **bold** ~~x~~ a|b \\')).toBe(
      '\\# not a heading \\&amp; \\[no\\](link) \\`code\\` \\*\\*bold\\*\\* \\~\\~x\\~\\~ a\\|b \\\\\n\n',
    );
    expect(markdownParagraph('see http://a.test, www.a.test, @admin, o/r#12, $x$, WWW.A.TEST')).toBe(
      'see http<span>:</span>//a.test, www<span>.</span>a.test, <span>@</span>admin, o/r<span>#</span>12, <span>$</span>x<span>$</span>, WWW<span>.</span>A.TEST\n\n',
    );
    expect(markdownParagraph('- no list')).toBe('\\- no list\n\n');
    expect(markdownParagraph('1. no list')).toBe('1\\. no list\n\n');
  });

  test('has a table only where there are rows, each on one line', () => {
    expect([...markdownTable(['A'], [])]).toEqual([]);
    const rows = [['x|y\nz', { text: 'c_d', href: 'https://e.test/#f' }]];
    expect([...markdownTable(['A', 'B'], rows)].join('')).toBe(
      '| A | B |\n| --- | --- |\n| x\\|y z | [c\\_d](https://e.test/#f) |\n\n',
    );
  });

  test('fences lines with more backquotes than there are in them', () => {
    expect(markdownBlock('a\n')).toBe('```text\na\n```\n\n');
    expect(markdownBlock('a ```` b')).toBe('`````text\na ```` b\n`````\n\n');
  });
});
