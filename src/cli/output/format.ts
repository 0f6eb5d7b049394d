/** Which of the output formats each command takes: not every document can be drawn, and a drawing is no report. */
import { UsageError } from '../runtime/errors.ts';
import type { OutputFormat } from '../runtime/flags.ts';

const diagrams = ['dot', 'mermaid'] as const;
const reports = ['junit', 'sarif'] as const;

type Diagram = (typeof diagrams)[number];
type Report = (typeof reports)[number];

export type TreeFormat = Exclude<OutputFormat, Report>;
export type CheckFormat = Exclude<OutputFormat, Diagram>;
export type DocumentFormat = Exclude<OutputFormat, Diagram | Report>;

/** Throws a `UsageError` for a format that isn't for trees. */
export function treeFormat(format: OutputFormat = 'text'): TreeFormat {
  if (isReport(format))
    throw new UsageError(`-o ${format} is for check. Use -o text, wide, json, yaml, name, dot or mermaid.`);
  return format;
}

/** Throws a `UsageError` for a format that isn't for findings. */
export function checkFormat(format: OutputFormat = 'text'): CheckFormat {
  if (isDiagram(format))
    throw new UsageError(
      `findings cannot be drawn as ${format}. Use -o text, wide, json, yaml, name, junit or sarif.`,
    );
  return format;
}

/** Throws a `UsageError` for a format that isn't for the answer to why. */
export function whyFormat(format: OutputFormat = 'text'): DocumentFormat {
  return documentFormat('an answer', format);
}

/** Throws a `UsageError` for a format that isn't for PodGC's candidates. */
export function podGcFormat(format: OutputFormat = 'text'): DocumentFormat {
  return documentFormat('a list of pods', format);
}

function documentFormat(what: string, format: OutputFormat): DocumentFormat {
  if (isDiagram(format))
    throw new UsageError(`${what} cannot be drawn as ${format}. Use -o text, wide, json, yaml or name.`);
  if (isReport(format))
    throw new UsageError(`-o ${format} is for check. Use -o text, wide, json, yaml or name.`);
  return format;
}

function isDiagram(format: OutputFormat): format is Diagram {
  return diagrams.some(each => each === format);
}

function isReport(format: OutputFormat): format is Report {
  return reports.some(each => each === format);
}
