/** What is fetched of an object when somebody asks for it: the live object as YAML, and who set what. */
import type { GraphNode } from '../../graph/node.ts';
import type { JsonObject, Source } from '../../source/source.ts';
import type { Span } from '../../text/terminal/style.ts';
import { liveObjectLines } from './live-object.ts';

type Lines = readonly (readonly Span[])[];

/** Rejects with the source's `SourceError`. */
export async function yamlOf(source: Source, { object }: GraphNode): Promise<Lines> {
  if (object === undefined) return [];
  return liveObjectLines(await source.get(object.type, object.namespace, object.name));
}

/** `now` in milliseconds since the epoch. Rejects with the source's `SourceError`. */
export async function managersOf(source: Source, { object }: GraphNode, now: number): Promise<Lines> {
  if (object === undefined) return [];
  const { type, namespace, name } = object;
  const live: JsonObject | undefined =
    source.getMetadata === undefined
      ? await source.get(type, namespace, name)
      : await source.getMetadata(type, namespace, name);
  const { managedFieldLines } = await import('./managed-fields.ts');
  return managedFieldLines(live, object, now);
}
