/** A forecast as GitHub annotations and as Markdown. */
import type { Forecast } from '../../../forecast/index.ts';
import { showHidden } from '../../../model/index.ts';
import { planWords, warningWords } from '../../../text/index.ts';
import type { Annotation } from './github.ts';
import { markdownBlock, markdownParagraph, markdownTitle } from './markdown.ts';

const TITLE = 'kubectl gc-tree plan';

export interface Beside {
  readonly failure: string | undefined;
  /** Sanitised sentences about targets in files that the cluster lacks, with their places. */
  readonly missing: readonly Pick<Annotation, 'message' | 'place'>[];
}

export function* forecastAnnotations(
  forecast: Forecast,
  { failure, missing }: Beside,
): Generator<Annotation> {
  const { outcome, alarms } = forecast;
  const isBad = outcome === 'Stuck' || outcome === 'Refused';
  if (failure !== undefined) yield { level: 'error', title: TITLE, message: failure };
  for (const each of missing) yield { level: 'warning', title: TITLE, ...each };
  for (const sentence of warningWords.sentences(alarms))
    yield { level: 'warning', title: TITLE, message: showHidden(sentence) };
  yield { level: isBad ? 'warning' : 'notice', title: TITLE, message: planWords.title(forecast) };
}

/** `text` is the output of `-o text`. */
export function* forecastMarkdown(
  forecast: Forecast,
  text: Iterable<string>,
  { failure, missing }: Beside,
): Generator<string> {
  yield markdownTitle(TITLE);
  yield markdownParagraph(planWords.title(forecast));
  if (failure !== undefined) yield markdownParagraph(failure);
  for (const { message } of missing) yield markdownParagraph(message);
  yield markdownBlock([...text].join(''));
}
