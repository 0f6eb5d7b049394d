/**
 * What kubectl is asked to do with one object: words for a program, never a line for a shell, so that whatever stands in a
 * name stays a name.
 */
import { targetWord } from '../../forecast/requests.ts';
import type { KubeObject } from '../../model/object.ts';
import { fullResourceName } from '../../model/types/type-catalog.ts';

export interface KubectlCall {
  /** What it is called when it ends: `describe`, or the name of a command of the user's own. */
  readonly verb: string;
  /** Everything behind the flags that name the cluster. */
  readonly words: readonly string[];
  /**
   * - `pages`: what it prints is read page by page.
   * - `stream`: it prints until somebody presses Ctrl-C, or there is no more.
   * - `keys`: it reads the keys itself.
   */
  readonly terminal: 'pages' | 'stream' | 'keys';
}

/** What is fetched of a pod before there is something to choose from. */
export type ContainerWish = 'logs' | 'shell';

/** How kubectl ended, or why it wasn't started. */
export type KubectlEnd =
  | { readonly code: number | null; readonly signal: string | null }
  /** As a sentence. */
  | { readonly failure: string };

/** Of an object; undefined where kubectl would read another thing than its name. */
type Target = Pick<KubeObject, 'type' | 'namespace' | 'name'>;

/** What comes first of a log that is followed: a screen or two, and not the days before. */
const FOLLOWED_LINES = 500;

export function describeCall(object: Target): KubectlCall | undefined {
  return on(object, target => ({ verb: 'describe', words: ['describe', ...target], terminal: 'pages' }));
}

/** By its name: what events say of an object before it that had the same name is among them. */
export function eventsCall({ namespace, ...object }: Target): KubectlCall | undefined {
  // Those about what has no namespace are in `default`, or wherever somebody put them.
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

/** `container` undefined: the one that kubectl takes. */
export function shellCall(pod: Target, container: string | undefined): KubectlCall | undefined {
  return on(pod, target => ({
    verb: 'exec',
    words: ['exec', '--stdin', '--tty', ...target, ...named(container), '--', 'sh'],
    terminal: 'keys',
  }));
}

/** Which of its lines. */
export type LogPart = 'follow' | 'all' | 'previous';

export interface LogWish {
  readonly part: LogPart;
  /** Undefined is the one that kubectl takes, `EVERY` is all of them. */
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

/** In place of a container's name, which cannot hold a star. */
export const EVERY = '*';

function named(container: string | undefined): readonly string[] {
  return container === undefined ? [] : [`--container=${container}`];
}

function on(
  { type, namespace, name }: Target,
  call: (target: readonly string[]) => KubectlCall,
): KubectlCall | undefined {
  const target = targetWord(fullResourceName(type), name);
  if (target === undefined) return undefined;
  return call([target, ...(namespace === '' ? [] : [`--namespace=${namespace}`])]);
}
