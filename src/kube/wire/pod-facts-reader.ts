/** Facts of pods, shared between equal ones. Field numbers: k8s.io/api v0.36.3, core/v1/generated.proto. */
import {
  type Condition,
  FactsTable,
  isManagerPod,
  managerFlags,
  none,
  type PodFacts,
  type PodName,
  Toleration,
} from '../../model/index.ts';
import { ByteCache, Cursor } from './cursor.ts';
import { compileRead, type FactsReader } from './facts-reader.ts';
import { readRun } from './object-meta.ts';
import type { Pool } from './pool.ts';

type PodDraft = { -readonly [Name in keyof PodFacts]: PodFacts[Name] };

const factNames = Object.keys(FactsTable.ofPods.fields) as readonly (keyof typeof FactsTable.ofPods.fields)[];
const CONDITIONS = 1024;
const CONDITION_LISTS = 1024;
const FACTS = 8192;
/** Field 22, length-delimited: two bytes. */
const TOLERATIONS_TAG = [0xb2, 0x01] as const;
const readTolerations = compileRead(FactsTable.ofPods.fields.tolerations.wire, 22);

export class PodFactsReader implements FactsReader {
  readonly #pool: Pool;
  // Direct-mapped like ByteCache, keyed by content that is already shared.
  readonly #conditions = Array.from<Condition | undefined>({ length: CONDITIONS });
  readonly #lists = Array.from<readonly Condition[] | undefined>({ length: CONDITION_LISTS });
  readonly #facts = Array.from<PodFacts | undefined>({ length: FACTS });

