/** Taking an entry back, as an action like any other: forecast, examined, confirmed and journalled itself. */
import type { ApplicableRemedy } from '../../forecast/remedy.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { objectFromJson } from '../../model/json/from-json.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import { play } from '../../simulation/api/rest.ts';
import type { ApiAnswer, ApiClient } from '../../simulation/api/types.ts';
import type { Entry } from '../journal/record.ts';
import type { UndoIntent } from '../prepare/intent.ts';
import { withNewOwners } from '../run/carry-out.ts';
import type { KeptObject } from './makers.ts';
import type { Undo } from './undo.ts';

/** Undefined where there is nothing to do. */
export function undoIntent(
  entry: Entry,
  undo: Undo,
  kept: readonly KeptObject[],
  view: ClusterView,
): UndoIntent | undefined {
  const target = targetOf(entry, kept, view);
  if (target === undefined || undo.requests.length === 0) return undefined;
  const { id } = entry.intended;
  const { requests, does } = undo;
  return { verb: 'undo', entry: id, target, requests, does, remedy: trial(id, undo, view) };
}

function targetOf(
  { intended }: Entry,
  kept: readonly KeptObject[],
  view: ClusterView,
): KubeObject | undefined {
  const { object } = intended;
  const living = view.graph.get(object.uid)?.object;
  if (living !== undefined) return living;
  const type = view.catalog.resolveKind(object.apiVersion, object.kind);
  const json = kept.find(each => each.object.uid === object.uid)?.json;
  return type === undefined || json === undefined ? undefined : objectFromJson(type, json);
}

function trial(id: string, undo: Undo, view: ClusterView): ApplicableRemedy {
  return {
    id: `undo/${id}`,
    title: undo.does.join('; '),
    risk: 'caution',
    effect: '',
    requests: [],
    kubectl: [],
    apply: (api: ApiClient): readonly ApiAnswer[] => {
      const asked = api.because(`undo ${id}`);
      const born = new Map<string, string>();
      const answers: ApiAnswer[] = [];
      for (const request of undo.requests) {
        const { formerUid } = request;
        const answer = play(asked, withNewOwners(request, born), {
          types: view.catalog.types,
          ...(formerUid === undefined ? {} : { newUid: forecastUid(formerUid) }),
        });
        answers.push(answer);
        if (!answer.ok) break;
        if (formerUid !== undefined) born.set(formerUid, forecastUid(formerUid));
      }
      return answers;
    },
  };
}

/** The uid by which a forecast speaks of an object that will be made again: its new one isn't known before. */
export function forecastUid(formerUid: string): Uid {
  return `again-${formerUid}` as Uid;
}
