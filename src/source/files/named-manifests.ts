/** Reads the names in manifests, as for `kubectl delete -f` and `kubectl wait -f`; the cluster knows the rest. */
import type { Readable } from 'node:stream';
import { getOrInsert, type Labels, record, text } from '../../model/index.ts';
import { type FileLine, SourceError } from '../source.ts';
import type { DocumentLocation } from './collection.ts';
import type { Input } from './inputs.ts';
import { inputsOf, type Kustomization } from './kustomize.ts';
import type { Kinded, Manifest } from './manifest.ts';
import { ForeignFile, openInput, readInput } from './read-input.ts';

export interface NamedManifest extends Kinded {
  /** As written; `''` if missing. */
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  /** Undefined if it can't be opened; standard input is `-`. */
  readonly place: FileLine | undefined;
}

interface NamedManifests {
  readonly manifests: readonly NamedManifest[];
  readonly warnings: readonly string[];
}

interface NamedOptions {
  readonly names: readonly string[];
  readonly kustomization: Kustomization | undefined;
  /** If false, subfolders are skipped, as in kubectl. */
  readonly recursive: boolean;
  stdin(): Readable;
}

/** Rejects with a `SourceError` if a file is unreadable or incomplete, or none names an object. */
export async function readNamed(options: NamedOptions): Promise<NamedManifests> {
  const { names, kustomization, recursive } = options;
  const { inputs, skipped, closed } = await inputsOf(names, kustomization, recursive);
  // The list of deletions must be complete.
  if (closed[0] !== undefined) throw closed[0].error;
  const found = new Found();
  const foreign: string[] = [];
  for (const input of inputs) {
    try {
      const stream = openInput(input, () => options.stdin());
      await readInput(input, stream, found.receiver(input), new AbortController().signal);
    } catch (error) {
      if (!(input.found && error instanceof ForeignFile)) throw error;
      foreign.push(error.message);
    }
  }
  const manifests = [...found.manifests.values()];
  if (manifests.length === 0) throw new SourceError(nothingIn(names, { recursive, skipped: skipped.length }));
  const [first, ...more] = foreign;
  return {
    manifests,
    warnings: [
      ...(first === undefined
        ? []
        : [`${first} ${more.length === 0 ? 'It' : `${foreign.length} such files`} names no object.`]),
      ...(found.nameless === 0
        ? []
        : [
            `${found.nameless === 1 ? 'a manifest without a name was' : `${found.nameless} manifests without a name were`} left out.`,
          ]),
    ],
  };
}

function nothingIn(
  names: readonly string[],
  { recursive, skipped }: { readonly recursive: boolean; readonly skipped: number },
): string {
  const among = skipped === 0 ? '' : ' Files in folders count by their extensions .json, .yaml and .yml.';
  return `${names.join(', ')}: no object is named there.${recursive ? '' : ' Folders in a folder are read with -R.'}${among}`;
}

class Found {
  /** Keyed by apiVersion, kind, namespace and name; only the cluster knows if two API versions mean one object. */
  readonly manifests = new Map<string, NamedManifest>();
  nameless = 0;

  receiver(input: Input): Parameters<typeof readInput>[2] {
    return {
      object: (manifest, place) => this.#add(manifest, place),
      partOfList: (why, _list, line) => {
        throw new SourceError(`${input.name}, line ${line} ${why}, so that not all that it names is known.`);
      },
      emptyList: () => {},
      version: () => {},
      breathe: () => {},
    };
  }

  #add({ apiVersion, kind, json }: Manifest, { input, line }: DocumentLocation): void {
    const metadata = record(json['metadata']);
    const name = text(metadata['name']);
    if (name === '') {
      this.nameless++;
      return;
    }
    const namespace = text(metadata['namespace']);
    const labels = Object.entries(record(metadata['labels'])).flatMap(([key, value]) => [key, text(value)]);
    const place = input.open === undefined ? { file: input.path ?? '-', line } : undefined;
    const key = JSON.stringify([apiVersion, kind, namespace, name]);
    getOrInsert(this.manifests, key, () => ({ apiVersion, kind, namespace, name, labels, place }));
  }
}
