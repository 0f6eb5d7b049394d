/**
 * Every answer about something that is stuck ends in something to do, if only in whom to ask: on each object that stays and
 * is being deleted, and in each finding that is more than worth knowing. What it costs to take a finalizer off an object
 * is told in the same words, whichever finding offers it.
 */
import type { Diagnosis } from '../../../src/diagnosis/engine/diagnosis.ts';
import { isApplicable } from '../../../src/diagnosis/engine/finding.ts';
import { explain } from '../../../src/diagnosis/explain/explanation.ts';
import type { ApplicableRemedy } from '../../../src/forecast/action.ts';
import { record } from '../../../src/model/json/json.ts';
import { nameIn, type TruthState, type Violation } from './state.ts';

export function* withoutRemedy(
  state: Pick<TruthState, 'calm' | 'diagnosis' | 'player' | 'view'>,
): IterableIterator<Violation> {
  const { calm, diagnosis, view } = state;
  for (const finding of diagnosis.all())
    if (finding.severity !== 'info' && finding.remedies().length === 0)
      yield {
        rule: 'something to do',
        what: `${finding.code} on ${nameIn(state, finding.object.uid)} offers nothing: ${finding.message}`,
      };
  for (const { object, waitingFor } of calm.terminating) {
    const node = view.graph.get(object.uid);
    if (node?.object?.deletionTimestamp === undefined) continue;
    const { summary, remedies } = explain(diagnosis, node);
    if (remedies().length === 0)
      yield {
        rule: 'something to do',
        what: `${nameIn(state, object.uid)} waits for ${waitingFor.join('; ')}, and the answer offers nothing: ${summary}`,
      };
  }
}

/** `what` is told of each removal, with what it says that it costs. */
export function* differentCosts(
  state: Pick<TruthState, 'diagnosis' | 'player' | 'view'>,
  seen: (what: string, cost: string) => void = () => {},
): IterableIterator<Violation> {
  const costs = new Map<string, Map<string, string>>();
  for (const [code, remedy] of removals(state.diagnosis)) {
    const [, what = '', cost = ''] = /^(remove .+? from .+?): (.+)$/u.exec(remedy.title) ?? [];
    if (what === '') continue;
    const key = JSON.stringify(remedy.requests.map(({ path, body }) => [path, body]));
    seen(what, cost);
    const told = costs.get(key) ?? new Map<string, string>();
    costs.set(key, told.set(cost, `${code}: ${remedy.title}`));
  }
  for (const told of costs.values())
    if (told.size > 1) yield { rule: 'one cost', what: [...told.values()].join(' | ') };
}

/** One finalizer off one object, and of no other sort. */
function* removals(diagnosis: Diagnosis): IterableIterator<[string, ApplicableRemedy]> {
  for (const { code, remedies } of diagnosis.all())
    for (const remedy of remedies().filter(isApplicable)) {
      const [request, ...others] = remedy.requests;
      const operations = Array.isArray(request?.body) ? (request.body as readonly unknown[]) : [];
      const takesOff = operations.some(each => {
        const { op, path } = record(each);
        return op === 'remove' && String(path).startsWith('/metadata/finalizers/');
      });
      if (takesOff && others.length === 0) yield [code, remedy];
    }
}
