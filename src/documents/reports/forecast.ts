/** A forecast for a pipeline on GitHub, and as Markdown. */
import type { Forecast } from '../../forecast/plan/plan.ts';
import { showHidden } from '../../model/text/shown.ts';
import { planTitle } from '../../text/plan/plan.ts';
import { warningSentences } from '../../text/plan/warnings.ts';
import type { Annotation } from './github.ts';
import { markdownBlock, markdownParagraph, markdownTitle } from './markdown.ts';

const TITLE = 'kubectl gc-tree plan';

/** `failure`: why the forecast fails the command, undefined where it doesn't. */
export function* forecastAnnotations(forecast: Forecast, failure: string | undefined): Generator<Annotation> {
  const { outcome, alarms } = forecast;
  const isBad = outcome === 'Stuck' || outcome === 'Refused';
  if (failure !== undefined) yield { level: 'error', title: TITLE, message: failure };
  for (const sentence of warningSentences(alarms))
    yield { level: 'warning', title: TITLE, message: showHidden(sentence) };
  yield { level: isBad ? 'warning' : 'notice', title: TITLE, message: planTitle(forecast) };
}

/** `text`: the forecast as `-o text` prints it. */
export function* forecastMarkdown(
  forecast: Forecast,
  text: Iterable<string>,
  failure: string | undefined,
): Generator<string> {
  yield markdownTitle(TITLE);
  yield markdownParagraph(planTitle(forecast));
  if (failure !== undefined) yield markdownParagraph(failure);
  yield markdownBlock([...text].join(''));
}
