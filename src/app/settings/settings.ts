/** How the user wants the screen: what `config.yaml` says. Everything may be left out. */

import path from 'node:path';
import { configFolder, type Environment } from '../../disk/user-folders.ts';
import type { YamlPath } from '../../model/text/located-yaml.ts';
import type { ThemeName } from '../../text/terminal/themes.ts';
import type { TreeSort } from '../cluster/tree/order.ts';
import type { ViewId } from '../state/views.ts';

export interface Settings {
  readonly theme?: ThemeName;
  readonly ascii?: boolean;
  /** The view that the screen opens with. */
  readonly view?: ViewId;
  readonly sort?: TreeSort;
  /** The keys of a command, by its id; those that it had by itself are free. */
  readonly keys?: Readonly<Record<string, string | readonly string[]>>;
}

/** Where `config.yaml` is. */
export function settingsFile(env: Environment): string {
  return path.join(configFolder(env), 'config.yaml');
}

/** What is wrong with the file, for its author: `line 3: sort is "size"; it must be one of name, age, trouble`. */
export class SettingsError extends Error {}

/** Where in the file something is wrong, and what. */
export type SettingsFault = readonly [path: YamlPath, what: string];
