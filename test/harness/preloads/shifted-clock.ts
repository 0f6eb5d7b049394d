/** Loaded into the tool (`node --import`): its clock is `GC_TREE_CLOCK_AHEAD` milliseconds ahead of everybody else's. */
const ahead = Number(process.env['GC_TREE_CLOCK_AHEAD'] ?? 0);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...args: [] | [value: number | string | Date]) {
    if (args.length === 0) super(RealDate.now() + ahead);
    else super(...(args as [number]));
  }

  static override now(): number {
    return RealDate.now() + ahead;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
