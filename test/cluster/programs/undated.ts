/** Documents that were made at different moments, made comparable. */

export type Json = Readonly<Record<string, unknown>>;

/** Without the moment at which it was taken, and with that of each step of a forecast as the time since. */
export function undated(document: Json): unknown {
  const { basis, steps, ...rest } = document as Json & { basis: Json; steps?: readonly Json[] };
  const taken = Date.parse(String(basis['takenAt']));
  return {
    ...rest,
    basis: { ...basis, takenAt: '' },
    steps: steps?.map(step => ({ ...step, at: Date.parse(String(step['at'])) - taken })),
  };
}
