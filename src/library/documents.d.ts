/** Made by `npm run docs` from the JSON Schemas. */

export type Time = string;
/**
 * The tools that manage the object beside its owners, by labels and annotations that the garbage collector doesn't look at.
 */
export type ManagedBy = {
  /**
   * `Helm`, `Argo CD`.
   */
  tool: string;
  /**
   * What it manages the object by: `release`, `Application`.
   */
  called: string;
  object?: ObjectRef;
  /**
   * Left out where the marks don't tell it.
   */
  namespace?: string;
  name: string;
  /**
   * The mark that says so: `annotation meta.helm.sh/release-name: api`.
   */
  evidence: string;
  through?: ObjectRef;
}[];
export type State = 'Live' | 'Deleting' | 'ForegroundDeleting' | 'OrphanDeleting' | 'Virtual';
/**
 * The garbage collector's next move on the object.
 */
export type Verdict =
  | 'None'
  | 'DeleteBackground'
  | 'DeleteForeground'
  | 'DeleteOrphan'
  | 'PruneReferences'
  | 'UnblockAndDelete'
  | 'WaitForDependents'
  | 'RemoveForegroundFinalizer'
  | 'OrphanDependents'
  | 'RetryForever'
  | 'NeverCollected';
/**
 * What text prints as NOTE, clause by clause: what is odd about the ownership of the object. For people; its words change.
 */
export type Notes = string[];

/**
 * Why objects are still there, survived, or will be deleted, as printed by `kubectl gc-tree why -o json|yaml`. Fields are only ever added.
 */
export interface Diagnosis {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'Diagnosis';
  basis: Basis;
  /**
   * Actions of this tool on an object that isn't there. Left out if the journal has none.
   */
  journal?: {
    /**
     * context: only the name of the context shows that it was this cluster.
     */
    clusterKnownBy: 'uid' | 'context';
    /**
     * The oldest first.
     */
    entries: {
      /**
       * The id that undo takes.
       */
      entry: string;
      at: Time;
      action: string;
      /**
       * What the action did to the object, as a clause.
       */
      what: string;
      /**
       * perhaps: it is unknown whether the requests took effect.
       */
      effect: 'yes' | 'perhaps';
    }[];
  };
  /**
   * Events about an object that isn't there, the oldest first. Left out if there are none.
   */
  events?: {
    /**
     * The object of the Event.
     */
    object: {
      kind: string;
      namespace?: string;
      name: string;
    };
    at?: Time;
    reason: string;
    message: string;
    count?: number;
  }[];
  items: {
    object: ObjectRef;
    /**
     * The answer in one sentence.
     */
    summary: string;
    /**
     * From the object to what decides.
     *
     * @minItems 1
     */
    chain: {
      object: ObjectRef;
      /**
       * How the link before leads here: blocked by, held by, owned by.
       */
      by?: string;
      /**
       * Set where the link is this finalizer of the object.
       */
      finalizer?: string;
      /**
       * State or reason.
       */
      because: string;
      since?: Time;
      /**
       * Who set the finalizer or the reference, by the object's managed fields.
       */
      setBy?: {
        manager: string;
        operation: string;
        time?: Time;
      };
    }[];
    /**
     * What the objects at the end of the chain, and events about them and about who should act, say of why they don't finish; failures first. Left out where nothing was asked.
     */
    statements?: {
      object: ObjectRef;
      /**
       * A condition of its status, an event about it, or a field of its status that is there only where something failed.
       */
      from: 'condition' | 'event' | 'error';
      /**
       * Of a condition its type, of an error its field, of an event Normal or Warning.
       */
      type: string;
      /**
       * Of a condition or a phase, where it has one.
       */
      status?: string;
      reason: string;
      /**
       * On one line, without what looks like a credential.
       */
      message: string;
      at?: Time;
      /**
       * It was written for an older generation of the object and hasn't changed since its deletion. Left out otherwise.
       */
      outdated?: true;
      /**
       * How often an event was observed, if several times.
       */
      count?: number;
    }[];
    /**
     * What the summary rests on: fields and values, or clauses.
     */
    because: string[];
    /**
     * How a survivor came to be one.
     */
    course: string[];
    /**
     * What becomes of it if nobody acts, as far as there is anything to tell.
     */
    next: string[];
    managedBy: ManagedBy;
    /**
     * Who else acts on the object, though no owner reference says so, as far as it is seen.
     */
    context: {
      object: ObjectRef;
      /**
       * `scales`: it sets the replicas, of the object or of the workload that makes it. `holdsEviction`: it lets no pod be evicted now, or an annotation of the pod itself has a tool spare it, which holds no deletion. `evicts`: the node that the pod is on is being removed, or a descheduler may evict the pod. `deletedWith`: a controller deletes the object when this one is deleted.
       */
      effect: 'scales' | 'holdsEviction' | 'evicts' | 'deletedWith';
      words: string;
    }[];
    /**
     * With --probe: the dry runs that were asked and their answers.
     */
    probes?: {
      result: 'allowed' | 'rejected' | 'unreachable' | 'untestable' | 'forbidden' | 'outdated' | 'failed';
      message: string;
      evidence: string;
    }[];
    /**
     * Worst first.
     */
    findings: Finding[];
    /**
     * Of all findings, the safest first.
     */
    remedies: Remedy[];
  }[];
}
/**
 * What the document was made from, and what could not be seen.
 */
