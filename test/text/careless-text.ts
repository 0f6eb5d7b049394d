/** Slips of assembled sentences: wrong numbers of nouns and verbs, doubled punctuation, clauses without their words. */

const NOUNS =
  'object|pod|kind|namespace|finalizer|finding|problem|error|warning|owner|dependent|reference|owner reference|node|event|step|change|request|remedy|remedies|file|claim|instance|definition|handler|controller|workload|job|second|minute|hour|day';

const slips: readonly (readonly [what: string, slip: RegExp])[] = [
  [
    'a plural of one',
    new RegExp(
      `(?<![\\w.,/-])1 (?:more |other |new )?(?:${NOUNS.replaceAll('|', 's|')}s)(?! (?:healthy|ready))\\b(?![-/.]\\w)`,
      'u',
    ),
  ],
  [
    'a singular of many',
    new RegExp(
      `(?<![\\w.,:/-])(?:0|[2-9]|[1-9][\\d,]+) (?:more |other |new )?(?:${NOUNS})\\b(?![-/.]\\w)`,
      'u',
    ),
  ],
  [
    'a verb of one',
    /\b(?:is|was|has) (?:[2-9]|[1-9]\d+) (?!of\b|and\b|to\b)[A-Za-z]+s\b|\bthere is (?:0|[2-9]|[1-9]\d+)\b/u,
  ],
  [
    'doubled punctuation',
    /[,;:.!?]\s*[,;](?=\s|$)|(?<![.\s])[,;:!?]\s?\.(?=\s|$)|(?<![.\w"])\.\.(?!\.|\/)|,\s*\.(?=\s|$)|\*\*[.,;:]\*\*/u,
  ],
  [
    'an empty clause',
    /\(\s*\)|["“]["”](?=[.,;:])|\b(?:the|and|or)[.;](?=\s|$)|\b(?:by|of|in|on|the|an|to|with|and|or) [.;](?=\s|$)|\b(?:owned|held|set|deleted) by there\b/u,
  ],
  ['a doubled word', /\b(the|a|an|of|is|are|to|in|and|by|it|its) \1\b/iu],
  [
    'a wrong article',
    /(?<![-\w./])a (?:[aeio]|A[a-z]|E[a-z]|I[a-z]|O[a-z])\w*\b(?<!\ba one(?:-\w+)?)|\ban (?:[bcdfghjklmnpqrstvwxyz]|[BCDFGHJKLMNPQRSTVWXYZ][a-z])\w*\b(?<!\ban hour\w*|\ban honest\w*|\ban? S\w*)/u,
  ],
  ['a plural of a plural', /\b\w+(?:tses|odses|iess)\b/u],
];

/** The first slip with the words around it; undefined if there is none. `exempt`: words that come from outside. */
export function carelessText(text: string): string | undefined {
  for (const [what, slip] of slips) {
    const found = slip.exec(text);
    if (found === null) continue;
    const around = text.slice(Math.max(0, found.index - 70), found.index + found[0].length + 40);
    return `${what} (${JSON.stringify(found[0])}) in ${JSON.stringify(around)}`;
  }
  return undefined;
}
