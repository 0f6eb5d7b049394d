/**
 * Nodes of pods while Nodes were listed. PodGC soon deletes pods of deleted nodes, so a list without one is doubtful.
 */
import {
  type JsonRecord,
  type KubeObject,
  list,
  objectState,
  podFacts,
  record,
  text,
  time,
} from '../../../model/index.ts';
import { HEARTBEAT_MS } from './last-sign.ts';

/** Conditions that become true only on an existing node. */
const onNode: ReadonlySet<string> = new Set(['PodScheduled', 'Ready']);

interface Stay {
  readonly pod: KubeObject;
  readonly nodeName: string;
  readonly at: number;
}

export class NodeSigns {
  readonly #stays = new Map<string, Stay>();

  note(pod: KubeObject, json: JsonRecord): void {
    const nodeName = podFacts(pod)?.nodeName ?? '';
    if (nodeName === '' || pod.deletionTimestamp !== undefined || objectState.isFinished(pod)) return;
    const conditions = list(record(json['status'])['conditions']).map(record);
    const times = conditions
      .filter(({ type, status }) => status === 'True' && onNode.has(text(type)))
      .map(each => time(each['lastTransitionTime']) ?? 0);
    const at = Math.max(0, ...times);
    if (at > (this.#stays.get(nodeName)?.at ?? 0)) this.#stays.set(nodeName, { pod, nodeName, at });
  }

  staysAround(heartbeat: number): readonly Stay[] {
    return [...this.#stays.values()].filter(({ at }) => at >= heartbeat - HEARTBEAT_MS);
  }
}
