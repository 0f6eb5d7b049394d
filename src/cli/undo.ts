export async function undo(): Promise<number> {
  return 0;
}