export interface Basis {
  source: 'cluster' | 'files' | 'demo' | 'replay';
  context?: string;
  serverVersion?: string;
  /**
   * Who said that version: the API server; the files, as it said itself there; the newest node in the files, which may be older than the API server; the scenario; or `--server-version`.
   */
  serverVersionFrom?: 'server' | 'files' | 'nodes' | 'scenario' | 'flag';
  /**
   * What the files say, where `--server-version` says otherwise.
   */
  serverVersionInFiles?: string;
  /**
   * What such a server does is taken to be what the nearest version does that was read: it is newer or older than those.
   */
  serverVersionUnproven?: 'newer' | 'older';
  /**
   * Of a simulated cluster: its garbage collector and the rules of deletion, where they are not today's.
   */
  collector?: '1.5';
  takenAt: Time;
  /**
   * Of files: `objects` where what is in them tells when they were taken, `files` where the time of the files does.
   */
  takenAtFrom?: 'objects' | 'files';
  /**
   * Of a replay: from when to when was recorded. cutOff: recording was not ended, so that it may lack its last seconds.
   */
  recording?: {
    from: Time;
    to: Time;
    cutOff: boolean;
  };
  /**
   * Every object that the garbage collector watches is known; with a scope, of what was read.
   */
  complete: boolean;
  /**
   * Where less than the whole cluster was read: everything in these namespaces, and what the answer needs beside. widerWith is the flag with which everything is read.
   */
  scope?: {
    namespaces: string[];
    widerWith: '-A';
  };
  blindSpots: {
    resource: string;
    reason: string;
  }[];
  /**
   * Kinds that may be listed but not watched: what is known of them may be up to a minute older than takenAt. Left out where there are none.
   */
  polled?: {
    resource: string;
    reason: string;
  }[];
  /**
   * Left out while the cluster is followed. Else nothing newer than `since` is known: the API server cannot be reached, or it answers and not everything has been read again.
   */
  connection?: {
    state: 'lost' | 'catchingUp';
    /**
     * Of lost.
     */
    reason?: string;
    /**
     * Of catchingUp.
     */
    cause?: 'reconnected' | 'restored' | 'resumed' | 'delayed';
    since: Time;
  };
}
export interface ObjectRef {
  apiVersion: string;
  kind: string;
  /**
   * Left out for cluster-scoped objects.
   */
  namespace?: string;
  name: string;
  uid?: string;
}
export interface Finding {
  /**
   * Of code and object, without its uid: the same in the next run, and on a cluster that was set up anew. Unique in a list.
   */
  id: string;
  /**
   * One of the codes in docs/diagnosis.md. Codes are only ever added.
   */
  code: string;
  severity: 'error' | 'warning' | 'info';
  object: ObjectRef;
  source?: FileLine;
  since?: Time;
  /**
   * One whole sentence.
   */
  message: string;
  /**
   * The very fields and values.
   */
  evidence: string[];
  /**
   * The fields that the evidence tells of, as data.
   */
  facts: Fact[];
  /**
   * Objects that have to do with it, the deciding one first.
   */
  related: ObjectRef[];
  /**
   * assumed: something that cannot be seen could change it.
   */
  certainty: 'exact' | 'assumed';
  /**
   * What the code means.
   */
  helpUri: string;
  /**
   * In order of safety.
   */
  remedies: Remedy[];
}
export interface FileLine {
  /**
   * As it was given with -f, with what lies below a folder; - for standard input.
   */
  file: string;
  /**
   * Of the object's first line, from 1; of an element of a list in flow style that of the list.
   */
  line: number;
}
export interface Fact {
  object?: ObjectRef;
  /**
   * Of the field in the object: `metadata.finalizers[0]`, `metadata.labels['app']`.
   */
  path: string;
  /**
   * As it stands there; of an owner reference all of it.
   */
  value: string | number | boolean | {};
}
/**
 * Something that can be done. Without requests it is advice and cannot be applied.
 */
