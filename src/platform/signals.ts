/** Requests to end, with the exit codes that answer them: 128 and the signal's number, as a shell reports of a process that it ended. */
export const endings = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
  /** Ctrl-Break, of Windows alone, where a console that is closed is a `SIGHUP`. */
  SIGBREAK: 149,
} as const;

export type EndSignal = keyof typeof endings;

export const endSignals = Object.keys(endings) as readonly EndSignal[];
