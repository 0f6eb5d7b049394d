/** What the flags of `check` ask for; no cluster is needed to tell that they make sense. */
import { type FindingCode, findingCodes, isFindingCode } from '../../../diagnosis/engine/codes.ts';
import { closestWords } from '../../../model/text/closest-words.ts';
import { type CheckFormat, checkFormat } from '../../output/format.ts';
import { UsageError } from '../../runtime/errors.ts';
import { type FailLevel, type Flags, failLevels, filesFlag } from '../../runtime/flags.ts';
import { parseTargets, type TargetQuery } from '../../targets/targets.ts';

export interface CheckRequest {
  readonly query: TargetQuery;
  readonly format: CheckFormat;
  readonly failOn: FailLevel;
  /** Whether documents say what each remedy would do. */
  readonly effects: boolean;
  /** Whether findings with this code are told of. */
  asksFor(code: FindingCode): boolean;
}

/** Throws a `UsageError` for unknown codes, and for formats and flags that don't go together. */
export function parseCheck(targets: readonly string[], flags: Flags): CheckRequest {
  const format = checkFormat(flags.output);
  if (flags.watch === true && (format === 'junit' || format === 'sarif'))
    throw new UsageError(`a report in ${format} is made once: leave --watch out.`);
  if (flags.watch === true && flags.failOnEmpty === true)
    throw new UsageError('--watch waits for what comes: leave --fail-on-empty out.');
  if (flags.watch === true && filesFlag(flags) !== undefined)
    throw new UsageError("--watch needs something that changes: files don't.");
  const only = codesOf('--codes', flags.codes);
  const without = codesOf('--exclude-codes', flags.excludeCodes) ?? new Set();
  return {
    query: parseTargets(targets, flags),
    format,
    // The command line takes no other word.
    failOn: failLevels.find(level => level === flags.failOn) ?? 'warning',
    effects: flags.effects !== false,
    asksFor: code => (only?.has(code) ?? true) && !without.has(code),
  };
}

/** Codes in any case, separated by commas. */
function codesOf(flag: string, lists: readonly string[] | undefined): ReadonlySet<FindingCode> | undefined {
  if (lists === undefined) return undefined;
  const codes = new Set<FindingCode>();
  for (const word of lists.flatMap(list => list.split(','))) {
    const name = word.trim();
    if (name !== '') codes.add(codeOf(flag, name));
  }
  if (codes.size === 0) throw new UsageError(`${flag} needs a code, such as ${findingCodes[0] ?? ''}.`);
  return codes;
}

function codeOf(flag: string, word: string): FindingCode {
  if (isFindingCode(word)) return word;
  const lower = word.toLowerCase();
  const same = findingCodes.find(code => code.toLowerCase() === lower);
  if (same !== undefined) return same;
  const near = closestCodes(word);
  const hint =
    near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'docs/diagnosis.md lists the codes there are.';
  throw new UsageError(`${flag}: there is no finding ${JSON.stringify(word)}. ${hint}`);
}

/** Codes that are nearly spelt like the word, else those that contain it or begin like it. */
function closestCodes(word: string): string[] {
  const near = closestWords(word, findingCodes);
  if (near.length > 0) return near;
  const lower = word.toLowerCase();
  return findingCodes.filter(code => code.toLowerCase().includes(lower)).slice(0, 3);
}
