/** Settings in `config.yaml`; all are optional. */

import path from 'node:path';
import { type Environment, userFolders } from '../../disk/index.ts';
import type { YamlPath } from '../../model/index.ts';
import type { ThemeName } from '../../text/index.ts';
import type { WrittenColumn } from './chosen-columns.ts';

/** Id of a view: see `app/views/registry.ts`. */
export type ViewId = string;

export type TreeSort = 'name' | 'age' | 'trouble';

export interface UserCommand {
  /** Name in `:` and the help. */
  readonly name: string;
  readonly key?: string;
  /** kubectl's words, each a template: see `templates.ts`. */
  readonly kubectl: readonly string[];
  /** Default: all kinds. */
  readonly kinds?: readonly string[];
  /** Refused on a read-only screen, and confirmed before it runs. */
  readonly changes?: boolean;
  /** Use of the terminal, as in `KubectlCall`; default: `pages`. */
  readonly terminal?: 'pages' | 'stream' | 'keys';
}

/** A saved view; omitted fields stay. */
export interface SavedView {
  /** `''` for every namespace. */
  readonly namespace?: string;
  readonly view?: ViewId;
  readonly sort?: TreeSort;
  readonly columns?: readonly WrittenColumn[];
  readonly filter?: string;
  readonly problems?: boolean;
}

export interface Settings {
  readonly theme?: ThemeName;
  readonly ascii?: boolean;
  readonly view?: ViewId;
  readonly sort?: TreeSort;
  readonly columns?: readonly WrittenColumn[];
  readonly commands?: readonly UserCommand[];
  readonly views?: Readonly<Record<string, SavedView>>;
  /** Keys by command id; they replace the default ones. */
  readonly keys?: Readonly<Record<string, string | readonly string[]>>;
}

export function settingsFile(env: Environment): string {
  return path.join(userFolders.config(env), 'config.yaml');
}

/** Message for the file's author: `line 3: sort is "size"; it must be one of name, age, trouble`. */
export class SettingsError extends Error {}

export type SettingsFault = readonly [path: YamlPath, what: string];
