/** How a text reaches the clipboard of terminals, of screen and of tmux, and what is said of it. */
import { describe, expect, test } from 'vitest';
import { copyText } from '../../src/ui/clipboard.ts';

const OSC = `\u001B]52;c;${Buffer.from('kubectl get pods').toString('base64')}\u0007`;

async function copied(
  env: Readonly<Record<string, string>>,
  { text = 'kubectl get pods', tmux = false } = {},
) {
  let written = '';
  const loaded: string[] = [];
  const { how } = await copyText(text, {
    env,
    write: part => {
      written += part;
    },
    tmux: given => {
      loaded.push(given);
      return Promise.resolve(tmux);
    },
  });
  return { how, written, loaded };
}

describe('a text is copied', () => {
  test('by OSC 52 where the terminal may take it', async () => {
    const { how, written } = await copied({ TERM: 'xterm-256color' });
    expect(written).toBe(OSC);
    expect(how).toBe("Sent to the terminal's clipboard by OSC 52");
  });

  test('into the buffer of tmux, which hands it on', async () => {
    const { how, written, loaded } = await copied(
      { TERM: 'tmux-256color', TMUX: '/tmp/x,1,0' },
      { tmux: true },
    );
    expect([written, loaded]).toEqual(['', ['kubectl get pods']]);
    expect(how).toBe('Copied through tmux (if it does not arrive: set -g set-clipboard on)');
  });

  test('by OSC 52 to a tmux that cannot be asked, also where TERM is screen', async () => {
    const { how, written } = await copied({ TERM: 'screen-256color', TMUX: '/tmp/x,1,0' });
    expect(written).toBe(OSC);
    expect(how).toContain('set -g set-clipboard on');
  });

  test.each([{ TERM: 'screen' }, { TERM: 'xterm', STY: '1.pts' }])(
    'through screen in strings that it passes on (%o)',
    async env => {
      const text = 'x'.repeat(2_000);
      const { written } = await copied(env as unknown as Record<string, string>, { text });
      // oxlint-disable-next-line no-control-regex
      const parts = [...written.matchAll(/\u001BP([^\u001B]*(?:\u001B\][^\u001B]*)?)\u001B\\/gu)].map(
        ([, part]) => part ?? '',
      );
      expect(parts.every(part => part.length <= 240)).toBe(true);
      expect(parts.join('')).toBe(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
    },
  );

  test.each([
    { TERM: 'linux' },
    { TERM: 'vt100' },
    { TERM: '' },
    { TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' },
    { TERM: 'xterm-256color', VTE_VERSION: '7600' },
  ])('by nobody where no clipboard can be reached, which is said (%o)', async env => {
    expect(await copied(env as unknown as Record<string, string>)).toEqual({
      how: undefined,
      written: '',
      loaded: [],
    });
  });
});

test('in Windows Terminal, which has no TERM', async () => {
  expect(await copied({ WT_SESSION: '5f1c' })).toMatchObject({ written: OSC });
});
