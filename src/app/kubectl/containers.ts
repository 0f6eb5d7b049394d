/** Reads a pod's containers and lists choices for logs and a shell. */
import { counted, list, record, shownName, text, truth } from '../../model/index.ts';
import type { JsonObject } from '../../source/index.ts';
import type { Container } from '../state/kubectl-call.ts';
import type { PickerItem } from '../state/state.ts';
import { EVERY, type LogPart, type LogWish } from './calls.ts';

const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';

/** Lists kubectl's default first; init and ephemeral containers come last. */
export function containersOf(pod: JsonObject): readonly Container[] {
  const spec = record(pod['spec']);
  const status = record(pod['status']);
  const read = (fields: string, statuses: string, kind: Container['kind']): Container[] =>
    list(spec[fields]).map(each => containerOf(record(each), kind, list(status[statuses])));
  const first = text(record(record(pod['metadata'])['annotations'])[DEFAULT_CONTAINER]);
  const main = read('containers', 'containerStatuses', 'container');
  return [
    ...main.filter(({ name }) => name === first),
    ...main.filter(({ name }) => name !== first),
    ...read('ephemeralContainers', 'ephemeralContainerStatuses', 'ephemeral container'),
    ...read('initContainers', 'initContainerStatuses', 'init container'),
  ];
}

function containerOf(spec: JsonObject, kind: Container['kind'], statuses: readonly unknown[]): Container {
  const name = text(spec['name']);
  const status = record(statuses.find(each => text(record(each)['name']) === name));
  const state = record(status['state']);
  const { running, waiting, terminated } = state;
  const restarts = status['restartCount'];
  return {
    name,
    kind: kind === 'init container' && spec['restartPolicy'] === 'Always' ? 'sidecar' : kind,
    state:
      running !== undefined
        ? 'running'
        : terminated !== undefined
          ? 'ended'
          : waiting !== undefined
            ? 'waiting'
            : 'not started',
    reason: text(record(terminated ?? waiting)['reason']),
    restarts: typeof restarts === 'number' ? restarts : 0,
    ranBefore: truth(record(status['lastState'])['terminated'] !== undefined),
  };
}

const parts: Readonly<Record<LogPart, string>> = {
  follow: 'follow',
  all: 'all so far',
  previous: 'before its last restart',
};

export function logItems(containers: readonly Container[]): PickerItem[] {
  const items = containers.map(container => {
    const { name, ranBefore } = container;
    const offered: readonly LogPart[] = ranBefore ? ['follow', 'all', 'previous'] : ['follow', 'all'];
    return offered.map(part => item({ part, container: name }, shownName(name), wordsOf(container)));
  });
  const [first = [], ...others] = items;
  if (others.length === 0) return first;
  const every = (['follow', 'all'] as const).map(part =>
    item({ part, container: EVERY }, 'all containers', counted(containers.length, 'container')),
  );
  return [...first, ...every, ...others.flat()];
}

function item(wish: LogWish, who: string, hint: string): PickerItem {
  return { id: idOf(wish), label: `${who}: ${parts[wish.part]}`, hint };
}

export function shellItems(containers: readonly Container[]): PickerItem[] {
  return containers
    .filter(({ state }) => state === 'running')
    .map(container => ({
      id: container.name,
      label: shownName(container.name),
      hint: wordsOf(container),
    }));
}

function wordsOf({ kind, state, reason, restarts }: Container): string {
  const why = reason === '' ? '' : `: ${shownName(reason)}`;
  const again = restarts === 0 ? '' : `, ${counted(restarts, 'restart')}`;
  return `${kind === 'container' ? '' : `${kind}, `}${state}${why}${again}`;
}

function idOf({ part, container = '' }: LogWish): string {
  return `${part} ${container}`;
}

export function wishOf(id: string): LogWish {
  const [part = '', container = ''] = id.split(' ');
  const known = Object.hasOwn(parts, part) ? (part as LogPart) : 'all';
  return { part: known, container: container === '' ? undefined : container };
}
