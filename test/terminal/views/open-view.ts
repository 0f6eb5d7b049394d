/** A view of the screen, opened by its key when everything is read. */
import { programOf } from '../program.ts';
import type { Terminal, TerminalOptions } from '../terminal.ts';

const program = programOf('main');

/** `tab`: how it begins, with its key: `4 Activity`. */
export async function openView(
  tab: string,
  args: readonly string[],
  size: Partial<TerminalOptions> = {},
): Promise<Terminal> {
  const terminal = program.start(args, { cols: 160, rows: 45, ...size });
  await terminal.waitFor(/3 PodGC \d/u);
  terminal.send(tab.slice(0, 1));
  await terminal.waitFor(`[${tab}`);
  return terminal;
}
