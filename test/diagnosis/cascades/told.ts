/** What is told beside a forecast about objects in files, with the specs that it wants read from the same. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { keyOfWanted, type Wanted } from '../../../src/diagnosis/cascades/cascade-context.ts';
import { type Cascades, cascadesOf } from '../../../src/diagnosis/cascades/tool-effects.ts';
import { TrackedView } from '../../../src/diagnosis/engine/tracked-view.ts';
import { genericRemedy } from '../../../src/diagnosis/remedies/generic.ts';
import type { WholeObject } from '../../../src/diagnosis/uses/users.ts';
import { createHandledForecaster } from '../../../src/diagnosis/waits/aftermath.ts';
import type { Action, Cascade } from '../../../src/forecast/action.ts';
import type { ForecasterOptions } from '../../../src/forecast/compose/forecaster.ts';
import type { AssumedEffect } from '../../../src/forecast/plan/assumed-effects.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { Sliced } from '../../../src/model/slices.ts';
import { objectTitle } from '../../../src/model/text/titles.ts';
import { readText } from '../../source/files/reading.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

/** Of any kind: tests alter them field by field. */
type Fields = ReturnType<typeof JSON.parse>;

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    finalizers?: string[];
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: object[];
    deletionTimestamp?: string;
  };
  spec?: Fields;
  status?: Fields;
}

/** The objects of a page of docs/gitops, to be changed at will. */
export function objectsOf(page: string): Manifest[] {
  const file = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'gitops', `${page}.yaml`);
  return parseAllDocuments(readFileSync(file, 'utf8')).map(each => each.toJS() as Manifest);
}

/** `Deployment shop/api` */
function titleOf({ kind, metadata: { namespace, name } }: Manifest): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** The same objects with one of them altered. */
export function altered(
  objects: readonly Manifest[],
  title: string,
  change: (object: Manifest) => void,
): Manifest[] {
  const found = structuredClone([...objects]);
  const object = found.find(each => titleOf(each) === title);
  if (object === undefined) throw new Error(`no ${title}`);
  change(object);
  return found;
}

export interface ToldOptions {
  readonly cascade?: Cascade;
  /** In place of a deletion: a remedy's id. */
  readonly remedy?: string;
  /** Whether the files are all that there is. */
  readonly closedWorld?: boolean;
  readonly scope?: ForecasterOptions['scope'];
  /** Titles of objects that may not be read whole. */
  readonly forbidden?: readonly string[];
}

export interface Told extends Cascades {
  /** `deleted automatically Deployment shop/api by Argo CD Application argocd/shop` */
  readonly lines: readonly string[];
  readonly reasons: readonly string[];
}

/** What a deletion of the object of this title brings about. */
export async function told(
  objects: readonly Manifest[],
  title: string,
  options: ToldOptions = {},
): Promise<Told> {
  const { cascade = 'background', closedWorld = true, scope = 'everything' } = options;
  const text = objects.map(each => JSON.stringify(each)).join('\n---\n');
  const { view } = await readText(text, { closedWorld });
  view.settings = { ...view.settings, standsStill: true };
  const target = objectIn(view, title);
  const action =
    options.remedy === undefined
      ? ({ verb: 'delete', cascade, targets: [target] } as const)
      : unblock(view, target, options.remedy);
  const forecast = createHandledForecaster(view, { now: NOW, scope }).forecast(action);
  const whole = new Map<string, WholeObject>();
  for (;;) {
    const cascades = Sliced.atOnce(cascadesOf(view, forecast, whole));
    if (cascades.wanted.length === 0)
      return {
        ...cascades,
        lines: cascades.effects.map(lineOf),
        reasons: cascades.unknown.map(({ by, because }) => `${by}: ${because}`),
      };
    for (const each of cascades.wanted)
      whole.set(keyOfWanted(each), read(objects, each, options.forbidden ?? []));
  }
}

function unblock(view: ClusterView, target: KubeObject, id: string): Action {
  const remedy = genericRemedy(new TrackedView(view, NOW), target, id);
  if (remedy === undefined) throw new Error(`no remedy ${id}`);
  return { verb: 'unblock', target, remedy };
}

function objectIn(view: ClusterView, title: string): KubeObject {
  for (const { object } of view.graph.nodes()) if (object && objectTitle(object) === title) return object;
  throw new Error(`no ${title}`);
}

function read(
  objects: readonly Manifest[],
  { type, namespace, name }: Wanted,
  forbidden: readonly string[],
): WholeObject {
  const json = objects.find(
    ({ kind, metadata }) =>
      kind === type.kind && metadata.name === name && (metadata.namespace ?? '') === namespace,
  );
  if (json === undefined) return { state: 'absent' };
  return forbidden.includes(titleOf(json))
    ? { state: 'unread', reason: '403' }
    : { state: 'read', json: { ...json } };
}

function lineOf({ effect, when, object, by, part, cluster }: AssumedEffect): string {
  const what = `${part === undefined ? '' : `${part} of `}${objectTitle(object)}`;
  return `${effect}${when === undefined ? '' : ` ${when}`} ${what} by ${by}${cluster === undefined ? '' : ` in ${cluster}`}`;
}
