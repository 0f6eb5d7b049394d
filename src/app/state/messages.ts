/** Everything that can happen to the screen, as plain data. */
import type { ManagerLease, NodeRemoval, SourceBatch } from '../../model/index.ts';
import type { SourceInfo } from '../../source/index.ts';
import type { Line } from '../../text/index.ts';
import type { Diagnostics } from '../cluster/diagnostics.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { ActionNews } from './action-dialog.ts';
import type { Key } from './keys.ts';
import type { Containers, NoContainers } from './kubectl-call.ts';
import type { Access, PrinterColumns, RowStates, SearchHit, Statements, Uses } from './state.ts';

export type Message =
  | { readonly type: 'key'; readonly key: Key }
  /** Pasted text, typed into an open prompt and ignored elsewhere. */
  | { readonly type: 'paste'; readonly text: string }
  /** Columns and rows count from 0. */
  | { readonly type: 'wheel'; readonly lines: number; readonly column: number; readonly row: number }
  | { readonly type: 'click'; readonly column: number; readonly row: number }
  | { readonly type: 'drag'; readonly column: number; readonly row: number }
  | { readonly type: 'resized'; readonly columns: number; readonly rows: number }
  | { readonly type: 'tick'; readonly now: number }
  | { readonly type: 'opened'; readonly info: SourceInfo; readonly cluster: ClusterModel }
  | { readonly type: 'openFailed'; readonly message: string }
  /** The source being opened waits for this party; undefined once it no longer does. */
  | { readonly type: 'waiting'; readonly who: string | undefined }
  | { readonly type: 'batch'; readonly batch: SourceBatch; readonly now: number }
  | { readonly type: 'graphComplete'; readonly info: SourceInfo }
  | { readonly type: 'diagnosticsLoaded'; readonly diagnostics: Diagnostics }
  /** The facts of every kind are read or unavailable. */
  | { readonly type: 'factsComplete'; readonly info: SourceInfo; readonly diagnostics: Diagnostics }
  | { readonly type: 'removals'; readonly removals: ReadonlyMap<string, NodeRemoval> }
  | { readonly type: 'manager'; readonly lease: ManagerLease | undefined }
  | { readonly type: 'prepared' }
  | { readonly type: 'judged' }
  | { readonly type: 'sorted' }
  | {
      readonly type: 'found';
      readonly query: string;
      readonly hits: readonly SearchHit[];
      readonly total: number;
      readonly done: boolean;
    }
  | { readonly type: 'unfoldMore' }
  /** Progress of the action of this number. */
  | { readonly type: 'action'; readonly number: number; readonly news: ActionNews }
  | { readonly type: 'stepsMade'; readonly key: string }
  | { readonly type: 'access'; readonly access: Access }
  | { readonly type: 'statements'; readonly statements: Statements }
  | { readonly type: 'printed'; readonly printed: PrinterColumns }
  | { readonly type: 'rowStates'; readonly states: RowStates }
  | { readonly type: 'uses'; readonly uses: Uses }
  | { readonly type: 'sought'; readonly moment: number; readonly cluster: ClusterModel }
  | { readonly type: 'stepped'; readonly lines: readonly Line[]; readonly status: string }
  | { readonly type: 'collected' }
  | { readonly type: 'played' }
  /** Number of deletions in each part of the recording. */
  | { readonly type: 'marks'; readonly marks: Uint32Array }
  | { readonly type: 'contexts'; readonly names: readonly string[] }
  /** Containers of the requested pod, or the reason for none. */
  | ({ readonly type: 'containers' } & (Containers | NoContainers))
  /** The copied text; `how` is undefined if the user has to copy it by hand. */
  | { readonly type: 'copied'; readonly text: string; readonly how: string | undefined }
  | {
      readonly type: 'document';
      readonly title: string;
      readonly lines: readonly Line[];
      readonly printing?: 'pages' | 'stream' | undefined;
    }
  | { readonly type: 'notice'; readonly text: string; readonly style: 'info' | 'warning' | 'danger' };
