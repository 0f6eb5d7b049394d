/** Whether the file system refused something: what is written to a file that is open is refused without its path. */
const codes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EFBIG']);

export function isDiskFailure(error: unknown): error is Error {
  if (!(error instanceof Error) || !('syscall' in error)) return false;
  return 'path' in error || ('code' in error && codes.has(error.code));
}
