/** What an action on the screen knows of the cluster that it is about: as it is whenever it is asked. */
import type { Intent } from '../../actions/prepare/intent.ts';
import type { Prepared } from '../../actions/prepare/prepare.ts';
import { prepareNow } from '../../actions/run/run.ts';
import { Diagnosis } from '../../diagnosis/engine/diagnosis.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import type { Source } from '../../source/source.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { Ports } from '../session/ports.ts';

/** Backups hold the data of Secrets where the command line asks for it, not by a key. */
export const KEEPS_SECRET_DATA = false;

/** Nothing is to be done: told in one line, and no fault. */
export class Nothing extends Error {}

/** What an action is about: it stays with the cluster that it began with, whatever is shown later. */
export interface ActionPlace {
  readonly cluster: ClusterModel;
  readonly source: Source;
  /** Sleeps until the cluster's view changes. */
  readonly changed: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

export class ActingCluster {
  readonly #cluster: ClusterModel;
  readonly #ports: Pick<Ports, 'now' | 'soon'>;

  constructor(cluster: ClusterModel, ports: Pick<Ports, 'now' | 'soon'>) {
    this.#cluster = cluster;
    this.#ports = ports;
  }

  get view(): ClusterView {
    return this.#cluster.view;
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => this.#ports.now();

  /** Those that are left; throws `Nothing` where none is. */
  objects(uids: readonly Uid[]): readonly [KubeObject, ...KubeObject[]] {
    const [first, ...others] = uids.flatMap(uid => this.#cluster.node(uid)?.object ?? []);
    if (first === undefined) throw new Nothing('It is gone.');
    return [first, ...others];
  }

  /** What the screen keeps up to date, where that is through; else made anew. */
  diagnosis(): Diagnosis {
    const { problems, view } = this.#cluster;
    return problems?.diagnosis.judged === true ? problems.diagnosis : new Diagnosis(view, this.now());
  }

  /** Input that waits goes before the time that a forecast takes. */
  async prepare(intent: Intent): Promise<Prepared> {
    await this.breathe();
    return prepareNow(intent, { view: this.view, now: this.now, secretData: KEEPS_SECRET_DATA });
  }

  /** Lets input that waits go first. */
  breathe(): Promise<void> {
    return new Promise(resolve => this.#ports.soon(resolve));
  }
}