export interface Remedy {
  /**
   * What `unblock TARGET --remedy` takes.
   */
  id: string;
  title: string;
  /**
   * safe: takes nothing away that the finding doesn't already give up. caution: does what it says, which may be more than was wanted. dangerous: something is lost or left behind that nobody brings back.
   */
  risk: 'safe' | 'caution' | 'dangerous';
  /**
   * What it brings about by the forecast; empty for advice.
   */
  effect: string;
  requests: {
    verb: 'PATCH' | 'DELETE' | 'PUT';
    path: string;
    query?: string;
    contentType?: string;
    body?: unknown;
  }[];
  /**
   * The same as a command to paste, for sh, bash, zsh and fish; of advice one that only shows what it is about. Left out where there is none, and where no line of a shell can hold a name in it as it is.
   */
  kubectl?: string;
}
/**
 * Every finding in scope, as printed by `kubectl gc-tree check -o json|yaml`. Fields are only ever added.
 */
export interface FindingList {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'FindingList';
  basis: Basis;
  /**
   * Of the items.
   */
  counts: {
    total: number;
    error: number;
    warning: number;
    info: number;
    /**
     * Codes that there are items of.
     */
    byCode: {
      [k: string]: number;
    };
  };
  /**
   * What `--baseline` does to the findings: the known ones are no items. Left out without one.
   */
  baseline?: {
    file: string;
    /**
     * Left out of the items.
     */
    known: KnownFinding[];
    /**
     * Items whose entry has expired.
     */
    expired: KnownFinding[];
    /**
     * Items that are more severe than their entry says.
     */
    worse: KnownFinding[];
    /**
     * The `id` of each entry that could match something in scope and matches nothing.
     */
    unmatched: string[];
  };
  /**
   * Worst first.
   */
  items: Finding[];
}
/**
 * A finding with what the baseline says of it.
 */
export interface KnownFinding {
  id: string;
  severity: 'error' | 'warning' | 'info';
  /**
   * The `id` of the entry, which may have asterisks.
   */
  entry: string;
  reason: string;
  /**
   * The last day on which it is left out, in UTC.
   */
  expires: string;
}
/**
 * What an action will do, as printed by `kubectl gc-tree plan -o json|yaml`. Fields are only ever added.
 */
