/** Maps up to `limit` inputs at a time, keeping their order. Rejects with the first error. */
export async function mapConcurrently<T, R>(
  inputs: readonly T[],
  limit: number,
  map: (input: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = inputs.entries();
  const worker = async (): Promise<void> => {
    for (const [index, input] of queue) results[index] = await map(input);
  };
  await Promise.all(Array.from({ length: Math.min(limit, inputs.length) }, worker));
  return results;
}
