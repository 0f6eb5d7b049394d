/** The Markdown summary of a job on GitHub Actions: a file that steps append to. */
import { appendFileSync, statSync } from 'node:fs';
import type { CommandContext } from './command.ts';
import { warn } from './say.ts';

/** GitHub refuses the whole summary of a step that is larger. */
const MOST_BYTES = 1024 * 1024;
const CUT = '\n\n… The rest is left out: a summary has at most 1 MiB.\n';

/** The folder of the repository, which annotations name files from. */
export function repositoryFolder({ env }: CommandContext['io']): string {
  return env['GITHUB_WORKSPACE'] || process.cwd();
}

/**
 * Appends to what GITHUB_STEP_SUMMARY names, where it names something. A summary that cannot be written is no failure of
 * the command: that is said, and the exit code stays what was found.
 */
export function appendStepSummary({ io }: Pick<CommandContext, 'io'>, markdown: Iterable<string>): void {
  const file = io.env['GITHUB_STEP_SUMMARY'] ?? '';
  if (file === '') return;
  try {
    const before = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    appendFileSync(file, within(markdown, MOST_BYTES - before));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    warn(io, `the job summary ${file} cannot be written (${reason}).`);
  }
}

/** As many whole pieces as fit. */
function within(pieces: Iterable<string>, most: number): string {
  let text = '';
  let bytes = Buffer.byteLength(CUT);
  for (const piece of pieces) {
    bytes += Buffer.byteLength(piece);
    if (bytes > most) return most < Buffer.byteLength(CUT) ? '' : text + CUT;
    text += piece;
  }
  return text;
}
