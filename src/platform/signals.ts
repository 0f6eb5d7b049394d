/** Exit codes for ending signals: 128 plus the signal's number, as a shell reports them. */
const endings = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
  /** Ctrl-Break, only on Windows, where closing the console sends `SIGHUP`. */
  SIGBREAK: 149,
} as const;

export type EndSignal = keyof typeof endings;

const endSignals = Object.keys(endings) as readonly EndSignal[];

export const EndSignal = { endings, all: endSignals };
