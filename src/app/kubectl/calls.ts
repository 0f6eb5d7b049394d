/** kubectl's arguments for one object: words for a program, never a shell line, so that a name stays a name. */
import { requestWords } from '../../forecast/index.ts';
import { type KubeObject, typeNames } from '../../model/index.ts';
import type { KubectlCall } from '../state/kubectl-call.ts';

/** An object for kubectl. A call for it is undefined if kubectl would read its name as something else. */
type Target = Pick<KubeObject, 'type' | 'namespace' | 'name'>;

/** First lines of a followed log: a screen or two instead of days. */
const FOLLOWED_LINES = 500;

export function describeCall(object: Target): KubectlCall | undefined {
  return on(object, target => ({ verb: 'describe', words: ['describe', ...target], terminal: 'pages' }));
}

/** Lists events by name, including those of earlier objects of that name. */
export function eventsCall({ namespace, ...object }: Target): KubectlCall | undefined {
  // Events about cluster-scoped objects are in `default` or in any other namespace.
  const where = namespace === '' ? ['--all-namespaces'] : [`--namespace=${namespace}`];
  return on({ ...object, namespace: '' }, ([target = '']) => ({
    verb: 'events',
    words: ['events', `--for=${target}`, ...where],
    terminal: 'pages',
  }));
}

export function editCall(object: Target): KubectlCall | undefined {
  return on(object, target => ({ verb: 'edit', words: ['edit', ...target], terminal: 'keys' }));
}

/** Starts a shell; an undefined `container` is kubectl's default. */
export function shellCall(pod: Target, container: string | undefined): KubectlCall | undefined {
  return on(pod, target => ({
    verb: 'exec',
    words: ['exec', '--stdin', '--tty', ...target, ...named(container), '--', 'sh'],
    terminal: 'keys',
  }));
}

export type LogPart = 'follow' | 'all' | 'previous';

export interface LogWish {
  readonly part: LogPart;
  readonly container: string | undefined;
}

export function logsCall(object: Target, { part, container }: LogWish): KubectlCall | undefined {
  const which = container === EVERY ? ['--all-containers', '--prefix'] : named(container);
  const how = {
    follow: ['--follow', `--tail=${FOLLOWED_LINES}`],
    all: [],
    previous: ['--previous'],
  }[part];
  return on(object, target => ({
    verb: 'logs',
    words: ['logs', ...target, ...which, ...how],
    terminal: part === 'follow' ? 'stream' : 'pages',
  }));
}

/** Stands for all containers: no name contains a star. */
export const EVERY = '*';

function named(container: string | undefined): readonly string[] {
  return container === undefined ? [] : [`--container=${container}`];
}

function on(
  { type, namespace, name }: Target,
  call: (target: readonly string[]) => KubectlCall,
): KubectlCall | undefined {
  const target = requestWords.target(typeNames.full(type), name);
  if (target === undefined) return undefined;
  return call([target, ...(namespace === '' ? [] : [`--namespace=${namespace}`])]);
}
