/** The end of the process. */

/** Milliseconds for what ends by itself. */
const PATIENCE_MS = 300;

/**
 * Ends the process with this code once everything is written: at once where nothing else is under way, and soon where
 * something is that cannot be broken off, such as a connection that a proxy never makes.
 */
export function leaveWith(exitCode: number): void {
  process.exitCode = exitCode;
  const leave = (): void => {
    const unwritten = process.stdout.writableLength + process.stderr.writableLength;
    if (unwritten > 0) wait();
    else process.exit();
  };
  const wait = (): void => {
    setTimeout(leave, PATIENCE_MS).unref();
  };
  wait();
}
