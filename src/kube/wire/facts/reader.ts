/** What turns `spec` and `status` of one kind into facts. */
import type { Facts } from '../../../model/facts/facts.ts';
import type { Cursor } from '../cursor.ts';

/** One per decoder, reused: `clear`, then at most one `readSpec` and `readStatus`, then `finish`. */
export interface FactsReader {
  clear(): void;
  /** The cursor stands at the length of the message, and behind the message afterwards. */
  readSpec(cursor: Cursor): void;
  readStatus(cursor: Cursor): void;
  finish(): Facts;
}
