/** Writes a GitHub Actions job's Markdown summary, a file that steps append to. */
import { appendFileSync, statSync } from 'node:fs';
import type { CommandContext } from './command.ts';
import { warn } from './say.ts';

/** GitHub rejects a step's larger summary as a whole. */
const MOST_BYTES = 1024 * 1024;
const CUT = '\n\n… The rest is left out: a summary has at most 1 MiB.\n';

export function repositoryFolder({ env }: CommandContext['io']): string {
  return env['GITHUB_WORKSPACE'] || process.cwd();
}

/** Appends to the file in GITHUB_STEP_SUMMARY, if set. A failure is only reported, and the exit code stays. */
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
