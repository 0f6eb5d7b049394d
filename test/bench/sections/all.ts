/** The sections of the bench, in the order of their rows. Those without a cluster are processes that print theirs. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Row } from '../figures.ts';
import { measurePrograms, measureTargets } from './commands.ts';
import { measureDistribution, measureOnCluster } from './distribution.ts';
import { measureEvents } from './events.ts';
import { measureGuard } from './guard.ts';
import { measureLoading } from './loading.ts';
import { measurePainting, measureTurns } from './painting.ts';
import {
  measureForecastOnScreen,
  measureIdle,
  measureKeys,
  measureNamespace,
  measureSearch,
} from './screen.ts';
import type { Section } from './section.ts';
import { measureServe } from './serve.ts';
import { measureStart } from './start.ts';

export const sections: readonly Section[] = [
  { name: 'programs', about: '--help, version, first frame', on: 'cluster', measure: measurePrograms },
  { name: 'targets', about: 'one object, beside others’ tools', on: 'cluster', measure: measureTargets },
  { name: 'namespace', about: 'start to the first tree', on: 'cluster', measure: measureNamespace },
  {
    name: 'loading',
    about: 'keys while the rest is read',
    on: 'cluster',
    measure: measureLoading,
    apart: true,
    multiplies: true,
  },
  {
    name: 'start',
    about: 'start to graph and facts, memory',
    on: 'cluster',
    measure: measureStart,
    multiplies: true,
  },
  {
    name: 'first-forecast',
    about: "the screen's first forecast",
    on: 'cluster',
    measure: measureForecastOnScreen,
  },
  {
    name: 'search',
    about: 'letters of a search',
    on: 'cluster',
    measure: measureSearch,
    apart: true,
    multiplies: true,
  },
  {
    name: 'idle',
    about: 'nothing happens for a minute',
    on: 'cluster',
    measure: measureIdle,
    multiplies: true,
  },
  {
    name: 'serve',
    about: 'memory and requests of the server',
    on: 'cluster',
    measure: measureServe,
  },
  { name: 'events', about: '2,000 watch events a second', on: 'cluster', measure: measureEvents },
  {
    name: 'guard',
    about: 'deletions with and without serve --guard',
    on: 'cluster',
    measure: measureGuard,
  },
  // It makes objects of its own, which the others would find.
  {
    name: 'keys',
    about: 'keys in each view',
    on: 'cluster',
    measure: measureKeys,
    apart: true,
    multiplies: true,
  },
  {
    name: 'painting',
    about: 'another policy, painted on a tree of 5,000',
    on: 'memory',
    measure: measurePainting,
  },
  {
    name: 'turns',
    about: 'keys while 10,000 objects are forecast',
    on: 'memory',
    measure: measureTurns,
  },
  {
    name: 'forecast',
    about: 'a forecast of 10,000 objects, in memory',
    on: 'memory',
    measure: () => rowsOfScript('forecast-bench.ts'),
  },
  {
    name: 'distribution',
    about: 'from the clone, from an archive, as one executable, on Bun',
    on: 'memory',
    measure: measureDistribution,
  },
  {
    name: 'distribution-cluster',
    about: 'the same, with all facts of a cluster',
    on: 'cluster',
    measure: measureOnCluster,
  },
  {
    name: 'podgc',
    about: 'a node’s change in the PodGC view, in memory',
    on: 'memory',
    measure: () => rowsOfScript('podgc-view-bench.ts'),
  },
];
export const order = sections.map(({ name }) => name);

// The young generation as small as the product keeps it.
const flags = ['--expose-gc', '--semi-space-growth-factor=1'];

/** The rows that the script prints as JSON. Rejects where it fails. */
async function rowsOfScript(name: string): Promise<Row[]> {
  const script = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script]);
  return JSON.parse(stdout) as Row[];
}