export interface Plan {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'Plan';
  basis: Basis;
  action: {
    verb: 'delete' | 'unblock' | 'taint' | 'restart' | 'none';
    cascade?: 'background' | 'foreground' | 'orphan';
    remedy?: string;
    taint?: {
      key: string;
      value?: string;
      effect: string;
    };
    targets: ObjectRef[];
  };
  /**
   * What the files of -f name and the cluster doesn't have, so that nothing of it is deleted. Left out where no files name what to delete.
   */
  notFound?: (ObjectRef & {
    /**
     * absent: it isn't there. unserved: no kind of this name is served in this version, so that there are none.
     */
    because: 'absent' | 'unserved';
    source?: FileLine;
  })[];
  /**
   * Completes: everything asked for has happened when nothing moves any more. Stuck: something that was to go still exists, in one possible order at least. Depends: the same, but all of it is deleted if handlers of finalizers do their work that are running, are taken to run outside, or of which it is unknown whether they are there.
   */
  outcome: 'Completes' | 'Stuck' | 'Depends' | 'NoChange' | 'Refused';
  deleted: DeletedEntry[];
  /**
   * Everything that still exists at the end with a deletion timestamp.
   */
  terminating: TerminatingEntry[];
  /**
   * Everything that still exists at the end with other references or finalizers; references by the uid of the owner.
   */
  changed: ChangedEntry[];
  /**
   * Requests that an admission webhook or policy refuses whenever they are sent, so that what they are about stays as it is: of webhooks that have to be asked and behind which nothing answers, and of policies that deny them. What isn't certain is a warning.
   */
  refused: {
    object: ObjectRef;
    /**
     * The component that sends it: garbage-collector, namespace-controller, kubelet, user.
     */
    actor: string;
    operation: 'DELETE' | 'UPDATE';
    by: {
      /**
       * Of a webhook configuration, or of a policy's binding.
       */
      kind: string;
      name: string;
      /**
       * Its name in the configuration; empty for a policy.
       */
      webhook: string;
      /**
       * Empty for a webhook.
       */
      policy: string;
      /**
       * Namespace/name of the Service that doesn't answer; empty for a policy.
       */
      service: string;
    };
    because: string;
    /**
     * Happens without the action, too.
     */
    anyway?: true;
  }[];
  /**
   * Objects that end otherwise where admission refuses requests that the warnings assume to pass; left out where nothing does, and where more than 2000 objects change.
   */
  dependsOnAdmission?: ObjectRef[];
  /**
   * The end if every handler does its work whose state is running, outside or unknown: these lists in place of those of the same names. Left out where no such handler has anything to do.
   */
  ifHandled?: {
    deleted: DeletedEntry[];
    terminating: TerminatingEntry[];
    changed: ChangedEntry[];
  };
  /**
   * Objects that are neither deleted nor being deleted at the end, and are deleted once what is held has been released. An object in deleted, terminating and then stands in one of these lists.
   */
  then: {
    object: ObjectRef;
    /**
     * The held objects that all have to be released first; the object itself is among them if it is held as well once its deletion begins. Left out where it cannot be told which of the held objects decide: then all of them.
     */
    after?: ObjectRef[];
    /**
     * Happens without the action, too.
     */
    anyway?: true;
  }[];
  recreated: {
    /**
     * The controller of the new objects.
     */
    by: string;
    kind: string;
    count: number;
    /**
     * Pods among them that no node takes: they stay Pending.
     */
    pending?: number;
    /**
     * Happens without the action, too.
     */
    anyway?: true;
  }[];
  /**
   * Only of an action that takes a node away or taints it: every pod on such nodes.
   */
  nodePods?: {
    pod: ObjectRef;
    node: string;
    /**
     * Terminating: still there when nothing moves any more, and being deleted.
     */
    fate: 'Deleted' | 'Terminating' | 'Stays';
    /**
     * The component that removes it, or acted last on what stays.
     */
    by?: string;
    earliest?: Time;
    latest?: Time;
    because: string;
    /**
     * Finalizers that a pod keeps which is Terminating.
     */
    heldBy: string[];
  }[];
  /**
   * Only of an action that takes a node away or taints it: claims that no pod on the node uses any more, so that another node can attach their volumes.
   */
  freedVolumes?: {
    claim: ObjectRef;
    /**
     * The PersistentVolume that it is bound to.
     */
    volume?: string;
    node: string;
    earliest: Time;
    because: string;
  }[];
  /**
   * Only of an action that takes a node away or taints it: pods that are deleted without their kubelet's word and replaced, while their containers may still run.
   */
  couldRunTwice?: {
    pod: ObjectRef;
    node: string;
    replacedBy: ObjectRef;
    /**
     * The claim that both use, where the new pod has another name.
     */
    claim?: string;
    /**
     * assumed: what the controller does isn't known, or its object cannot be seen.
     */
    certainty?: 'exact' | 'assumed';
    /**
     * Finalizers that keep the old pod, and with it its name, until they are removed.
     */
    heldBy?: string[];
    because: string;
  }[];
  flapping?: {
    object: ObjectRef;
    kind: string;
    because: string;
  }[];
  /**
   * What GitOps tools and package managers are documented to do beside the control plane: never an edge of the ownership graph, and counted in none of the other lists. Left out where they do nothing, as far as can be told; warnings say what cannot.
   */
  logical?: LogicalEntry[];
  /**
   * Objects whose end depends on the order in which queues are worked; they are in none of the lists above, unless ifHandled is set.
   */
  timingDependent: {
    object: ObjectRef;
    /**
     * @minItems 2
     */
    outcomes: string[];
    because: string;
    /**
     * Set where only its end once handlers have done their work depends on it: how it is held before is certain, and in the lists above; it is in none of ifHandled.
     */
    ifHandled?: true;
    /**
     * Who has to remove its finalizers where it is held in the order that the rest is told of; left out where it waits for none.
     */
    handlers?: FinalizerHandler[];
  }[];
  steps: {
    n: number;
    at: Time;
    actor: string;
    verb: string;
    object: ObjectRef;
    request?: string;
    status?: number;
    because: string;
  }[];
  warnings: string[];
  /**
   * The same as a command to paste, for sh, bash, zsh and fish; left out where kubectl cannot do it, and where no line of a shell can hold a name in it as it is.
   */
  kubectl?: string;
}
export interface DeletedEntry {
  object: ObjectRef;
  /**
   * The component that asks for the deletion.
   */
  by: string;
  reason: string;
  /**
   * Happens without the action, too.
   */
  anyway?: true;
}
export interface TerminatingEntry {
  object: ObjectRef;
  finalizers: string[];
  waitingFor: string[];
  /**
   * Who has to remove the finalizers that no simulated controller removes.
   */
  handlers?: FinalizerHandler[];
  /**
   * Happens without the action, too.
   */
  anyway?: true;
}
export interface FinalizerHandler {
  finalizer: string;
  /**
   * The controller that removes it: `Argo CD`, `Deployment dns/external-dns`.
   */
  handler: string;
  /**
   * running: it has ready pods. notReady: something of it is there and no ready pod, or it should have removed the finalizer by now. absent: everything that could show it can be seen, and nothing of it is there. outside: it is taken to run where this cluster does not show it. goesToo: the action deletes it, or what it cannot work without. unknown: whether it is there cannot be told.
   */
  state: 'running' | 'notReady' | 'absent' | 'outside' | 'goesToo' | 'unknown';
  /**
   * What was found of it, and what is deleted with the action.
   */
  evidence: string[];
}
export interface ChangedEntry {
  object: ObjectRef;
  ownerReferencesRemoved: string[];
  ownerReferencesUnblocked: string[];
  ownerReferencesAdded?: string[];
  /**
   * References that are still there and say something else: another name or kind, or that they block.
   */
  ownerReferencesAltered?: string[];
  finalizersAdded: string[];
  finalizersRemoved: string[];
  /**
   * Happens without the action, too.
   */
  anyway?: true;
}
export interface LogicalEntry {
  object: ObjectRef;
  /**
   * `Argo CD Application argocd/shop`
   */
  by: string;
  /**
   * deleted: a tool deletes it, as it follows from the deletion of what it is managed by. kept: it would be expected to go, and the tool leaves it. recreated: the action deletes it, and the tool creates it again. reverted: the action alters it, and the tool puts back what its source says.
   */
  effect: 'deleted' | 'kept' | 'recreated' | 'reverted';
  /**
   * automatically: a controller does so by itself. onRequest: only once somebody syncs, upgrades, approves or resumes something. unknown: what decides it cannot be seen. Left out for what is kept.
   */
  when?: 'automatically' | 'onRequest' | 'unknown';
  because: string;
  /**
   * Always: it is what the tool is documented to do.
   */
  certainty: 'assumed';
  /**
   * How to have it otherwise.
   */
  instead?: string;
  /**
   * Of an object in another cluster, how the tool calls that.
   */
  cluster?: string;
  /**
   * It is this of the object and not the object itself: `external resource`.
   */
  part?: string;
}
/**
 * Ownership as nodes and edges, as printed by `kubectl gc-tree tree --flat -o json|yaml`. Fields are only ever added.
 */
