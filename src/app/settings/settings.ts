/** How the user wants the screen: what `config.yaml` says. Everything may be left out. */

import path from 'node:path';
import { configFolder, type Environment } from '../../disk/user-folders.ts';
import type { YamlPath } from '../../model/text/located-yaml.ts';
import type { ThemeName } from '../../text/terminal/themes.ts';
import type { TreeSort } from '../cluster/tree/order.ts';
import type { ViewId } from '../state/views.ts';
import type { WrittenColumn } from './columns.ts';

/** A command of the user's own for the object of a row. */
export interface UserCommand {
  /** What `:` and the help call it. */
  readonly name: string;
  readonly key?: string;
  /** What kubectl gets, each word a template: see `templates.ts`. */
  readonly kubectl: readonly string[];
  /** For objects of these kinds alone; left out, for all. */
  readonly kinds?: readonly string[];
  /** It may change something: refused where the screen is read-only, and asked about before it runs. */
  readonly changes?: boolean;
  /** What it does with the terminal, as `KubectlCall` has it; left out, `pages`. */
  readonly terminal?: 'pages' | 'stream' | 'keys';
}

/** A way of looking at the cluster; what it leaves out stays as it is. */
export interface SavedView {
  /** `''` is every namespace. */
  readonly namespace?: string;
  readonly view?: ViewId;
  readonly sort?: TreeSort;
  /** Of the tree. */
  readonly columns?: readonly WrittenColumn[];
  /** Words that the rows contain. */
  readonly filter?: string;
  /** Only objects with problems. */
  readonly problems?: boolean;
}

export interface Settings {
  readonly theme?: ThemeName;
  readonly ascii?: boolean;
  /** The view that the screen opens with. */
  readonly view?: ViewId;
  readonly sort?: TreeSort;
  /** Of the tree. */
  readonly columns?: readonly WrittenColumn[];
  readonly commands?: readonly UserCommand[];
  readonly views?: Readonly<Record<string, SavedView>>;
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
