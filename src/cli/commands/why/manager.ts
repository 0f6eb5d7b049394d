/** Fetches kube-controller-manager's reports if an answer calls its collector late. */
import { managerSigns } from '../../../collector/index.ts';
import { collectorReports } from '../../../diagnosis/index.ts';
import { CollectorMetrics, ManagerPage } from '../../../model/index.ts';
import type { WhyAnswer } from '../../../text/index.ts';
import type { ClusterSession } from '../../session/session.ts';

/** Milliseconds: most managers can't be reached at all. */
const PATIENCE_MILLISECONDS = 2_000;

export class ManagerReports {
  readonly #session: ClusterSession;
  #lines: Promise<readonly string[]> | undefined;

  constructor(session: ClusterSession) {
    this.#session = session;
  }

  async in(answer: WhyAnswer): Promise<WhyAnswer> {
    const { telling } = answer;
    if (telling === undefined || !collectorReports.lateCodes.has(telling.code)) return answer;
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
    const pod = managerSigns.leader(view)?.name;
    if (pod === undefined || source.managerPage === undefined) return [];
    const signal = AbortSignal.timeout(PATIENCE_MILLISECONDS);
    const pages = Promise.all([
      source.managerPage(pod, 'metrics', signal),
      source.managerPage(pod, 'flagz', signal),
    ]);
    const [metrics, flagz] = await this.#session.until(pages);
    const known = metrics === undefined ? undefined : CollectorMetrics.read(metrics);
    return [
      ...(known === undefined ? [] : collectorReports.metricsEvidence(pod, known)),
      ...collectorReports.flagsEvidence(pod, flagz === undefined ? [] : ManagerPage.flags(flagz)),
    ];
  }
}
