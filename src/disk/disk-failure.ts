/** Errors without a path that also come from the file system: a write to an open file fails like that. */
const codes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EFBIG']);

export function isDiskFailure(error: unknown): error is Error {
  if (!(error instanceof Error) || !('syscall' in error)) return false;
  return 'path' in error || ('code' in error && codes.has(error.code));
}