export interface OwnershipGraph {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'OwnershipGraph';
  basis: Basis;
  /**
   * Every object once, in the order of the tree.
   */
  nodes: FlatNode[];
  /**
   * Every owner reference between nodes.
   */
  edges: Edge[];
}
export interface FlatNode {
  /**
   * What edges call it by: `Pod/shop/web-0`, `Deployment.apps/shop/web`. Unique in the document; of an owner that is only in references, behind the name of one that exists, with its uid.
   */
  id: string;
  object: ObjectRef;
  state: State;
  /**
   * What text prints as STATE: `3/3`, `held: example.com/drain`. For people; its words change. Left out where there is nothing to say.
   */
  stateText?: string;
  verdict: Verdict;
  /**
   * assumed: something that could not be seen could change the verdict.
   */
  certainty: 'exact' | 'assumed';
  creationTimestamp?: Time;
  deletionTimestamp?: Time;
  labels?: Labels;
  /**
   * Of pods: the node that it is bound to.
   */
  nodeName?: string;
  finalizers: string[];
  managedBy: ManagedBy;
  notes: Notes;
  /**
   * Owners that are no nodes of the document, so that no edge leads to them.
   */
  otherOwners: Owner[];
  /**
   * The object was asked for; others are owners and dependents of those that were.
   */
  selected?: true;
}
/**
 * Left out of virtual nodes, of which no labels are known.
 */