  /** By the bytes of all tolerations of a pod, tags included. */
  readonly #tolerationRuns: ByteCache<readonly Toleration[]>;
  #draft: PodDraft = { ...FactsTable.emptyPod };
  #nodeHash = 0;
  #lastRun: readonly Toleration[] = none;
  #lastHash = 0;
  #lastBytes = Buffer.alloc(0);
  #tolerationsHash = 0;
  #words: string[] = [];
  readonly #found: Condition[] = [];
  #foundHash = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#tolerationRuns = new ByteCache(256, 1024, (bytes, start, end) => {
      const run = new Cursor(bytes);
      run.pos = start;
      run.nextField(end);
      const found = readTolerations(run, end, pool, none) as readonly Toleration[];
      run.leave(end);
      return Toleration.shared(found);
    });
  }

  begin(): void {
    this.#draft = { ...FactsTable.emptyPod };
    this.#nodeHash = 0;
    this.#tolerationsHash = 0;
    if (this.#words.length > 0) this.#words = [];
    this.#found.length = 0;
    this.#foundHash = 0;
  }

  read(field: number, cursor: Cursor, _end: number, of: PodName): void {
    if (field === 2) this.#readSpec(cursor, of);
    else if (field === 3) this.#readStatus(cursor);
  }

  #readSpec(cursor: Cursor, of: PodName): void {
    const draft = this.#draft;
    const isManager = isManagerPod(of);
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) this.#readVolume(cursor);
      else if (field === 2) {
        draft.containers++;
        if (isManager) this.#readCommandLine(cursor);
      } else if (field === 4) draft.terminationGracePeriodSeconds = cursor.signed();
      else if (field === 7)
        draft.nodeSelector = readRun(
          cursor,
          this.#pool.labels,
          end,
          draft.nodeSelector.length === 0 ? undefined : draft.nodeSelector,
        );
      else if (field === 10) {
        draft.nodeName = cursor.shared(this.#pool.strings);
        this.#nodeHash = this.#pool.strings.hash;
      } else if (field === 22) this.#readTolerations(cursor, end);
      else if (field === 43) {
        cursor.fields(inner => {
          if (inner === 1) draft.schedulingGroup = cursor.shared(this.#pool.strings);
        });
      }
    }
    cursor.leave(end);
  }

  #readCommandLine(cursor: Cursor): void {
    const args: string[] = [];
    cursor.fields(field => {
      if (field === 3) this.#words.push(cursor.text());
      else if (field === 4) args.push(cursor.text());
    });
    this.#words.push(...args);
  }

  #readTolerations(cursor: Cursor, end: number): void {
    const start = cursor.pos - 2;
    const run = this.#tolerationsRun(cursor, start, end);
    this.#tolerationsHash = mix(this.#tolerationsHash, this.#lastHash);
    // Another encoder may split a run.
    const before = this.#draft.tolerations;
    this.#draft.tolerations = before === none ? run : Toleration.shared([...before, ...run]);
  }

  /** Compares with the previous pod's bytes before hashing, because most pods repeat them. */
  #tolerationsRun(cursor: Cursor, start: number, end: number): readonly Toleration[] {
    const { buf } = cursor;
    const lastBytes = this.#lastBytes;
    const lastEnd = start + lastBytes.length;
    const fits = lastEnd === end || (lastEnd < end && buf[lastEnd] !== TOLERATIONS_TAG[0]);
    if (fits && lastBytes.compare(buf, start, lastEnd) === 0) {
      cursor.pos = lastEnd;
      return this.#lastRun;
    }
    const runEnd = wideRunEnd(cursor, TOLERATIONS_TAG, end);
    this.#lastRun = this.#tolerationRuns.get(buf, start, runEnd);
    this.#lastHash = this.#tolerationRuns.hash;
    this.#lastBytes = Buffer.from(buf.subarray(start, runEnd));
    return this.#lastRun;
  }

  #readVolume(cursor: Cursor): void {
    const end = cursor.enter();
    let nameAt = -1;
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) nameAt = cursor.pos;
      else if (field === 2) this.#readVolumeSource(cursor, nameAt);
    }
    cursor.leave(end);
  }

  /** Reads a volume's name only if it is kept: most volumes are neither claims nor ephemeral. */
  #readVolumeSource(cursor: Cursor, nameAt: number): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 10) {
        const claimEnd = cursor.enter();
        for (let inner = cursor.nextField(claimEnd); inner !== 0; inner = cursor.nextField(claimEnd)) {
          if (inner !== 1) continue;
          const claim = cursor.text();
          if (claim !== '') this.#draft.claims = [...this.#draft.claims, claim];
        }
        cursor.leave(claimEnd);
      } else if (field === 2) this.#draft.hasEmptyDir = true;
      else if (field === 29) {
        const back = cursor.pos;
        cursor.pos = nameAt;
        const name = nameAt < 0 ? '' : cursor.shared(this.#pool.strings);
        this.#draft.ephemeralVolumes = [...this.#draft.ephemeralVolumes, name];
        cursor.pos = back;
      }
    }
    cursor.leave(end);
  }

  #readStatus(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) this.#draft.phase = cursor.shared(this.#pool.strings);
      else if (field === 2) this.#found.push(this.#readCondition(cursor));
      else if (field === 4) this.#draft.reason = cursor.shared(this.#pool.strings);
      else if (field === 8) this.#readContainerStatus(cursor);
    }
    cursor.leave(end);
  }

  #readCondition(cursor: Cursor): Condition {
    const strings = this.#pool.strings;
    const end = cursor.enter();
    let type = '';
    let status = '';
    let reason = '';
    let message = '';
    let since: number | undefined;
    let hash = 0;
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) type = cursor.shared(strings);
      else if (field === 2) status = cursor.shared(strings);
      else if (field === 5) reason = cursor.shared(strings);
      else if (field === 6) message = cursor.shared(strings);
      else {
        // Condition in facts.ts explains this.
        if (field === 4 && status !== 'True') since = cursor.time();
        continue;
      }
      hash = mix(hash, strings.hash);
    }
    cursor.leave(end);
    if (status === 'True') since = undefined;
    else hash = mix(hash, since === undefined ? 0 : since / 1000);
    this.#foundHash = mix(this.#foundHash, hash);
    const slot = (hash ^ (hash >>> 15)) & (CONDITIONS - 1);
    const known = this.#conditions[slot];
    if (
      known !== undefined &&
      known.type === type &&
      known.status === status &&
      known.reason === reason &&
      known.message === message &&
      known.since === since
    )
      return known;
    const condition: Condition = { type, status, reason, message, since };
    this.#conditions[slot] = condition;
    return condition;
  }

  #readContainerStatus(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 2 && this.#draft.containerReason === '') this.#readContainerState(cursor);
      else if (field === 4) this.#draft.readyContainers += cursor.flag() ? 1 : 0;
      else if (field === 5) this.#draft.restarts += cursor.signed();
    }
    cursor.leave(end);
  }

  #readContainerState(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      // The reason is field 1 of a waiting state and field 3 of a terminated one.
      const reasonField = field === 1 ? 1 : field === 3 ? 3 : 0;
      if (reasonField === 0) continue;
      const stateEnd = cursor.enter();
      for (let inner = cursor.nextField(stateEnd); inner !== 0; inner = cursor.nextField(stateEnd))
        if (inner === reasonField && this.#draft.containerReason === '')
          this.#draft.containerReason = cursor.shared(this.#pool.strings);
      cursor.leave(stateEnd);
    }
    cursor.leave(end);
  }

  #conditionList(): readonly Condition[] {
    const found = this.#found;
    if (found.length === 0) return none;
    const slot = (this.#foundHash ^ (this.#foundHash >>> 15)) & (CONDITION_LISTS - 1);
    const known = this.#lists[slot];
    if (known !== undefined && known.length === found.length) {
      let same = 0;
      while (same < found.length && known[same] === found[same]) same++;
      if (same === found.length) return known;
    }
    const list = found.slice();
    this.#lists[slot] = list;
    return list;
  }

  /** Returns the facts of an earlier pod if all are the same. */
  finish(): PodFacts {
    const draft = this.#draft;
    draft.conditions = this.#conditionList();
    if (this.#words.length > 0) draft.managerFlags = managerFlags(this.#words);
    if (draft.claims.length > 0 || draft.ephemeralVolumes.length > 0 || draft.managerFlags.length > 0)
      return draft;
    let hash = mix(mix(this.#nodeHash, this.#foundHash), this.#tolerationsHash);
    hash = mix(hash, draft.containers * 64 + draft.readyContainers * 8 + draft.restarts);
    const slot = (hash ^ (hash >>> 15)) & (FACTS - 1);
    const known = this.#facts[slot];
    if (known !== undefined && factNames.every(name => known[name] === draft[name])) return known;
    this.#facts[slot] = draft;
    return draft;
  }
}

/** Finds the end of a run of fields whose tag has two bytes. */
function wideRunEnd(cursor: Cursor, [low, high]: readonly [number, number], end: number): number {
  for (;;) {
    cursor.pos = cursor.enter();
    const { buf, pos } = cursor;
    if (pos > end) cursor.leave(end);
    if (pos + 1 >= end || buf[pos] !== low || buf[pos + 1] !== high) return pos;
    cursor.pos += 2;
  }
}

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193) ^ (hash >>> 13);
}
