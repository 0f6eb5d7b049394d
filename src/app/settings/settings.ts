/** Settings in `config.yaml`; all are optional. */

import path from 'node:path';
import { configFolder, type Environment } from '../../disk/user-folders.ts';
import type { YamlPath } from '../../model/text/located-yaml.ts';
import type { ThemeName } from '../../text/terminal/themes.ts';
import type { TreeSort } from '../cluster/tree/order.ts';
import type { ViewId } from '../state/views.ts';
import type { WrittenColumn } from './columns.ts';

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
  return path.join(configFolder(env), 'config.yaml');
}

/** Message for the file's author: `line 3: sort is "size"; it must be one of name, age, trouble`. */
export class SettingsError extends Error {}

export type SettingsFault = readonly [path: YamlPath, what: string];
