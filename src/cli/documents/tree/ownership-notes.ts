/** A tree row's notes on ownership as clauses: broken references, further owners, places shown earlier. */
import type { OwnerStanding, OwnerStatus } from '../../../collector/index.ts';
import type { GraphNode } from '../../../graph/index.ts';
import { counted, type OwnerReference, shownName } from '../../../model/index.ts';
import type { HiddenDependents } from './selection.ts';

/** Describes a broken reference from the dependent's view; `''` if the owner holds. */
function referenceProblem({ status, certainty }: Standing): string {
  const problem = problems[status];
  return status === 'Absent' && certainty === 'assumed' ? `${problem} (assumed)` : problem;
}

type Standing = Pick<OwnerStanding, 'status' | 'certainty'>;

const problems: Readonly<Record<OwnerStatus, string>> = {
  Solid: '',
  WaitingForDependents: '',
  Absent: 'is gone',
  Mismatched: 'is not what the reference says',
  OtherNamespace: 'is in another namespace',
  ClusterScopeViolation: 'is namespaced, this object is not',
  Unresolvable: 'is of a kind that is not served',
  Unknown: 'cannot be seen',
};

export interface NoteInput {
  readonly node: GraphNode;
  readonly parent: GraphNode | undefined;
  readonly seeAlso: boolean;
  readonly cycle: boolean;
  readonly hidden: HiddenDependents;
  standing(reference: OwnerReference): Standing;
}

function parentClause(input: NoteInput, reference: OwnerReference): string {
  const standing = input.standing(reference);
  const problem = referenceProblem(standing);
  if (problem === '') return '';
  if (standing.status !== 'Mismatched') return `owner ${problem}`;
  return `refers to its owner as ${shownName(reference.kind)} ${shownName(reference.name)}`;
}

/** Returns sanitised clauses, the most important first. */
export function ownershipNotes(input: NoteInput): readonly string[] {
  const { node, parent } = input;
  const notes: string[] = [];
  if (input.cycle) notes.push(parent === node ? 'owns itself' : 'cycle: closes here');
  else if (input.seeAlso) notes.push('see above');
  const parentUid = parent?.identity.uid;
  for (const reference of node.owners) {
    if (reference.uid === parentUid) {
      const clause = parentClause(input, reference);
      if (clause !== '' && !notes.includes(clause)) notes.push(clause);
    } else if (reference.uid !== node.identity.uid) {
      const problem = referenceProblem(input.standing(reference));
      notes.push(
        `${parent === undefined ? '' : 'also '}owned by ${shownName(reference.kind)} ${shownName(reference.name)}${problem === '' ? '' : `, which ${problem}`}`,
      );
    } else if (!input.cycle) notes.push('owns itself');
  }
  const { belowDepth, ofTypes } = input.hidden;
  if (belowDepth > 0) notes.push(`${counted(belowDepth, 'dependent')} below --depth`);
  if (ofTypes > 0) notes.push(`${counted(ofTypes, 'dependent')} of hidden types`);
  return notes;
}
