/**
 * Names as the API server takes them. Most kinds have names of DNS labels; those of RBAC, and of some more, may hold
 * everything but `/` and `%` (k8s.io/apimachinery pkg/api/validation/path/name.go).
 */
import fc from 'fast-check';

/** What acts in one shell or another; `␣` is a blank. */
const active = pieces(
  '\' " \\ $ ` $( ${ ) ( ; & && | < > <( * ? [ ] { } {a,b} [a-z] ! !! !$ ~ # = == ^ ␣ ␣␣ , : @ + - -- --all -n',
  "$(touch␣x) `touch␣x` ;touch␣x;# ';touch␣x;' \"$(touch␣x)\" \\\\ \\' $IFS $HOME <<EOF &>x >x",
  'if for end function . _ a b web 0 7 é ß 字 \u{1f600} e\u0301 ا',
);

/** What cannot be seen, or takes something else for itself. */
const hidden = pieces(
  '\n \r \t \0 \u001b \u001b[2J \u0007 \u007f \u0085 \u009b \u00a0 \u00ad \u200b \u200d',
  '\u202e \u2066 \u2028 \ufeff \ufe0f \u3164 \u{e0041} \ue000 \u0338',
);

function pieces(...lines: readonly string[]): string[] {
  return lines.flatMap(line => line.split(' ')).map(piece => piece.replaceAll('␣', ' '));
}

function isPathSegment(name: string): boolean {
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    !/[/%]/u.test(name) &&
    name.isWellFormed() &&
    !name.includes('\0')
  );
}

function joined(pieces: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 7 }).map(parts => parts.join(''));
}

/** Every character of it can be seen and typed. */
export const visibleNames = fc
  .oneof(joined(active), fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 }))
  .filter(isPathSegment);

/** As ClusterRoles may be called. */
export const pathSegments = fc
  .oneof(
    { weight: 6, arbitrary: visibleNames },
    { weight: 3, arbitrary: joined([...active, ...hidden]) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }) },
  )
  .filter(isPathSegment);

/** As Pods and custom objects are called. */
export const subdomains = fc.stringMatching(
  /^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?)?$/u,
);

/** `example.com/Drain_2` */
export const finalizers = fc
  .tuple(subdomains, fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9_.-]{0,12}[A-Za-z0-9])?$/u))
  .map(([domain, name]) => `${domain}/${name}`);

/** The same names for one seed, so that a failure comes again. */
export function sampled<T>(names: fc.Arbitrary<T>, count: number, seed = 41): T[] {
  return fc.sample(names, { numRuns: count, seed });
}

/** `GC_TREE_NAMES=20000` is the whole of it, and takes minutes. */
export const HOW_MANY = Number(process.env['GC_TREE_NAMES'] ?? 300);

/** Milliseconds that a test of so many may take. */
export const PATIENCE = 30_000 + HOW_MANY * 100;
