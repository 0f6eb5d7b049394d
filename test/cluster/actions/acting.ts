/** A tool that acts on a cluster, as command line and screen do, with every event and question in a test's hands. */

import { Journal } from '../../../src/actions/journal/action-journal.ts';
import type { Intent } from '../../../src/actions/prepare/action-intent.ts';
import type { Prepared } from '../../../src/actions/prepare/prepare.ts';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import { ViewSubscription } from '../../../src/actions/run/follow-forecast.ts';
import {
  actingSource,
  type Ended,
  type RunEvent,
  type RunPorts,
} from '../../../src/actions/run/run-ports.ts';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { offeredRemedies } from '../../../src/diagnosis/offers/offered-remedies.ts';
import type { Cascade } from '../../../src/forecast/action.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import { openCluster } from '../../../src/kube/open-cluster.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { PATIENCE_MS } from '../eventually.ts';

export interface Actor {
  readonly view: ClusterView;
  readonly journal: Journal;
  readonly events: readonly RunEvent[];
  /** Ports of one run; `more` takes the place of some. */
  ports(more?: Partial<RunPorts>): RunPorts;
  /** Waits until the view has the object. */
  find(kind: string, namespace: string, name: string): Promise<KubeObject>;
  /** Waits until the view is so. */
  until(isSo: (view: ClusterView) => boolean): Promise<void>;
  prepare(intent: Intent): Prepared;
  act(prepared: Prepared, more?: Partial<RunPorts>): Promise<Ended>;
  close(): Promise<void>;
}

export interface ActorOptions {
  /** Path. */
  readonly kubeconfig: string;
  /** Of the journal. */
  readonly folder: string;
}

/** Resolves when everything is listed. */
export async function openActor({ kubeconfig, folder }: ActorOptions): Promise<Actor> {
  const source = openCluster({ kubeconfig }, { env: {}, verbosity: 0, log: () => {} });
  const acting = actingSource(source);
  if (acting === undefined) throw new Error('a cluster that only can be read');
  const view = new ClusterView();
  const changes = new ViewSubscription();
  const journal = new Journal(folder);
  const events: RunEvent[] = [];
  const ports = (more: Partial<RunPorts> = {}): RunPorts => ({
    view,
    source: acting,
    journal,
    now: () => Date.now(),
    changed: (milliseconds, signal) => changes.within(milliseconds, signal),
    confirm: () => Promise.resolve(true),
    tell: event => events.push(event),
    remedyFor: (target, id) => offeredRemedies.byId(diagnoseCluster(view, Date.now()), target, id),
    context: 'test',
    secretData: false,
    timeout: PATIENCE_MS,
    ...more,
  });
  await source.start(batch => {
    view.apply(batch, Date.now());
    changes.notify();
  });
  await source.factsComplete;
  const until = async (isSo: (now: ClusterView) => boolean): Promise<void> => {
    const deadline = Date.now() + PATIENCE_MS;
    while (!isSo(view)) {
      if (Date.now() > deadline) throw new Error('the view has not become so');
      await changes.within(1000);
    }
  };
  const named = (kind: string, namespace: string, name: string): KubeObject | undefined => {
    const type = view.catalog.types.find(each => each.kind === kind && each.preferred);
    return type && view.graph.find(type, namespace, name)?.object;
  };
  return {
    view,
    journal,
    events,
    ports,
    until,
    find: async (kind, namespace, name) => {
      await until(() => named(kind, namespace, name) !== undefined);
      const found = named(kind, namespace, name);
      if (found === undefined) throw new Error(`${kind} ${name} went while it was looked for`);
      return found;
    },
    prepare: intent => actionRun.prepare(intent, { view, now: () => Date.now(), secretData: false }),
    act: (prepared, more) => actionRun.perform(prepared, ports(more)),
    close: () => source.close(),
  };
}

export function deleting(cascade: Cascade, ...targets: readonly KubeObject[]): Intent {
  return { verb: 'delete', targets, cascade };
}
