/** Flags of earlier versions, and those of other commands, with what to use. */
export const insteadOf: Readonly<Record<string, string>> = {
  '--collector': 'Choose it with demo SCENARIO --collector=1.5.',
  '--no-wait': 'Use --wait=false.',
  '--recursive': 'Folders of -f are read with what lies below them.',
  '-R': 'Folders of -f are read with what lies below them.',
  '--restart': 'Use plan restart.',
};
