/** FindingList as text on a terminal. */
import type { Finding } from '../../diagnosis/engine/finding.ts';
import { type CheckColumns, type CheckTextOptions, checkLines } from '../../text/diagnosis/check.ts';
import { type LineLook, printLine } from '../print/lines.ts';

export type PrintFindingsOptions = CheckTextOptions & LineLook;

export function* printFindings(
  findings: readonly Finding[],
  columns: CheckColumns,
  options: PrintFindingsOptions,
): Generator<string> {
  // Columns fit already; only paragraphs are folded.
  const look = columns === undefined ? options : { ...options, width: undefined };
  for (const line of checkLines(findings, columns, options)) yield printLine(line, look);
}
