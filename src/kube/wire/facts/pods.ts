/** Facts of pods, shared between equal ones. Field numbers: k8s.io/api v0.36.3, core/v1/generated.proto. */
import type { Condition, PodFacts, Toleration } from '../../../model/facts/facts.ts';
import { isManagerPod, managerFlags } from '../../../model/facts/manager-flags.ts';
import { sharedTolerations } from '../../../model/facts/tolerations.ts';
import type { Cursor } from '../cursor.ts';
import type { Pool } from '../pool.ts';
import type { FactsReader, ReadObject } from './parts.ts';

const none: readonly never[] = Object.freeze([]);
const CONDITIONS = 1024;
const CONDITION_LISTS = 1024;
const FACTS = 8192;
/** Field 22, length-delimited: two bytes. */
const TOLERATIONS_TAG = [0xb2, 0x01] as const;

export class PodFactsReader implements FactsReader {
  readonly #pool: Pool;
  // Direct-mapped like ByteCache, keyed by content that is already shared.
  readonly #conditions = Array.from<Condition | undefined>({ length: CONDITIONS });
  readonly #lists = Array.from<readonly Condition[] | undefined>({ length: CONDITION_LISTS });
  readonly #facts = Array.from<PodFacts | undefined>({ length: FACTS });

  #nodeName = '';
  #nodeHash = 0;
  #grace: number | undefined = undefined;
  #containers = 0;
  #claims: string[] = [];
  #ephemeralVolumes: string[] = [];
  #tolerations: readonly Toleration[] = none;
  #lastRun: readonly Toleration[] = none;
  #lastHash = 0;
  #lastBytes = Buffer.alloc(0);
  #tolerationsHash = 0;
  #words: string[] = [];
  #phase = '';
  #reason = '';
  #readyContainers = 0;
  #restarts = 0;
  #containerReason = '';
  readonly #found: Condition[] = [];
  #foundHash = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  clear(): void {
    this.#nodeName = '';
    this.#nodeHash = 0;
    this.#grace = undefined;
    this.#containers = 0;
    if (this.#claims.length > 0) this.#claims = [];
    if (this.#ephemeralVolumes.length > 0) this.#ephemeralVolumes = [];
    this.#tolerations = none;
    this.#tolerationsHash = 0;
    if (this.#words.length > 0) this.#words = [];
    this.#phase = '';
    this.#reason = '';
    this.#readyContainers = 0;
    this.#restarts = 0;
    this.#containerReason = '';
    this.#found.length = 0;
    this.#foundHash = 0;
  }

  readSpec(cursor: Cursor, { name, namespace = '' }: ReadObject): void {
    const isManager = isManagerPod(namespace, name);
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) this.#readVolume(cursor);
      else if (field === 2) {
        this.#containers++;
        if (isManager) this.#readCommandLine(cursor);
      } else if (field === 4) this.#grace = cursor.signed();
      else if (field === 10) {
        this.#nodeName = cursor.shared(this.#pool.strings);
        this.#nodeHash = this.#pool.strings.hash;
      } else if (field === 22) this.#readTolerations(cursor, end);
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
    this.#tolerations = this.#tolerations === none ? run : sharedTolerations([...this.#tolerations, ...run]);
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
    this.#lastRun = this.#pool.tolerations.get(buf, start, runEnd);
    this.#lastHash = this.#pool.tolerations.hash;
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
          if (claim !== '') this.#claims.push(claim);
        }
        cursor.leave(claimEnd);
      } else if (field === 29) {
        const back = cursor.pos;
        cursor.pos = nameAt;
        this.#ephemeralVolumes.push(nameAt < 0 ? '' : cursor.shared(this.#pool.strings));
        cursor.pos = back;
      }
    }
    cursor.leave(end);
  }

  readStatus(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) this.#phase = cursor.shared(this.#pool.strings);
      else if (field === 2) this.#found.push(this.#readCondition(cursor));
      else if (field === 4) this.#reason = cursor.shared(this.#pool.strings);
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
      if (field === 2 && this.#containerReason === '') this.#readContainerState(cursor);
      else if (field === 4) this.#readyContainers += cursor.flag() ? 1 : 0;
      else if (field === 5) this.#restarts += cursor.signed();
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
        if (inner === reasonField && this.#containerReason === '')
          this.#containerReason = cursor.shared(this.#pool.strings);
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

  finish(): PodFacts {
    const conditions = this.#conditionList();
    const flags = this.#words.length > 0 ? managerFlags(this.#words) : none;
    const unshared = this.#claims.length > 0 || this.#ephemeralVolumes.length > 0 || flags.length > 0;
    let hash = mix(mix(this.#nodeHash, this.#foundHash), this.#tolerationsHash);
    hash = mix(hash, this.#containers * 64 + this.#readyContainers * 8 + this.#restarts);
    const slot = (hash ^ (hash >>> 15)) & (FACTS - 1);
    const known = unshared ? undefined : this.#facts[slot];
    if (
      known !== undefined &&
      known.conditions === conditions &&
      known.nodeName === this.#nodeName &&
      known.phase === this.#phase &&
      known.reason === this.#reason &&
      known.terminationGracePeriodSeconds === this.#grace &&
      known.managerFlags === none &&
      known.containers === this.#containers &&
      known.readyContainers === this.#readyContainers &&
      known.restarts === this.#restarts &&
      known.containerReason === this.#containerReason &&
      known.tolerations === this.#tolerations
    )
      return known;
    const facts: PodFacts = {
      kind: 'Pod',
      phase: this.#phase,
      reason: this.#reason,
      nodeName: this.#nodeName,
      terminationGracePeriodSeconds: this.#grace,
      containers: this.#containers,
      readyContainers: this.#readyContainers,
      restarts: this.#restarts,
      containerReason: this.#containerReason,
      claims: this.#claims.length > 0 ? this.#claims : none,
      ephemeralVolumes: this.#ephemeralVolumes.length > 0 ? this.#ephemeralVolumes : none,
      tolerations: this.#tolerations,
      managerFlags: flags.length > 0 ? flags : none,
      conditions,
    };
    if (!unshared) this.#facts[slot] = facts;
    return facts;
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
