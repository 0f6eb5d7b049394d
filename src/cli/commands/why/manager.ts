/** What kube-controller-manager itself reports, asked where an answer says that its collector is late, and nowhere else. */
import { leadingManager } from '../../../collector/manager.ts';
import { collectorIsLate, flagsEvidence, metricsEvidence } from '../../../diagnosis/manager/reports.ts';
import { readCollectorMetrics, readFlagz } from '../../../model/exchange/manager-pages.ts';
import type { WhyAnswer } from '../../../text/diagnosis/why.ts';
import type { ClusterSession } from '../../session/session.ts';

/** Milliseconds: most managers cannot be reached at all, and nobody waits for that. */
const PATIENCE_MILLISECONDS = 2_000;

/** Asks once for all answers; undefined where there is nobody to ask, or nothing is shown. */
export class ManagerReports {
  readonly #session: ClusterSession;
  #lines: Promise<readonly string[]> | undefined;

  constructor(session: ClusterSession) {
    this.#session = session;
  }

  /** The answer with what the manager reports among its evidence. */
  async in(answer: WhyAnswer): Promise<WhyAnswer> {
    const { telling } = answer;
    if (telling === undefined || !collectorIsLate.has(telling.code)) return answer;
    this.#lines ??= this.#ask();
    const lines = await this.#lines;
    if (lines.length === 0) return answer;
    const told = { ...telling, evidence: [...telling.evidence, ...lines] };
    return {
      ...answer,
      telling: told,
      because: [...answer.because, ...lines],
      findings: answer.findings.map(each => (each === telling ? told : each)),
    };
  }

  async #ask(): Promise<readonly string[]> {
    const { source, view } = this.#session;
    const pod = leadingManager(view)?.name;
    if (pod === undefined || source.managerPage === undefined) return [];
    const signal = AbortSignal.timeout(PATIENCE_MILLISECONDS);
    const pages = Promise.all([
      source.managerPage(pod, 'metrics', signal),
      source.managerPage(pod, 'flagz', signal),
    ]);
    const [metrics, flagz] = await this.#session.until(pages);
    const known = metrics === undefined ? undefined : readCollectorMetrics(metrics);
    return [
      ...(known === undefined ? [] : metricsEvidence(pod, known)),
      ...flagsEvidence(pod, flagz === undefined ? [] : readFlagz(flagz)),
    ];
  }
}
