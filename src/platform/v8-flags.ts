/**
 * Sets V8's flags to fit how much is about to be read. V8 takes no compiled code that was made under other flags, of
 * Node's own modules neither, so they are set late, and set back while a script is compiled.
 */

/** The value of each flag, and V8's own. */
type Flags = Readonly<Record<string, readonly [value: number | boolean, usual: number | boolean]>>;

/**
 * Keeps the young generation small: only its collection frees buffers of the network. Its maximum can't be set once
 * Node runs, its growth can.
 */
const much: Flags = { 'semi-space-growth-factor': [1, 2] };

/** Calls before TurboFan optimises, by version of V8; `node --v8-options` prints it. */
const usualCallsUntilTurbofan: Readonly<Record<string, number>> = {
  '12.4': 3_000,
  '13.6': 10_000,
  '14.6': 16_000,
};

/**
 * Leaves optimising to what goes on for long, and the heap unmarked, which never fills up. Without any optimising, the
 * forecast of a namespace would take 1.8 times as long.
 */
function little(): Flags {
  const turbofan = usualCallsUntilTurbofan[process.versions.v8.split('.', 2).join('.')];
  if (turbofan === undefined) return {};
  return {
    'incremental-marking': [false, true],
    'invocation-count-for-maglev': [12_000, 400],
    'invocation-count-for-turbofan': [90_000, turbofan],
  };
}

/** More than the lists of a namespace of 400 pods. */
const MUCH_BYTES = 4 * 1024 * 1024;

let isEnabled = false;
let isLittleExpected = false;
let receivedBytes = 0;
let current: Flags = {};

/** Must be called first, by who owns the process; returns what calls a function under V8's own flags. */
export function enableTuning(): <T>(work: () => T) => T {
  isEnabled = true;
  return work => {
    set(current, 1);
    try {
      return work();
    } finally {
      set(current, 0);
    }
  };
}

function expectMuch(): void {
  if (receivedBytes >= MUCH_BYTES) return;
  receivedBytes = MUCH_BYTES;
  tune(much);
}

/** Takes effect when the first answer arrives, because until then Node's own modules are loaded. */
function expectLittle(): void {
  isLittleExpected = receivedBytes === 0;
}

function countReceived(bytes: number): void {
  if (receivedBytes >= MUCH_BYTES) return;
  if (receivedBytes === 0 && isLittleExpected) tune(little());
  if (receivedBytes + bytes >= MUCH_BYTES) expectMuch();
  else receivedBytes += bytes;
}

function tune(flags: Flags): void {
  if (!isEnabled) return;
  set(current, 1);
  current = flags;
  set(current, 0);
}

function set(flags: Flags, which: 0 | 1): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const [flag, values] of Object.entries(flags)) {
    const value = values[which];
    setFlagsFromString(typeof value === 'number' ? `--${flag}=${value}` : `--${value ? '' : 'no-'}${flag}`);
  }
}

export const v8Memory = { expectLittle, expectMuch, countReceived };
