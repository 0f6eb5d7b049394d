/** The screen's state machine on a small cluster from YAML, driven by keys, read as the lines that it would draw. */

import { diagnostics } from '../../src/app/cluster/diagnostics.ts';
import { ClusterModel } from '../../src/app/cluster/model.ts';
import { bannerLine, footerLine } from '../../src/app/screen/frame.ts';
import { tabLine, titleLine } from '../../src/app/screen/title.ts';
import { update } from '../../src/app/shell/update.ts';
import type { NamedKey } from '../../src/app/state/keys.ts';
import { layoutOf } from '../../src/app/state/layout.ts';
import type { Message } from '../../src/app/state/messages.ts';
import { type Effect, initialState, type ScreenOptions, type State } from '../../src/app/state/state.ts';
import { detailsLines } from '../../src/app/views/object-details.ts';
import { emptyLines, viewOf } from '../../src/app/views/registry.ts';
import type { BlindSpot, Change } from '../../src/model/exchange/changes.ts';
import type { ResourceVersion } from '../../src/model/object.ts';
import type { SourceInfo } from '../../src/source/source.ts';
import type { Span } from '../../src/text/terminal/style.ts';
import { listedBatch, now, objects } from '../cli/documents/cluster.ts';

export interface DriverOptions {
  /** `shop` where left out; undefined is the whole cluster. */
  readonly namespace?: string | undefined;
  readonly columns?: number;
  readonly rows?: number;
  readonly ascii?: boolean;
  readonly info?: Partial<SourceInfo>;
  readonly target?: ScreenOptions['target'];
  readonly failedGroups?: readonly BlindSpot[];
  readonly settings?: ScreenOptions['settings'];
  /** Lets the screen choose its first view; by default it is the tree. */
  readonly chooses?: true;
  /** The namespace of the context, if the user names none. */
  readonly contextNamespace?: string;
}

const info: SourceInfo = {
  source: 'cluster',
  context: 'test',
  namespace: 'shop',
  serverVersion: undefined,
};

export class ScreenDriver {
  #version = 0;
  state: State;
  readonly effects: Effect[] = [];
  readonly #options: DriverOptions;

  constructor(options: DriverOptions = {}) {
    this.#options = options;
    const { columns = 160, rows = 40, ascii = false, target, settings = {}, chooses } = options;
    const { contextNamespace } = options;
    const named = 'namespace' in options ? options.namespace : 'shop';
    const namespace = contextNamespace === undefined ? named : undefined;
    this.state = initialState({
      options: {
        namespace,
        allNamespaces: false,
        ascii,
        color: true,
        screenReader: false,
        readOnly: false,
        target,
        settings: chooses === true ? settings : { view: 'tree', ...settings },
      },
      columns,
      rows,
      now,
    });
    const cluster = new ClusterModel({
      namespace: contextNamespace ?? namespace,
      first: this.info().namespace,
    });
    this.send({ type: 'opened', info: this.info(), cluster });
  }

  info(): SourceInfo {
    return { ...info, ...this.#options.info };
  }

  /** Everything has arrived, and was looked at. */
  static complete(yaml: string, options: DriverOptions = {}): ScreenDriver {
    const driver = new ScreenDriver(options);
    driver.list(yaml);
    driver.facts();
    driver.judge();
    return driver;
  }

  list(yaml: string): void {
    const { failedGroups = [] } = this.#options;
    this.send({ type: 'batch', batch: { ...listedBatch(objects(yaml)), failedGroups }, now });
    this.send({ type: 'graphComplete', info: this.info() });
  }

  facts(): void {
    this.send({ type: 'factsComplete', info: this.info(), diagnostics });
  }

  judge(): void {
    while (this.state.cluster?.problems?.judgeMore(10) === true);
    this.send({ type: 'judged' });
  }

  /** What the Managers view asks for when it is opened, and when it is narrowed. */
  sort(): void {
    const { managers } = this.state.cluster ?? {};
    while (managers?.sorted === false) managers.sortMore(10);
    this.send({ type: 'sorted' });
  }

  /** What the Collector view asks for when it is opened. */
  followCollector(): void {
    this.state.cluster?.collector?.begin(this.state.now);
    this.send({ type: 'collected' });
  }

  /** Objects as they are now. */
  change(yaml: string): void {
    this.#apply(objects(yaml));
  }

  /** As a watch tells it, in the order of the storage. */
  remove(yaml: string, how: { readonly unseen?: true } = {}): void {
    this.#version += 1;
    const version = { resourceVersion: String(this.#version) as ResourceVersion };
    this.#apply(
      objects(yaml).flatMap(change =>
        change.op === 'upsert'
          ? [{ op: 'delete' as const, uid: change.object.uid, type: change.object.type, ...how, ...version }]
          : [],
      ),
    );
  }

  #apply(changes: readonly Change[]): void {
    this.send({ type: 'batch', batch: { changes: [...changes] }, now: this.state.now });
  }

  wait(milliseconds: number): void {
    this.send({ type: 'tick', now: this.state.now + milliseconds });
  }

  /** `'j'` types a character, `'enter'` presses a key. */
  press(...ids: string[]): this {
    for (const id of ids) {
      const key = id.length === 1 ? { text: id } : { name: id as NamedKey };
      this.send({ type: 'key', key });
    }
    return this;
  }

  send(message: Message): void {
    const [next, effects] = update(this.state, message);
    this.state = next;
    for (const effect of effects) {
      if (effect.type === 'unfoldMore') this.send({ type: 'unfoldMore' });
      else if (effect.type === 'prepare') this.#prepare();
      else this.effects.push(effect);
    }
  }

  #prepare(): void {
    while (this.state.cluster?.prepareMore(this.state.now) === true);
    this.send({ type: 'prepared' });
  }

  title(): string {
    return told(titleLine(this.state));
  }

  tabs(): string {
    return told(tabLine(this.state));
  }

  banner(): string {
    return told(bannerLine(this.state));
  }

  footer(): string {
    return told(footerLine(this.state, layoutOf(this.state)));
  }

  details(): string {
    const { details } = layoutOf(this.state);
    return detailsLines(this.state, details?.width ?? 80)
      .map(told)
      .join('\n');
  }

  /** Rows of the view, shown or not. */
  rowCount(): number {
    return viewOf(this.state).lines(this.state, 80).length;
  }

  /** The rows of the view, blanks within them joined; what an empty view says. */
  rows(): string[] {
    const { state } = this;
    const width = layoutOf(state).tree?.width ?? state.columns;
    const lines = [...viewOf(state).lines(state, width).rows(0, 1_000)].map(({ spans }) => spans);
    if (lines.length === 0) return emptyLines(state).map(({ text }) => text);
    return lines.map(line => told(line).replaceAll(/(?<=\S) {2,}/gu, '  '));
  }
}

function told(line: readonly Span[]): string {
  return line
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}
