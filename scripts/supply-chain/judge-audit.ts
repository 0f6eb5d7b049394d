/** What `npm audit --json` says, as far as it is about the bundle. */

export interface Judgement {
  /** For people. */
  readonly lines: readonly string[];
  readonly failed: boolean;
}

interface Vulnerability {
  readonly name: string;
  readonly severity: string;
  /** Folders of the packages that have it. */
  readonly nodes: readonly string[];
  readonly via: readonly (string | { readonly title?: string; readonly url?: string })[];
}

const failing: ReadonlySet<string> = new Set(['high', 'critical']);

/** `bundled`: folders of the packages in the bundle, as in the lock file. */
export function judgeAudit(report: string, bundled: ReadonlySet<string>): Judgement {
  const answer = parsed(report);
  if (answer === undefined) return { lines: ['npm audit: no answer that can be read.'], failed: true };
  const { vulnerabilities } = answer;
  if (vulnerabilities === undefined)
    return {
      lines: [`npm audit: SKIPPED, the registry doesn't say what it knows (${reason(answer)}).`],
      failed: false,
    };
  const lines: string[] = [];
  let failed = false;
  for (const each of Object.values(vulnerabilities)) {
    const inBundle = each.nodes.some(node => bundled.has(node));
    const fails = inBundle && failing.has(each.severity);
    failed ||= fails;
    const where = inBundle ? 'in the bundle' : 'used for building and testing';
    lines.push(`${fails ? 'FAILED' : 'known'}: ${each.name}, ${each.severity}, ${where}${titles(each)}`);
  }
  const none = `npm audit: nothing known against the ${bundled.size} packages in the bundle.`;
  return { lines: lines.length === 0 ? [none] : lines, failed };
}

interface Answer {
  readonly vulnerabilities?: Readonly<Record<string, Vulnerability>>;
  readonly message?: unknown;
  readonly error?: { readonly summary?: unknown };
}

function parsed(report: string): Answer | undefined {
  try {
    const answer: unknown = JSON.parse(report);
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}

function reason({ message, error }: Answer): string {
  const words = typeof message === 'string' && message !== '' ? message : error?.summary;
  return typeof words === 'string' && words !== '' ? words : 'no reason given';
}

function titles({ via }: Vulnerability): string {
  const told = via.flatMap(each =>
    typeof each === 'string' ? [] : [`${each.title ?? ''} ${each.url ?? ''}`.trim()],
  );
  return told.length === 0 ? '' : `: ${told.join('; ')}`;
}
