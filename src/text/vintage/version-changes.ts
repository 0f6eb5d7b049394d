import type { CollectorComparison } from '../../simulation/index.ts';

export interface ChangeWords {
  readonly title: string;
  readonly first: string;
  readonly today: string;
}

export const changeWords: Readonly<
  Record<CollectorComparison['objects'][number]['because'][number], ChangeWords>
> = {
  ForegroundDeletion: {
    title: 'Foreground deletion',
    first:
      'There was no deletion in the foreground: the API server passed over the policy, and no reference could block the deletion of its owner.',
    today:
      'The owner stays, with the finalizer foregroundDeletion, until its dependents are deleted whose references have blockOwnerDeletion.',
  },
  DefaultPolicy: {
    title: 'Deletion without a policy',
    first: 'Dependents of a ReplicaSet or ReplicationController were orphaned, all others deleted.',
    today: 'Those of a ReplicaSet are deleted, too, as its DELETE goes through apps/v1.',
  },
  JobPolicy: {
    title: 'Deletion of a Job without a policy',
    first: 'Its pods were deleted.',
    today: 'They are orphaned.',
  },
  BackgroundCascade: {
    title: 'Deletions by the collector',
    first:
      'Its DELETE named no policy, so that a cascade ended at each ReplicaSet and ReplicationController: their dependents were orphaned.',
    today: 'Its DELETE says Background, unless a finalizer of the object asks for something else.',
  },
  DanglingReferences: {
    title: 'References to absent owners',
    first: 'An object with another owner kept its references to those that are gone.',
    today: 'They are removed.',
  },
  AbsentByUid: {
    title: 'Owners considered absent',
    first:
      'What was looked for in the wrong place, such as the namespace of a dependent that is in another one, counted as absent by its uid: all of its dependents were deleted, though it exists.',
    today: 'Absent is what was looked for: a kind, a namespace, a name and a uid.',
  },
  UncheckedReference: {
    title: 'References that are wrong',
    first:
      'Once the owner was known by its uid, the collector did not compare its namespace, kind and name with the reference.',
    today: 'A reference that disagrees with its owner has the dependent looked at at once.',
  },
  ClusterScopedOwner: {
    title: 'Cluster-scoped owners',
    first: 'They were looked for in the namespace of the dependent, not found, and considered absent.',
    today: 'They are looked for where their kind is.',
  },
  NamespacedOwner: {
    title: 'Cluster-scoped objects with an owner in a namespace',
    first: 'The owner was looked for outside of namespaces, not found, and the object deleted.',
    today: 'Such an object is never collected.',
  },
  CustomResources: {
    title: 'Custom resources',
    first:
      'Kinds that are not built in were neither watched nor known: their objects were not collected, and what they own was kept.',
    today: 'They are collected like all others, and discovered within half a minute.',
  },
  DeletedAgain: {
    title: 'Objects that are being deleted',
    first: 'The collector deleted them again.',
    today: 'It leaves them alone.',
  },
  FailedOrphaning: {
    title: 'Orphaning that fails',
    first:
      'Whether dependents lost their reference was not looked at: the others were deleted with the owner gone.',
    today: 'The owner keeps its finalizer orphan until all of them have.',
  },
  LateOrphaning: {
    title: 'Orphaning that is asked for late',
    first: 'The finalizer orphan of what was being deleted already was not noticed, and stayed.',
    today: 'It is noticed whenever it comes.',
  },
  LostFinalizers: {
    title: 'Finalizers behind orphan',
    first: 'With its finalizer orphan, an owner lost those that stand behind it, whose handlers had no say.',
    today: 'Only orphan is removed.',
  },
};