export interface Labels {
  [k: string]: string;
}
export interface Owner {
  object: ObjectRef;
  controller: boolean;
  blockOwnerDeletion: boolean;
  /**
   * How the garbage collector classifies the reference.
   */
  status:
    | 'Solid'
    | 'WaitingForDependents'
    | 'Absent'
    | 'Mismatched'
    | 'OtherNamespace'
    | 'ClusterScopeViolation'
    | 'Unresolvable'
    | 'Unknown';
  /**
   * `assumed`: the owner cannot be seen, or no look-up has confirmed yet that it is absent.
   */
  certainty: 'exact' | 'assumed';
}
/**
 * An owner reference of the dependent.
 */
export interface Edge {
  /**
   * The id of a node.
   */
  owner: string;
  /**
   * The id of a node.
   */
  dependent: string;
  reference: ObjectRef;
  controller: boolean;
  blockOwnerDeletion: boolean;
  /**
   * How the garbage collector classifies the reference.
   */
  status:
    | 'Solid'
    | 'WaitingForDependents'
    | 'Absent'
    | 'Mismatched'
    | 'OtherNamespace'
    | 'ClusterScopeViolation'
    | 'Unresolvable'
    | 'Unknown';
  /**
   * `assumed`: the owner cannot be seen, or no look-up has confirmed yet that it is absent.
   */
  certainty: 'exact' | 'assumed';
}
