/** Results of `wait` for pipelines: JUnit, GitHub annotations, Markdown. */
import type { Identity } from '../../../graph/index.ts';
import { counted, objectTitle, showHidden, shownName } from '../../../model/index.ts';
import { waitWords } from '../../../text/index.ts';
import type { Basis } from '../definitions.ts';
import type { Annotation } from '../reports/github.ts';
import { markdownBlock, markdownParagraph, markdownTable, markdownTitle } from '../reports/markdown.ts';
import { printXml, type XmlElement } from '../reports/xml.ts';
import type { WaitItem, WaitResult } from './wait-result.ts';

const TITLE = 'kubectl gc-tree wait';

/** Prints a case per object and one for the whole, because some readers reject a report without a case. */
export function printWaitJunit(result: WaitResult, { takenAt }: Basis): Iterable<string> {
  const { items } = result;
  const cases = [wholeCase(result), ...items.map(each => testCase(each, result))];
  const attributes = {
    name: TITLE,
    tests: cases.length,
    failures: items.filter(({ outcome }) => outcome === 'Remaining').length,
    errors: items.filter(({ outcome }) => outcome === 'Unknown').length,
  };
  const suite: XmlElement = {
    name: 'testsuite',
    // JUnit's timestamps have no zone.
    attributes: { ...attributes, skipped: 0, timestamp: takenAt.replace(/Z$/u, '') },
    children: cases,
  };
  return printXml({ name: 'testsuites', attributes, children: [suite] });
}

function wholeCase({ items }: WaitResult): XmlElement {
  return {
    name: 'testcase',
    attributes: { classname: 'wait', name: `${counted(items.length, 'object')} waited for`, time: 0 },
    children: [{ name: 'system-out', children: waitWords.summary(items) }],
  };
}

function testCase(item: WaitItem, { timeoutMilliseconds }: WaitResult): XmlElement {
  const took =
    'milliseconds' in item ? item.milliseconds : item.outcome === 'Absent' ? 0 : timeoutMilliseconds;
  const message = waitWords.sentence(item, timeoutMilliseconds);
  const failing = item.outcome === 'Remaining' || item.outcome === 'Unknown';
  return {
    name: 'testcase',
    attributes: {
      classname: `${shownName(item.object.namespace) || 'cluster'}.wait`,
      name: `${objectTitle(item.object)} is deleted`,
      time: took / 1000,
    },
    children: [
      failing
        ? {
            name: item.outcome === 'Unknown' ? 'error' : 'failure',
            attributes: { type: typeOf(item), message },
            children: [message, ...detailsOf(item)].join('\n'),
          }
        : { name: 'system-out', children: message },
    ],
  };
}

function typeOf(item: WaitItem): string {
  return (item.outcome === 'Remaining' ? item.answer.findings[0]?.code : undefined) ?? item.outcome;
}

/** Returns the chain to the deciding object, and the evidence. */
function detailsOf(item: WaitItem): string[] {
  if (item.outcome !== 'Remaining') return [];
  const { chain, because } = item.answer;
  return [
    ...chain.map(({ object, by, finalizer, because: why }) => {
      const what = finalizer === undefined ? objectTitle(object) : `finalizer ${finalizer}`;
      return `  ${showHidden(`${by === '' ? '' : `${by} `}${what}: ${why}`)}`;
    }),
    ...because.map(each => `  ${showHidden(each)}`),
  ];
}

export function* waitAnnotations(
  result: WaitResult,
  whyOf: (object: Identity) => string | undefined,
): Generator<Annotation> {
  const { items, timeoutMilliseconds } = result;
  for (const item of items) {
    const { outcome, object } = item;
    const failing = outcome === 'Remaining' || outcome === 'Unknown';
    if (!failing && outcome !== 'Recreated') continue;
    const sentence = waitWords.sentence(item, timeoutMilliseconds);
    yield {
      level: failing ? 'error' : 'notice',
      title: `${objectTitle(object)}: ${outcome === 'Recreated' ? 'recreated' : 'not deleted'}`,
      message: [sentence, outcome === 'Remaining' ? (whyOf(object) ?? []) : []].flat().join('\n'),
    };
  }
  yield { level: 'notice', title: TITLE, message: waitWords.summary(items) };
}

/** `whyText` returns the output of `why` for a remaining object. */
export function* waitMarkdown(
  { items, timeoutMilliseconds }: WaitResult,
  whyText: (item: Extract<WaitItem, { readonly outcome: 'Remaining' }>) => string,
): Generator<string> {
  yield markdownTitle(TITLE);
  yield markdownParagraph(waitWords.summary(items));
  yield* markdownTable(
    ['Object', 'Outcome', 'What is known'],
    items.map(item => [
      objectTitle(item.object),
      item.outcome,
      waitWords.sentence(item, timeoutMilliseconds),
    ]),
  );
  for (const item of items) {
    if (item.outcome !== 'Remaining') continue;
    yield markdownTitle(objectTitle(item.object));
    yield markdownBlock(whyText(item));
  }
}
