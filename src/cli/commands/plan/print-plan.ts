import type { Forecast } from '../../../forecast/index.ts';
import { planWords } from '../../../text/index.ts';
import { paintedLines, paintTree } from '../../documents/plan/painted-tree.ts';
import { planDocument } from '../../documents/plan/plan-document.ts';
import { printPlan } from '../../documents/plan/plan-text.ts';
import { printDot, printMermaid } from '../../documents/print/diagram.ts';
import { printDeletedNames, printDocument } from '../../documents/print/document.ts';
import { printHtml, printSvg } from '../../documents/print/picture.ts';
import { foldLine } from '../../documents/print/print-lines.ts';
import { forecastAnnotations, forecastMarkdown } from '../../documents/reports/forecast.ts';
import { printAnnotations } from '../../documents/reports/github.ts';
import { treeContext } from '../../documents/tree/ownership-tree.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { glyphsFor, lineLook } from '../../runtime/format.ts';
import type { FormatOf } from '../../runtime/output-formats.ts';
import { repositoryFolder } from '../../runtime/step-summary.ts';
import { onSameCluster } from '../../session/same-source.ts';
import type { ClusterSession } from '../../session/session.ts';
import { type AbsentManifest, absentSentence } from '../../targets/manifests.ts';

/** Columns of a picture's sentences; trees may be wider. */
const PICTURE_COLUMNS = 120;

export interface ForecastPrint {
  readonly session: ClusterSession;
  readonly namespace: string | undefined;
  readonly failure: string | undefined;
  /** Files' objects that the cluster lacks; undefined if no files name targets. */
  readonly absent: readonly AbsentManifest[] | undefined;
}

/** Pictures always show the tree. */
export function printForecast(
  forecast: Forecast,
  format: FormatOf<'plan'>,
  { flags, io }: CommandContext,
  { session, namespace, failure, absent }: ForecastPrint,
): Iterable<string> {
  const painted = () => paintTree(session.view.graph, forecast);
  const text = (withTree: boolean) => ({
    wide: format === 'wide',
    steps: flags.steps === true,
    ...(withTree
      ? { tree: paintedLines(painted(), { glyphs: glyphsFor(flags), wide: format === 'wide' }) }
      : {}),
    command: (kubectl: Forecast['kubectl']) => onSameCluster(kubectl, flags),
  });
  const lines = () =>
    [...planWords.lines(forecast, text(true))].flatMap(line => foldLine(line, PICTURE_COLUMNS));
  const missing = absent?.map(each => ({ message: absentSentence(each), place: each.place })) ?? [];
  switch (format) {
    case 'text':
    case 'wide':
      return printPlan(forecast, { ...lineLook({ flags, io }), ...text(flags.tree === true) });
    case 'github':
      return printAnnotations([...forecastAnnotations(forecast, { failure, missing })], repositoryFolder(io));
    case 'markdown': {
      const look = { colour: false, ascii: flags.ascii === true, width: undefined };
      return forecastMarkdown(forecast, printPlan(forecast, { ...look, ...text(flags.tree === true) }), {
        failure,
        missing,
      });
    }
    case 'json':
    case 'yaml':
      return printDocument(planDocument(session.basis(), forecast, absent), format);
    case 'name':
      return printDeletedNames(forecast, namespace);
    case 'dot':
    case 'mermaid': {
      const { selection, fates } = painted();
      const draw = format === 'dot' ? printDot : printMermaid;
      return draw(selection, treeContext(session.view), fates);
    }
    case 'svg':
      return printSvg(lines(), planWords.title(forecast));
    case 'html':
      return printHtml(lines(), planWords.title(forecast));
  }
}
