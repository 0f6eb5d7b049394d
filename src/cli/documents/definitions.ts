/**
 * The documents that `-o json|yaml` prints, each defined once: builders use these types, the build makes the JSON Schemas
 * of them (scripts/document-schemas.ts), and other programs import them. A comment is the description of a schema, and a
 * tag in it a keyword with its value. Fields are only ever added.
 */

/** @type integer */
export type Integer = number;

/** @type integer @minimum 0 */
export type Count = number;

/** @type integer @minimum 1 */
export type Ordinal = number;

/** @minLength 1 */
export type Text = string;

/** RFC 3339, to the second. @pattern ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$ */
export type Time = string;

/** RFC 3339, to the millisecond. @pattern ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$ */
export type Instant = string;

/** RFC 3339, as exact as it is known. @pattern ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z$ */
export type MicroTime = string;

export type Severity = 'error' | 'warning' | 'info';

export type Certainty = 'exact' | 'assumed';

export type Cascade = 'background' | 'foreground' | 'orphan';

/** Omits namespace or uid if it has none. */
export interface ObjectRef {
  apiVersion: string;
  kind: string;
  /** Omitted for cluster-scoped objects. */
  namespace?: Text;
  name: string;
  uid?: Text;
}

/** A line of a file that was read. */
export interface FileLine {
  /** Path as given with -f, extended below a folder; - for standard input. */
  file: Text;
  /** First line of the object, from 1; for an element of a list in flow style, that of the list. */
  line: Ordinal;
}

/** A kind that cannot be listed or watched. */
export interface UnseenKind {
  resource: string;
  reason: string;
}

/** The source of a document, and what could not be seen. */
export interface Basis {
  source: 'cluster' | 'files' | 'demo' | 'replay';
  context?: string;
  serverVersion?: string;
  /**
   * Origin of that version. server: the API server. files: the API server's own word in the files. nodes: the newest node
   * in the files, which may be older than the API server. scenario: the scenario. flag: `--server-version`.
   */
  serverVersionFrom?: 'server' | 'files' | 'nodes' | 'scenario' | 'flag';
  /** Version in the files, if `--server-version` says otherwise. */
  serverVersionInFiles?: string;
  /** Set if no test ran on that version: answers follow the source of it or, if that wasn't read, of the nearest one. */
  serverVersionUnproven?: 'newer' | 'older';
  /** Set for a simulated cluster with a former garbage collector and its rules of deletion. */
  collector?: '1.5';
  takenAt: Time;
  /** Set for files. objects: the objects show when they were taken. files: the time of the files does. */
  takenAtFrom?: 'objects' | 'files';
  /** Recorded span of a replay. cutOff: the recording wasn't ended, so its last seconds may be missing. */
  recording?: {
    from: Time;
    to: Time;
    cutOff: boolean;
  };
  /** Every object that the garbage collector watches is known; with a scope, every object in it. */
  complete: boolean;
  /**
   * Set if less than the whole cluster was read: everything in these namespaces, and what else the answer needs. widerWith
   * is the flag that reads everything.
   */
  scope?: {
    namespaces: readonly string[];
    widerWith: '-A';
  };
  blindSpots: readonly UnseenKind[];
  /** Kinds that may be listed but not watched: their objects may be up to a minute older than takenAt. */
  polled?: readonly UnseenKind[];
  /**
   * Omitted while the cluster is followed. Otherwise nothing newer than `since` is known: the API server cannot be reached,
   * or it answers and not everything has been read again.
   */
  connection?: {
    state: 'lost' | 'catchingUp';
    /** Set for lost. */
    reason?: string;
    /** Set for catchingUp. */
    cause?: 'reconnected' | 'restored' | 'resumed' | 'delayed';
    since: Time;
  };
}

/** Deletion state of the object. */
export type State = 'Live' | 'Deleting' | 'ForegroundDeleting' | 'OrphanDeleting' | 'Virtual';

/** The garbage collector's next move on the object. */
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

export type OwnerStatus =
  | 'Solid'
  | 'WaitingForDependents'
  | 'Absent'
  | 'Mismatched'
  | 'OtherNamespace'
  | 'ClusterScopeViolation'
  | 'Unresolvable'
  | 'Unknown';

interface OwnerFlags {
  controller: boolean;
  blockOwnerDeletion: boolean;
  /** The garbage collector's classification of the reference. */
  status: OwnerStatus;
  /** assumed: the owner cannot be seen, or no look-up has confirmed yet that it is absent. */
  certainty: Certainty;
}

/** An owner reference of the object. */
export interface Owner extends OwnerFlags {
  object: ObjectRef;
}

/** A Helm release, an Application of Argo CD, a Kustomization of Flux. */
export interface Manager {
  /** `Helm`, `Argo CD`. */
  tool: string;
  /** The tool's unit: `release`, `Application`. */
  called: string;
  /** The managing object, if there is a kind of it and it was seen. */
  object?: ObjectRef;
  /** Omitted if the marks don't show it. */
  namespace?: string;
  name: string;
}

/** A tool that manages the object, with its mark. */
export interface ManagedByTool extends Manager {
  /** The mark: `annotation meta.helm.sh/release-name: api`. */
  evidence: string;
  /** The topmost controller that the tool manages, and the object with it; omitted if the object has marks of its own. */
  through?: ObjectRef;
}

/** Tools that manage the object, by labels and annotations that the garbage collector ignores. */
export type ManagedBy = readonly ManagedByTool[];

/** Omitted for virtual nodes, whose labels are unknown. */
export type Labels = Readonly<Record<string, string>>;

/** Oddities of the object's ownership, clause by clause, as text prints them in NOTE. For people; their words change. */
export type Notes = readonly string[];

interface ObjectFields {
  object: ObjectRef;
  state: State;
  /** Text of STATE: `3/3`, `held: example.com/drain`. For people; its words change. Omitted if empty. */
  stateText?: Text;
  creationTimestamp?: Time;
  deletionTimestamp?: Time;
  finalizers: readonly string[];
}

interface Readiness {
  /** True, False or Unknown. */
  status: Text;
  /** Omitted if empty. */
  reason?: Text;
}

interface NodeFields extends ObjectFields, UserFields {
  verdict: Verdict;
  /** assumed: something that could not be seen could change the verdict. */
  certainty: Certainty;
  labels?: Labels;
  /** The node that a pod is bound to. */
  nodeName?: Text;
  /** The condition `Ready`, if the object has one. */
  ready?: Readiness;
  managedBy: ManagedBy;
  notes: Notes;
  /** Set if the object was asked for; others are owners and dependents of those. */
  selected?: true;
}

/** Users of an object. */
interface UserFields {
  /** Objects that use this one, by their topmost controllers. Omitted if none can, or if they weren't read. */
  usedBy?: readonly UseEntry[];
  /** Kinds of which further objects may use it, and why they couldn't be read. */
  usersUnread?: readonly { kind: string; reason: string }[];
}

/** Ownership trees as printed by `kubectl gc-tree tree -o json|yaml`. */
export interface OwnershipTree {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'OwnershipTree';
  basis: Basis;
  roots: readonly TreeNode[];
}

/** An object at one place in the tree. @if {"required":["seeAlso"]} @then {"properties":{"dependents":{"maxItems":0}}} */
export interface TreeNode extends NodeFields {
  owners: readonly Owner[];
  dependents: readonly TreeNode[];
  /** Set if the object is shown in full at an earlier place; it is a leaf here. */
  seeAlso?: true;
  /** Set if the object is its own owner, directly or through other owners. */
  cycle?: true;
}

/** Ownership as nodes and edges, as printed by `kubectl gc-tree tree --flat -o json|yaml`. */
export interface OwnershipGraph {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'OwnershipGraph';
  basis: Basis;
  /** Every object once, in the order of the tree. */
  nodes: readonly FlatNode[];
  /** Every owner reference between nodes. */
  edges: readonly Edge[];
}

/** An object of the graph. */
export interface FlatNode extends NodeFields {
  /**
   * Name of the node in edges: `Pod/shop/web-0`, `Deployment.apps/shop/web`. Unique in the document; an owner that exists
   * only in references, under the name of an existing object, has its uid added.
   */
  id: Text;
  /** Owners that are no nodes of the document, so that no edge leads to them. */
  otherOwners: readonly Owner[];
}

/** An owner reference of the dependent. */
export interface Edge extends OwnerFlags {
  /** The id of a node. */
  owner: Text;
  /** The id of a node. */
  dependent: Text;
  /** The owner as the reference names it, which may be wrong. */
  reference: ObjectRef;
}

/** Tools that manage objects in addition to their owners, as printed by `kubectl gc-tree tree --by=manager -o json|yaml`. */
export interface ManagerList {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'ManagerList';
  basis: Basis;
  /** Sorted by manager; objects without a known manager last. */
  items: readonly ManagedGroup[];
}

/** The objects of one manager, or those without a known one. */
export interface ManagedGroup {
  /** Omitted if labels and annotations show no manager. */
  manager?: Manager;
  /** Number of managed objects, with those that the members control. */
  objects: Ordinal;
  /**
   * Objects with marks of their own; without a manager, those at the top of the ownership tree. For a selection, each
   * selected object.
   */
  members: readonly Member[];
}

/** An object of a group. */
export interface Member extends ObjectFields {
  /** Number of objects with an owner reference to it. */
  dependents: Count;
  /** The mark that shows the manager: `annotation meta.helm.sh/release-name: api`. Omitted without a manager. */
  evidence?: string;
  /** The topmost controller that the tool manages, and the object with it; omitted if the object has marks of its own. */
  through?: ObjectRef;
}

export interface Traces {
  /** Actions of this tool on an object that isn't there. Omitted if the journal has none. */
  journal?: {
    /** context: only the name of the context shows that it was this cluster. */
    clusterKnownBy: 'uid' | 'context';
    /** Oldest first. */
    entries: readonly {
      /** The id that undo takes. */
      entry: string;
      at: Time;
      action: string;
      /** Effect of the action on the object, as a clause. */
      what: string;
      /** perhaps: it is unknown if the requests took effect. */
      effect: 'yes' | 'perhaps';
    }[];
  };
  /** Events about an object that isn't there, oldest first. Omitted if there are none. */
  events?: readonly {
    /** The object of the Event. */
    object: {
      kind: string;
      namespace?: string;
      name: string;
    };
    at?: Time;
    reason: string;
    message: string;
    /** @minimum 2 */
    count?: Integer;
  }[];
}

/** Why objects are still there, survived, or will be deleted, as printed by `kubectl gc-tree why -o json|yaml`. */
export interface Diagnosis extends Traces {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'Diagnosis';
  basis: Basis;
  items: readonly DiagnosisItem[];
}

/** The answer about one object. */
export interface DiagnosisItem extends UserFields {
  object: ObjectRef;
  /** The answer in one sentence. */
  summary: Text;
  /** Links from the object to the one that decides. @minItems 1 */
  chain: readonly ChainLink[];
  /** The waits on the chain, from one object to the next. */
  waits: readonly Wait[];
  /** Causes at the ends of the findings' chains, worst first. */
  causes: readonly Cause[];
  /**
   * Why the objects at the end of the chain don't finish, by their own reports and by events about them and about who
   * should act; failures first. Omitted if nothing was asked.
   */
  statements?: readonly Statement[];
  /** Fields and values, or clauses, that the summary rests on. */
  because: readonly string[];
  /** Reasons why a survivor stayed, or why the object is being deleted. */
  course: readonly string[];
  /** Future of the object without intervention, as far as it is known. */
  next: readonly string[];
  managedBy: ManagedBy;
  /** Objects that act on it without an owner reference, as far as they can be seen. */
  context: readonly {
    /** The object that acts or decides. */
    object: ObjectRef;
    /**
     * scales: it sets the replicas of the object, or of the workload that makes it. holdsEviction: it lets no pod be
     * evicted now, or an annotation of the pod has a tool spare it; neither holds a deletion. evicts: the pod's node is
     * being removed, or a descheduler may evict the pod. deletedWith: a controller deletes the object with this one.
     * recreates: Kubernetes creates the object again if it is deleted.
     */
    effect: 'scales' | 'holdsEviction' | 'evicts' | 'deletedWith' | 'recreates';
    words: string;
  }[];
  /** Objects that this one names. Omitted if it can name none, or couldn't be read. */
  uses?: readonly UseEntry[];
  /** Dry runs of --probe and their answers. */
  probes?: readonly {
    result: 'allowed' | 'rejected' | 'unreachable' | 'untestable' | 'forbidden' | 'outdated' | 'failed';
    message: string;
    evidence: string;
  }[];
  /** Worst first. */
  findings: readonly Finding[];
  /** Remedies of all findings, safest first. */
  remedies: readonly Remedy[];
}

/** A use of an object by another. */
export interface UseEntry {
  /** The user, or what is used, then without a uid. */
  object: ObjectRef;
  /** Says how, with the pronoun `it`: `mounts it as a volume`. */
  how: string;
  /** The number of its pods that use it now. */
  pods?: Integer;
  /** Set if the user does without it. */
  optional?: true;
}

/** A link of the chain to the deciding object. */
export interface ChainLink {
  object: ObjectRef;
  /** Relation to the previous link: blocked by, held by, owned by. */
  by?: string;
  /** Set if the link is this finalizer of the object. */
  finalizer?: string;
  /** State or reason. */
  because: string;
  since?: Time;
  /** Manager that set the finalizer or the reference, by the object's managed fields. */
  setBy?: {
    manager: string;
    operation: string;
    time?: Time;
  };
}

/** An object's own report of why it doesn't finish. */
export interface Statement {
  object: ObjectRef;
  /** A condition of its status, an event about it, or a field of its status that exists only after a failure. */
  from: 'condition' | 'event' | 'error';
  /** Type of the condition, field of the error, or Normal or Warning for an event. */
  type: string;
  /** Status of a condition or phase, if it has one. */
  status?: string;
  reason: string;
  /** One line, without credentials. */
  message: string;
  at?: Time;
  /** Set if it was written for an older generation of the object and hasn't changed since its deletion. */
  outdated?: true;
  /** Number of times an event was observed, if several. @minimum 2 */
  count?: Integer;
}

/** A problem of one object. */
export interface Finding {
  /** Code and object without its uid: the same in the next run, and on a recreated cluster. Unique in a list. */
  id: Text;
  /** One of the codes in docs/diagnosis.md. Codes are only ever added. @pattern ^[A-Z][A-Za-z]+$ */
  code: string;
  severity: Severity;
  object: ObjectRef;
  /** Place of the object; omitted unless it was read from a file. */
  source?: FileLine;
  since?: Time;
  /** One whole sentence. */
  message: Text;
  /** Fields and values. */
  evidence: readonly string[];
  /** The fields of the evidence, as data. */
  facts: readonly Fact[];
  /** Objects that are involved, the deciding one first. */
  related: readonly ObjectRef[];
  /** assumed: something that cannot be seen could change it. */
  certainty: Certainty;
  /** Page that explains the code. */
  helpUri: string;
  /** Safest first. */
  remedies: readonly Remedy[];
}

/** A field that is evidence of a finding. */
export interface Fact {
  /** The object with the field; omitted for the finding's object. */
  object?: ObjectRef;
  /** Path of the field in the object: `metadata.finalizers[0]`, `metadata.labels['app']`. */
  path: Text;
  /** Value of the field; for an owner reference, the whole reference. */
  value: string | number | boolean | object;
}

/** An action that can be taken. Without requests it is advice and cannot be applied. */
export interface Remedy {
  /** The id that `unblock TARGET --remedy` takes. */
  id: Text;
  title: string;
  /**
   * safe: removes only what the finding already gives up. caution: does what it says, which may be more than was wanted.
   * dangerous: loses something that cannot be restored, or leaves something behind for good.
   */
  risk: 'safe' | 'caution' | 'dangerous';
  /**
   * Forecast effect; empty for advice. In a list with --no-effects it is `not forecast`, and no risk is safe, because
   * nothing shows what else would be deleted.
   */
  effect: string;
  requests: readonly {
    verb: 'PATCH' | 'DELETE' | 'PUT' | 'POST';
    path: string;
    query?: string;
    contentType?: string;
    body?: unknown;
  }[];
  /** The steps of a remedy that applies others one after the other, such as unblock-all; its risk is that of the worst. */
  steps?: readonly { title: string; risk: 'safe' | 'caution' | 'dangerous' }[];
  /**
   * The same as a command to paste, for sh, bash, zsh and fish; for advice, one that shows what it is about or takes the
   * step. Omitted without one, and if a shell line cannot hold a name in it.
   */
  kubectl?: string;
}

/** Every finding in scope, as printed by `kubectl gc-tree check -o json|yaml`. */
export interface FindingList {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'FindingList';
  basis: Basis;
  /** Numbers of items. */
  counts: {
    total: Count;
    error: Count;
    warning: Count;
    info: Count;
    /** Codes with items. */
    byCode: Readonly<Record<string, Ordinal>>;
  };
  /** Effect of `--baseline` on the findings: known ones are no items. Omitted without a baseline. */
  baseline?: {
    file: string;
    /** Findings that are no items. */
    known: readonly KnownFinding[];
    /** Items whose entry has expired. */
    expired: readonly KnownFinding[];
    /** Items that are more severe than their entry says. */
    worse: readonly KnownFinding[];
    /** The `id` of each entry that could match something in scope and matches nothing. */
    unmatched: readonly string[];
  };
  /** Causes at the ends of the items' chains, worst first. */
  causes: readonly Cause[];
  /** Worst first. */
  items: readonly Finding[];
}

/** One object waits for another one. */
export interface Wait {
  from: ObjectRef;
  /** Has to be gone or, if it doesn't exist, to come back. */
  to: ObjectRef;
  /** State of the awaited object, or the reason. */
  because: Text;
  /** Start of that state. */
  since?: Time;
}

export interface Cause {
  /**
   * The same in the next run: `finalizer/example.com/drain`, or the deciding object; for faults of references to an owner
   * with their code: `ConfigMap/shop/settings#OwnerRecreated`.
   */
  id: Text;
  /** The cause in words. */
  because: Text;
  severity: Severity;
  /** The deciding object; omitted if many carry the same finalizer. */
  object?: ObjectRef;
  certainty: Certainty;
  /** Start of the oldest finding. */
  since?: Time;
  /** Objects that the cause holds. @minItems 1 */
  holds: readonly ObjectRef[];
  /** The `id` of each finding. @minItems 1 */
  findings: readonly string[];
  /** Remedies of the finding whose object is the nearest to what decides. */
  remedies: readonly Remedy[];
}

/** A finding with its entry in the baseline. */
export interface KnownFinding {
  id: string;
  severity: Severity;
  /** The `id` of the entry, which may have asterisks. */
  entry: string;
  reason: string;
  /** Last day on which it is left out, in UTC. */
  expires: string;
}

/** Findings that are known, as `kubectl gc-tree check -o baseline` writes them and `--baseline` reads them. */
export interface Baseline {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'Baseline';
  findings: readonly BaselineEntry[];
}

/** A known finding. @additionalProperties false */
export interface BaselineEntry {
  /**
   * The `id` of a finding: code, kind with group, namespace and name of the object without its uid, and after # what the
   * finding is about. Without that part it may be about anything; an asterisk stands for any part of a name. `Cause/` and
   * the `id` of a cause stands for everything that it holds.
   * @pattern ^[A-Za-z]+(?:/[^/#]+){2,3}(?:#.*)?$
   */
  id: string;
  /** Ids of findings with the same cause, such as that of the namespace that it keeps from being deleted. */
  also?: readonly FindingPattern[];
  /** Known severity: a more severe finding counts. Omitted, every severity is known. */
  severity?: Severity;
  /** Why it may stay until then, in words. @pattern \S */
  reason: string;
  /** Last day on which it is left out, in UTC: 2027-01-31. @pattern ^\d{4}-\d{2}-\d{2}$ */
  expires: string;
}

/** @pattern ^[A-Za-z]+(?:/[^/#]+){2,3}(?:#.*)?$ */
export type FindingPattern = string;

/** The outcome of waiting for deletions, as printed by `kubectl gc-tree wait -o json|yaml`. */
export interface WaitResult {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'WaitResult';
  basis: Basis;
  /** The awaited change. */
  condition: 'delete';
  /**
   * Reached: every object is deleted, or didn't exist; exit code 0. TimedOut: at least one still exists; exit code 1.
   * Unknown: it is unknown if one still exists, such as without a connection; exit code 2.
   */
  outcome: 'Reached' | 'TimedOut' | 'Unknown';
  /** @minimum 0 */
  timeoutSeconds: number;
  items: readonly WaitItem[];
}

/** The result for one object. */
export interface WaitItem {
  object: ObjectRef;
  /** Recreated: it is deleted, and another object has its name. Absent: it didn't exist at the start. */
  outcome: 'Deleted' | 'Recreated' | 'Absent' | 'Remaining' | 'Unknown';
  /** Time from the start of the command to the deletion. @minimum 0 */
  seconds?: number;
  /** The object that has its name now. */
  recreated?: ObjectRef;
  /** Why it remains, or why its state is unknown, in a sentence. */
  because?: string;
  /** The answer of `why` about an object that remains. */
  diagnosis?: DiagnosisItem;
}

/**
 * The remedies for one object, or for several together, as printed by `kubectl gc-tree unblock TARGET -o json|yaml`.
 */
export interface RemedyList {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'RemedyList';
  basis: Basis;
  /** The first object. */
  object: ObjectRef;
  /** All selected objects, if several: each remedy is for many of them at once. */
  objects?: readonly ObjectRef[];
  /** Safest first. */
  items: readonly Remedy[];
}

/**
 * The deletion of objects in audit logs or a recording, as printed by `kubectl gc-tree why --audit-log FILE -o json|yaml`,
 * and by `why -o json|yaml` for an object that is gone, from a recording with `--replay FILE`, else from the journal and
 * Events.
 */
export interface DeletionHistory extends Traces {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'DeletionHistory';
  log: AuditLog;
  /** The recording, if one was read in place of audit logs. */
  recording?: RecordedSpan;
  /** One for each object that had the name, oldest first. */
  items: readonly ObjectHistory[];
}

/** The span of a recording that was read. */
export interface RecordedSpan {
  file: string;
  from: MicroTime;
  /** Nothing later was read. */
  to: MicroTime;
  cutOff: boolean;
}

/** The audit logs that were read, none if `files` is empty. */
export interface AuditLog {
  files: readonly string[];
  from?: MicroTime;
  to?: MicroTime;
  /** Lines that name the object and aren't whole events, such as a last line that is still being written. */
  unreadableLines: Integer;
  /** Some events about the object have no bodies, so that policies and dependents may be unknown. */
  metadataOnly: boolean;
  /** There was more than is reported. */
  truncated: boolean;
}

/** An object by the path of its requests. */
export interface ResourceRef {
  group: string;
  resource: string;
  namespace?: string;
  name: string;
  uid?: string;
}

/** A request in an audit log. */
export interface AuditedRequest {
  at: MicroTime;
  verb: string;
  subresource?: string;
  /** Sender as sentences name it: a controller by its account or user agent, a kubelet, a ServiceAccount, else the user. */
  actor: string;
  user: string;
  impersonatedUser?: string;
  sourceIPs: readonly string[];
  /** The client's own description. */
  userAgent: string;
  /** HTTP status of the answer. */
  code: Integer;
  auditID: string;
}

/** An accepted deletion in an audit log. */
export interface AuditedDeletion extends AuditedRequest {
  policy?: string;
  /**
   * request: the request asked for it. finalizers: those in the answer show it. default: neither names one, so it was the
   * default of the kind, and policy is omitted. Omitted if the log doesn't show it.
   */
  policyFrom?: 'request' | 'finalizers' | 'default';
}

/** The deletion of one object. */
export interface ObjectHistory {
  object: ResourceRef;
  summary: string;
  createdAt?: MicroTime;
  owners: readonly {
    apiVersion: string;
    kind: string;
    name: string;
    uid: string;
  }[];
  /** Accepted requests; the first one decided. */
  deletions: readonly AuditedDeletion[];
  refused: readonly AuditedRequest[];
  /** Deletion of the namespace, for an object that was deleted with it. */
  namespaceDeletion?: AuditedRequest;
  goneAt?: MicroTime;
  /** The request that completed the deletion. Omitted if the log doesn't show it. */
  goneWith?: AuditedRequest;
  /** Requests that changed it from its deletion on. */
  requests: readonly AuditedRequest[];
  /** Requests of the garbage collector about its dependents. */
  effects: readonly {
    /** orphaned: the reference to it was removed. refused: the API server answered with an error. */
    effect: 'deleted' | 'orphaned' | 'changed' | 'refused';
    object: ResourceRef;
    request: AuditedRequest;
  }[];
  /** Observations of the object from the beginning of its deletion on, in a recording. */
  observed?: readonly Observation[];
  /** Observations of other objects because of it, in a recording. */
  observedEffects?: readonly Observation[];
  /** Observation from which its deletion followed, if it is about another object, in a recording. */
  action?: Observation;
}

/** An observed change, as in an ActivityEntry. */
export interface Observation {
  at: MicroTime;
  what: string;
  object: ObjectRef;
  policy?: Cascade;
  /** Actors that do this in such a moment; empty if none is known. */
  by: readonly string[];
  certainty: Certainty;
  because: string;
  reason: string;
}

export type ActivityKind =
  | 'Marked'
  | 'PolicyChanged'
  | 'Held'
  | 'Collected'
  | 'Deleted'
  | 'Stripped'
  | 'Orphaned'
  | 'Released'
  | 'ReferenceRemoved'
  | 'Adopted'
  | 'ReferenceAdded'
  | 'Unblocked'
  | 'FinalizerRemoved'
  | 'Recreated';

/**
 * One change to ownership or deletion with its reason, as printed by `kubectl gc-tree activity -o json|yaml`: in JSON each
 * on a line of its own.
 */
export interface ActivityEntry extends ActivityItem {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'ActivityEntry';
  basis: Basis;
}

export interface ActivityItem {
  /** Grows within one run. */
  id: Ordinal;
  /** Time of observation; for a deletion from before the start, the time of its request. */
  at: Instant;
  /** The change; `kubectl gc-tree activity --help` explains each. */
  what: ActivityKind;
  object: ObjectRef;
  /** Policy of an unfinished deletion, as its finalizers show it. */
  policy?: Cascade;
  /** Actors that do this in such a moment; objects don't record it. Empty if none is known. */
  by: readonly ('garbage-collector' | 'namespace-controller' | 'definition-controller' | 'controller')[];
  /** assumed: `by` isn't empty, or not everything could be seen. */
  certainty: Certainty;
  /** The reason for people. */
  because: string;
  reason: ActivityReason;
  /** Names the wait of an unfinished deletion. */
  waitsFor?: {
    /** Finalizers, those of a Namespace's spec among them; `policy` and `dependents` show `foregroundDeletion`. */
    finalizers: readonly string[];
    /** Dependents that hold up a foreground deletion. */
    dependents: readonly ObjectRef[];
    /** The node whose kubelet has to end the pod. */
    node?: string;
    /** End of the pod's grace period. */
    graceEnds?: Instant;
  };
  /** The first cause; the entry itself if it follows from nothing that was seen. */
  action: {
    id: Ordinal;
    what: ActivityKind;
    object: ObjectRef;
  };
  /** The id of the entry that it follows from, if there is one. */
  causedBy?: Ordinal;
  /**
   * In an ActivityList: requests for the object in the ten seconds before, as admission reviews name them. One of them
   * led to the change, unless a request that wasn't reviewed did.
   */
  requests?: readonly {
    /** The user who sent it. */
    user: string;
    verb: 'delete' | 'evict' | 'update';
    at: Instant;
  }[];
}

/** Changes to ownership and deletion that `kubectl gc-tree serve --history` saw: the answer of `/v1alpha1/history`. */
export interface ActivityList {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'ActivityList';
  basis: Basis;
  /** The first moment from which changes are known; what happened while no server ran is seen later, or not at all. */
  since: Instant;
  /** Number of older matching entries that are no items: request a shorter time. */
  omitted: Count;
  /** Number of matching entries that are no items because they name objects that the caller may not list. */
  hidden: Count;
  /** Oldest first. */
  items: readonly ActivityItem[];
}

/** The reason for programs. */
export interface ActivityReason {
  /**
   * OwnersGone: no owner exists. OwnersWait: no owner holds it, and one is being deleted in the foreground. EmptiedWith:
   * its namespace or definition is being deleted. Asked: nothing that was seen makes the garbage collector do it. Ended:
   * its deletion is over. AnotherOwner: absent owners lose their references, and others stay. OwnerOrphans: its owner is
   * deleted with the policy orphan. Controller: its controller released or adopted it. OtherOwners: other references
   * changed. Cycle: it and an owner waited for each other. Finalizers: finalizers were removed. Waits: its deletion should
   * be over. SameName: another object got the name.
   */
  code:
    | 'OwnersGone'
    | 'OwnersWait'
    | 'EmptiedWith'
    | 'Asked'
    | 'Ended'
    | 'AnotherOwner'
    | 'OwnerOrphans'
    | 'Controller'
    | 'OtherOwners'
    | 'Cycle'
    | 'Finalizers'
    | 'Waits'
    | 'SameName';
  owners?: readonly OwnerFate[];
  /** EmptiedWith: the namespace or definition. SameName: the object that had the name before. */
  object?: ObjectRef;
  /** Ended: when it was marked. SameName: when the previous object was deleted. */
  at?: Instant;
  /** Controller: if its selector selects the labels; omitted if that is unknown. */
  selects?: boolean;
  /** The removed finalizers. */
  finalizers?: readonly string[];
  /** Names the wait of the deletion before its end. */
  ended?: 'finalizers' | 'dependents' | 'orphaned' | 'pod' | 'namespace' | 'unseen';
}

/** An owner at the moment of the change. */
export interface OwnerFate {
  object: ObjectRef;
  /**
   * Deleted: its deletion was seen. GoneByNow: it is deleted, perhaps after the object. The others are those of
   * `owners[].status` in an OwnershipTree.
   */
  state?: 'Deleted' | 'GoneByNow' | OwnerStatus;
  /** When it was seen to be marked or deleted. */
  at?: Instant;
}

interface Anyway {
  /** Happens without the action, too. */
  anyway?: true;
}

interface ForecastEnd {
  deleted: readonly DeletedEntry[];
  /** Objects that still exist at the end with a deletion timestamp. */
  terminating: readonly TerminatingEntry[];
  /** Objects that still exist at the end with other references or finalizers; references by the uid of the owner. */
  changed: readonly ChangedEntry[];
}

/** Forecast of an action, as printed by `kubectl gc-tree plan -o json|yaml`. */
export interface Plan extends ForecastEnd {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'Plan';
  basis: Basis;
  action: {
    verb: 'delete' | 'uninstall' | 'unblock' | 'taint' | 'drain' | 'restart' | 'none';
    cascade?: Cascade;
    /** The Helm release to uninstall. */
    release?: {
      name: string;
      namespace: string;
      revision: Integer;
    };
    remedy?: string;
    taint?: {
      key: string;
      value?: string;
      effect: string;
    };
    targets: readonly ObjectRef[];
  };
  /** Objects in the files of -f or a release that the cluster doesn't have. Omitted if neither names what to delete. */
  notFound?: readonly NotFoundEntry[];
  /**
   * Completes: everything that was asked for has happened at the end. Stuck: something that was to be deleted still exists,
   * in at least one possible order. Depends: the same, but everything is deleted if those handlers of finalizers do their
   * work that are running, are assumed to run outside, or may exist, and if PodDisruptionBudgets allow further evictions.
   */
  outcome: 'Completes' | 'Stuck' | 'Depends' | 'NoChange' | 'Refused';
  /**
   * Requests that an admission webhook or policy refuses whenever they are sent, so that their objects stay as they are:
   * required webhooks behind which nothing answers, and policies that deny them. Uncertain ones are warnings.
   */
  refused: readonly RefusedEntry[];
  /**
   * Objects that end differently if admission refuses requests that the warnings assume to pass; omitted if there are none,
   * and if more than 2000 objects change.
   */
  dependsOnAdmission?: readonly ObjectRef[];
  /**
   * The end if every handler does its work whose state is running, outside or unknown: these lists replace those of the
   * same names. Omitted if no such handler has anything to do.
   */
  ifHandled?: HandledEnd;
  /**
   * Objects that are neither deleted nor being deleted at the end, and are deleted once held objects have been released. An
   * object in deleted, terminating and then stands in one of these lists.
   */
  then: readonly DeletedLater[];
  recreated: readonly RecreatedEntry[];
  /** Every pod on nodes that the action deletes or taints. Omitted for other actions, as the next two are. */
  nodePods?: readonly NodePod[];
  /** Claims that no pod on the node uses any more, so that another node can attach their volumes. */
  freedVolumes?: readonly FreedVolume[];
  /** Pods that are deleted without a report from their kubelet and replaced, while their containers may still run. */
  couldRunTwice?: readonly TwiceRunning[];
  /** Pods on drained nodes, as kubectl drain treats them. Omitted for other actions. */
  drainedPods?: readonly DrainedPod[];
  /** Hooks that helm uninstall runs, and objects that it leaves. Omitted for other actions. */
  uninstall?: HelmUninstall;
  flapping?: readonly {
    object: ObjectRef;
    kind: string;
    because: string;
  }[];
  /**
   * Documented effects of GitOps tools and package managers, which are outside the control plane: never an edge of the
   * ownership graph, and counted in no other list. Omitted if none is known; warnings name what is unknown.
   */
  logical?: readonly LogicalEntry[];
  /** Users that stay without what is deleted, worst first. Omitted if none is known; a warning names what is unread. */
  breaks?: readonly BreakEntry[];
  /**
   * Objects whose end depends on the order in which queues are worked; they are in none of the lists above, unless
   * ifHandled is set.
   */
  timingDependent: readonly TimingEntry[];
  steps: readonly {
    n: Ordinal;
    at: Time;
    actor: string;
    verb: string;
    object: ObjectRef;
    request?: string;
    status?: Integer;
    because: string;
  }[];
  warnings: readonly string[];
  /**
   * The same as a command to paste, for sh, bash, zsh and fish; omitted if kubectl cannot do it, and if a shell line cannot
   * hold a name in it.
   */
  kubectl?: string;
}

/** Another end of the same lists. */
export interface HandledEnd extends ForecastEnd {}

/** An object that the cluster doesn't have. */
export interface NotFoundEntry extends ObjectRef {
  /** absent: it doesn't exist. unserved: no kind of this name is served in this version, so there are none. */
  because: 'absent' | 'unserved';
  /** Place where it is named; omitted for the output of kubectl kustomize. */
  source?: FileLine;
}

/** An object that is deleted at the end. */
export interface DeletedEntry extends Anyway {
  object: ObjectRef;
  /** The component that requests the deletion. */
  by: string;
  reason: string;
}

/** An object that is being deleted at the end. */
export interface TerminatingEntry extends Anyway {
  object: ObjectRef;
  finalizers: readonly string[];
  waitingFor: readonly string[];
  /** Handlers of the finalizers that no simulated controller removes. */
  handlers?: readonly FinalizerHandler[];
}

/** An object with other references or finalizers at the end. */
export interface ChangedEntry extends Anyway {
  object: ObjectRef;
  ownerReferencesRemoved: readonly string[];
  /** True if only some of several references to one owner are removed. */
  keepsRemovedOwner?: boolean;
  ownerReferencesUnblocked: readonly string[];
  ownerReferencesAdded?: readonly string[];
  /** References that remain and say something else: another name or kind, or that they block. */
  ownerReferencesAltered?: readonly string[];
  finalizersAdded: readonly string[];
  finalizersRemoved: readonly string[];
}

/** The controller that removes a finalizer. */
export interface FinalizerHandler {
  finalizer: string;
  /** The controller that removes it: `Argo CD`, `Deployment dns/external-dns`. */
  handler: string;
  /**
   * running: it has ready pods. notReady: a part of it exists without a ready pod, or it should have removed the finalizer
   * by now. absent: everything that could show it can be seen, and nothing of it exists. outside: it is assumed to run where
   * this cluster doesn't show it. goesToo: the action deletes it, or something that it needs. unknown: it may be there or
   * not.
   */
  state: 'running' | 'notReady' | 'absent' | 'outside' | 'goesToo' | 'unknown';
  /** Its parts that were found, and those that the action deletes. */
  evidence: readonly string[];
}

/** A request that admission refuses. */
export interface RefusedEntry extends Anyway {
  object: ObjectRef;
  /** The component that sends it: garbage-collector, namespace-controller, kubelet, user. */
  actor: string;
  operation: 'DELETE' | 'UPDATE';
  by: {
    /** Kind of the webhook configuration, or of the policy's binding. */
    kind: string;
    name: string;
    /** Its name in the configuration; empty for a policy. */
    webhook: string;
    /** Empty for a webhook. */
    policy: string;
    /** Namespace/name of the Service that doesn't answer; empty for a policy. */
    service: string;
  };
  because: string;
}

/** An object that is deleted once held objects have been released. */
export interface DeletedLater extends Anyway {
  object: ObjectRef;
  /**
   * Held objects that all have to be released first; the object itself is among them if it is held as well once its deletion
   * begins. Omitted if it is unknown which held objects decide: then all of them.
   */
  after?: readonly ObjectRef[];
}

/** Objects that a controller creates again. */
export interface RecreatedEntry extends Anyway {
  /** The controller of the new objects, or the component that creates them, such as serviceaccount-controller. */
  by: string;
  kind: string;
  count: Ordinal;
  /** Number of pods among them that fit on no node and stay Pending. */
  pending?: Ordinal;
}

/** A pod on a node that the action deletes or taints. */
export interface NodePod {
  pod: ObjectRef;
  node: string;
  /** Terminating: it still exists at the end, and is being deleted. */
  fate: 'Deleted' | 'Terminating' | 'Stays';
  /** The component that removes it, or acted last on a pod that stays. */
  by?: string;
  /** An estimate: controllers work in periods whose phase cannot be seen. */
  earliest?: Time;
  /** An estimate. */
  latest?: Time;
  because: string;
  /** Finalizers that a terminating pod keeps. */
  heldBy: readonly string[];
}

/** A pod on a drained node. */
export interface DrainedPod {
  pod: ObjectRef;
  node: string;
  /**
   * Evicted: accepted at once. Waits: refused at first, or perhaps, until its PodDisruptionBudget allows it. Refused: the
   * same, and nothing that can be seen ends that. Blocks: kubectl evicts nothing from the node because of it. Stays: kubectl
   * leaves it there.
   */
  fate: 'Evicted' | 'Waits' | 'Refused' | 'Blocks' | 'Stays';
  /** Reason, or what is lost; empty if nothing is. */
  because: string;
  /** The PodDisruptionBudget that allows or refuses it. */
  budget?: ObjectRef;
  /** True if some pods of the budget are evicted at once, and which ones isn't certain. */
  isContended?: true;
}

/** Hooks that helm uninstall runs, and objects that it leaves. */
export interface HelmUninstall {
  /** Reason why Helm deletes nothing of the manifest; omitted if it does. */
  stops?: string;
  /** In the order in which Helm runs them. */
  hooks: readonly HelmHook[];
  /** Objects of the release that it leaves; without a uid if they can't be seen. */
  kept: readonly {
    object: ObjectRef;
    because: string;
  }[];
}

/** A hook of an uninstallation. What it does isn't part of the forecast. */
export interface HelmHook {
  event: 'pre-delete' | 'post-delete';
  /** Without a uid if no object of this name exists. */
  object: ObjectRef;
  /** True if Helm first deletes the existing object. */
  replaces: boolean;
  /** stays: it exists afterwards. deleted: Helm deletes it once the hooks have succeeded. fails: Helm can't run it. */
  end: 'stays' | 'deleted' | 'fails';
  /** Reason why it fails; otherwise omitted. */
  because?: string;
}

/** A claim that no pod on the node uses any more. */
export interface FreedVolume {
  claim: ObjectRef;
  /** The PersistentVolume that it is bound to. */
  volume?: string;
  node: string;
  /** Earliest time of its detachment, as an estimate. */
  earliest: Time;
  because: string;
}

/** A pod that is replaced while its containers may still run. */
export interface TwiceRunning {
  pod: ObjectRef;
  node: string;
  /** The controller that creates the new pod. */
  replacedBy: ObjectRef;
  /** The claim that both use, if the new pod has another name. */
  claim?: string;
  /** assumed: the controller's behaviour is unknown, or its object cannot be seen. */
  certainty?: Certainty;
  /** Finalizers that keep the old pod, and with it its name, until they are removed. */
  heldBy?: readonly string[];
  because: string;
}

/** A user that stays without what it uses. */
export interface BreakEntry {
  object: ObjectRef;
  /** The topmost controller of what uses it. */
  user: ObjectRef;
  /** The number of its pods that use it now. */
  pods: Integer;
  /** Says how, with the pronoun `it`: `mounts it as a volume`. */
  how: string;
  /**
   * atOnce: running pods and open requests fail, too. nextStart: the next start of a container or pod fails. later: a later change fails, such
   * as a scale-up. leftBehind: nothing fails, and the user has no purpose any more.
   */
  when: 'atOnce' | 'nextStart' | 'later' | 'leftBehind';
  because: string;
  /** assumed: the object may stay. */
  certainty: 'exact' | 'assumed';
}

/** Effect of a GitOps tool or package manager on an object. */
export interface LogicalEntry {
  /** Without a uid if it wasn't read. */
  object: ObjectRef;
  /** `Argo CD Application argocd/shop` */
  by: string;
  /**
   * deleted: a tool deletes it, because what it is managed by is deleted. kept: its deletion would be expected, and the tool
   * keeps it. recreated: the action deletes it, and the tool creates it again. reverted: the action changes it, and the tool
   * restores what its source says.
   */
  effect: 'deleted' | 'kept' | 'recreated' | 'reverted';
  /**
   * automatically: a controller does so by itself. onRequest: only after a user syncs, upgrades, approves or resumes
   * something. unknown: the deciding field cannot be seen. Omitted for kept.
   */
  when?: 'automatically' | 'onRequest' | 'unknown';
  because: string;
  /** Always assumed: it is the tool's documented behaviour. */
  certainty: 'assumed';
  /** How to get another effect. */
  instead?: string;
  /** The tool's name of the other cluster that the object is in. */
  cluster?: string;
  /** The affected part, if not the object itself: `external resource`. */
  part?: string;
}

/** An object whose end depends on the order of work. */
export interface TimingEntry {
  object: ObjectRef;
  /** @minItems 2 */
  outcomes: readonly string[];
  because: string;
  /**
   * Set if the order decides only its end after the handlers' work. The lists above show how it is held until then, which
   * is certain; those of ifHandled don't have it.
   */
  ifHandled?: true;
  /** Set if it depends on timing without the action, too. */
  anyway?: true;
  /** Handlers of its finalizers if it is held in the order that the other lists show; omitted if it waits for none. */
  handlers?: readonly FinalizerHandler[];
}

export type ExitReason =
  | 'Done'
  | 'NotFollowed'
  | 'DryRun'
  | 'NothingToDo'
  | 'Stuck'
  | 'Departed'
  | 'TimedOut'
  | 'Declined'
  | 'WouldGetStuck'
  | 'Denied'
  | 'Refused'
  | 'Changed'
  | 'Stale'
  | 'Gone'
  | 'NoAnswer'
  | 'Failed'
  | 'Interrupted';

/**
 * One action from its forecast to its end, as printed by `kubectl gc-tree delete|unblock|undo -o json|yaml`, even if
 * it was refused, declined, interrupted or only a dry run.
 */
export interface ActionResult {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'ActionResult';
  /** Taken at the end; the plan has the forecast's. */
  basis: Basis;
  action: {
    verb: 'delete' | 'unblock' | 'undo';
    cascade?: Cascade;
    gracePeriodSeconds?: Integer;
    /** Set for unblock. */
    remedy?: string;
    /** The entry of the journal that undo reverts. */
    entry?: string;
    targets: readonly ObjectRef[];
  };
  dryRun: 'none' | 'client' | 'server';
  /** The forecast; omitted if there was none. */
  plan?: Plan;
  /** Losses that undo cannot bring back. */
  losses: readonly {
    object: ObjectRef;
    what: string;
  }[];
  permissions?: PermissionReport;
  /** The API server's answers to the requests as dry runs; omitted if none was sent. */
  dryRunAnswers?: readonly {
    verb: RequestVerb;
    path: string;
    /** HTTP status. */
    status: Integer;
    accepted: boolean;
    /** The API server's words if it would refuse. */
    message?: string;
  }[];
  confirmation?: Confirmation;
  /** Requests in the order in which they are sent. */
  requests: readonly ResultRequest[];
  /**
   * Forecast and observed state of each object; empty if nothing was sent. Objects that were to stay as they are appear only
   * if they didn't.
   */
  objects: readonly ComparedObject[];
  /** Omitted for dry runs, if nothing was to be sent, and if it was interrupted before anything was known. */
  result?: {
    state: 'reached' | 'departed' | 'unfinished' | 'refused' | 'denied' | 'cancelled' | 'stale' | 'moot';
    because: string;
    /** Number of requests that the API server accepted. */
    taken: Count;
    /** False with --wait=false. */
    followed: boolean;
  };
  journal: {
    /** Entries that it has written, in order. */
    entries: readonly string[];
    /** Commands that revert them, in this order; empty if that is unknown yet, or impossible. */
    undo: readonly string[];
    /** Losses that those cannot bring back. */
    lost: readonly string[];
  };
  exit: ActionExit;
}

/** The end of the command. */
export interface ActionExit {
  /** Exit code of the command. */
  code: Integer;
  reason: ExitReason;
  /** Message on standard error. */
  message?: string;
}

/** Permissions that were asked about; omitted if there were none. */
export interface PermissionReport {
  /**
   * Every question to the API server (SelfSubjectAccessReview) with its answer. A permission for all objects isn't asked
   * about for each.
   */
  asked: readonly AskedPermission[];
  /** Permissions that the action needs and the user lacks; nothing is sent then. */
  missing: readonly Permission[];
  /** Missing ones that are only needed with an admission plugin that is off by default. */
  doubtful: readonly DoubtfulPermission[];
  /** Objects that the user may not read, so that the backup may have only their metadata. */
  unreadable: readonly ObjectRef[];
}

/** A permission that the action needs. */
export interface Permission {
  verb: 'get' | 'create' | 'update' | 'patch' | 'delete';
  group: string;
  resource: string;
  subresource?: string;
  /** Omitted for a cluster-scoped kind, and for all namespaces. */
  namespace?: string;
  /** Omitted for all objects. */
  name?: string;
}

/** A permission with the API server's answer. */
export interface AskedPermission extends Permission {
  /** unknown: the API server didn't answer the question. */
  access: 'allowed' | 'denied' | 'unknown';
}

/** A permission that may not be needed. */
export interface DoubtfulPermission extends Permission {
  onlyWith?: string;
}

/** The user's confirmation. */
export interface Confirmation {
  /** typed: a word has to be typed, because many objects are affected or something is lost for good. */
  kind: 'key' | 'typed';
  /** Why a key isn't enough. */
  because?: string;
  /** inAdvance: by --yes. */
  answer: ConfirmationAnswer;
}

export type ConfirmationAnswer = 'notAsked' | 'inAdvance' | 'given' | 'declined';

export type RequestVerb = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request of an action, and what became of it. */
export interface JournalRequest {
  verb: RequestVerb;
  path: string;
  contentType?: string;
  /** Without the data of Secrets. */
  body?: unknown;
  /** unknown: perhaps sent, without an answer. */
  state: 'notSent' | 'unknown' | 'answered';
  /** HTTP status, if it was answered. */
  status?: Integer;
  /** The API server's words if it refused. */
  message?: string;
}

/** A request of the action, and what became of it. */
export interface ResultRequest extends JournalRequest {
  /** Entry of the journal; omitted if nothing was sent. */
  entry?: string;
  contentType: string;
  /** Without the data of Secrets. */
  body: unknown;
}

/** An object's forecast, and what was observed. */
export interface ComparedObject {
  /** For recreated the controller that creates the new objects. */
  object: ObjectRef;
  forecast: 'deleted' | 'terminating' | 'changed' | 'made' | 'bound' | 'kept' | 'recreated';
  /** Set for recreated. */
  kind?: string;
  /** Set for recreated. */
  count?: Integer;
  /** pending: not yet, and it may still come. departed: it didn't follow the forecast. */
  observed: 'asForecast' | 'pending' | 'departed';
  /** The observed state in words, unless it is as forecast. */
  actual?: string;
  /** Index into requests of the request about the object itself. */
  request?: Count;
}

/**
 * Past actions of delete, unblock and undo, as printed by `kubectl gc-tree undo -o json|yaml`, the latest first.
 */
export interface Journal {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'Journal';
  basis: Basis;
  items: readonly JournalItem[];
}

/** An action of this tool. */
export interface JournalItem {
  /** The id that `kubectl gc-tree undo` takes. */
  id: string;
  at: Time;
  action: 'delete' | 'unblock' | 'undo';
  /** One line for people. */
  title: string;
  /** Its object; the first of several. */
  object: ObjectRef;
  /** Context of the kubeconfig. */
  context?: string;
  /** The entry that this one reverts. */
  undoes?: string;
  /** Omitted if the process ended before it knew. */
  outcome?: 'reached' | 'departed' | 'unfinished' | 'refused';
  /** It can be reverted, at least in part, as the cluster is now. */
  reversible: boolean;
  /** Why it cannot be, or what cannot come back. */
  because?: string;
  requests: readonly JournalRequest[];
}

/** Pods that PodGC deletes, by which rule and when, and why not others, as printed by `kubectl gc-tree podgc -o json|yaml`. */
export interface PodGCCandidateList {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'PodGCCandidateList';
  basis: Basis;
  /** Number of finished pods that kube-controller-manager keeps; zero or less is no limit. */
  threshold: Integer;
  /** The threshold is unknown, and the default is assumed. */
  thresholdAssumed: boolean;
  /**
   * given: by --terminated-pod-gc-threshold. manager: by the arguments of the pods of kube-controller-manager. assumed: by
   * its default.
   */
  thresholdFrom?: 'given' | 'manager' | 'assumed';
  /** The flag of kube-controller-manager that switches PodGC off; omitted if none is known to. */
  switchedOffBy?: string;
  /** Number of finished pods in the whole cluster. */
  terminatedPods: Count;
  /** Minor release of Kubernetes whose rules these are. @pattern ^1\.[0-9]+$ */
  rulesOf: string;
  /** Due pods first, in the order of PodGC's passes, then those that only look like it. */
  items: readonly PodGCCandidate[];
  /** Finished pods that are deleted first once there are more than the threshold; at most ten. @maxItems 10 */
  firstToGo: readonly ObjectRef[];
  /** Nodes with pods that aren't simply ready. */
  nodes: readonly {
    node: ObjectRef;
    state: 'NotReady' | 'OutOfService' | 'TaintedButReady' | 'Missing';
    /** Number of pods that are bound to it. */
    pods: Ordinal;
    /** Number of those that are being deleted. */
    deleting: Count;
    /** Pods that the taint out-of-service with the effect NoExecute evicts, for a node that isn't ready. */
    evictable?: readonly ObjectRef[];
  }[];
  manager?: ManagerLease;
}

/** A pod that a rule of PodGC is about. */
export interface PodGCCandidate {
  pod: ObjectRef;
  /** Omitted for a pod that was never bound to one. Without a uid if the node doesn't exist. */
  node?: ObjectRef;
  /** The rule by which PodGC deletes the pod, or would delete it if it were due. */
  rule: 'Terminated' | 'OutOfService' | 'Orphaned' | 'UnscheduledTerminating';
  /** now: in PodGC's next cycle. at: at about dueAt. no: it stays. */
  due: 'now' | 'at' | 'no';
  /** An estimate within the span in which PodGC acts. Only with `due: at`. */
  dueAt?: Time;
  /** End of that span. */
  dueBy?: Time;
  /** Set if that is long over: kube-controller-manager is away, or its requests are refused. */
  overdue?: true;
  /** Set with `due: no` if the deciding objects cannot be seen. */
  unknown?: true;
  /** Set if its node isn't listed, and no look-up has confirmed yet that it is deleted. */
  assumed?: true;
  because: Text;
  /** Type of the condition that PodGC writes before it deletes. */
  conditionAdded?: Text;
  /** Finalizers that hold the pod afterwards. */
  heldBy: readonly string[];
}

/** The lease of kube-controller-manager; omitted if it is unknown, and if no pod waits for it. */
export interface ManagerLease {
  /** The replica that runs the controllers; omitted if the last one gave the lease up. */
  holder?: Text;
  /** Start of its run: no quarantine begins before it. */
  startedAt?: Time;
  renewedAt: Time;
  /** It wasn't renewed for long: PodGC is idle, unless the manager runs without leader election. */
  away: boolean;
}

/**
 * One step of the garbage collector or another component, with its decisions, look-ups, requests and queued work, as
 * printed by `kubectl gc-tree demo SCENARIO --step -o json|yaml`: in JSON each on a line of its own.
 */
export interface CollectorStep {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'CollectorStep';
  basis: Basis;
  /** Number from 1. With `--break` some are left out. */
  n: Ordinal;
  /** Virtual time in a simulation. */
  at: Instant;
  /** `garbage-collector`, `user`, `kubelet`, or the name of another actor. */
  actor: string;
  /**
   * simulated: reported by the simulated collector. inferred: what a collector that has seen these objects, and no others,
   * would do or hold; a real one may differ.
   */
  knowledge: Knowledge;
  work: StepWork;
  /** Decisions in order; the last one is the result of the step. */
  decisions: readonly {
    branch: StepBranch;
    /** The same in words. */
    because: string;
    /** Section of docs/kubernetes.md with its source; omitted for items of the collector of 1.5 (docs/collector.md). */
    section?: string;
  }[];
  lookUps: readonly {
    object: ObjectRef;
    of: 'item' | 'owner' | 'dependent';
    /**
     * graph: the collector's own. absentOwners: its cache, if that answers. kinds: its REST mapper, if it doesn't know the
     * kind, or the scope is wrong. live: a GET.
     */
    from: 'graph' | 'absentOwners' | 'kinds' | 'live';
    result:
      | 'found'
      | 'waiting'
      | 'absent'
      | 'otherUid'
      | 'failed'
      | 'unresolvable'
      | 'namespaced'
      | 'blocking'
      | 'notBlocking';
    /** HTTP status of a GET. */
    status?: Integer;
  }[];
  /** Requests that change something; reads are in `lookUps`. */
  requests: readonly {
    actor: string;
    verb: string;
    object: ObjectRef;
    subresource?: string;
    /** The body, if it is known. */
    body?: unknown;
    status: Integer;
    /** Why admission refused it. */
    refused?: string;
    result: 'created' | 'changed' | 'deleting' | 'removed' | 'unchanged' | 'refused';
    because?: string;
  }[];
  /** Items that the collector has queued. */
  queued: readonly {
    queue: string;
    object: ObjectRef;
    /** Set in a queue of events. */
    event?: WatchedEvent;
    /** When it comes back, if later. */
    until?: Instant;
  }[];
  /** Events OwnerRefInvalidNamespace. */
  warnings: readonly {
    object: ObjectRef;
    owner: ObjectRef;
  }[];
  collector: CollectorState;
}

export type Knowledge = 'simulated' | 'inferred';

export type WatchedEvent = 'added' | 'updated' | 'deleted' | 'virtualDelete';

/** The work of a step. */
export interface StepWork {
  /**
   * event: the collector takes in a graph event. item: a worker decides on an item, or sends the requests that it has decided
   * upon. watch: a watch of the collector reports changes. outside: it comes from outside the cluster. task: anything else.
   */
  of: 'event' | 'item' | 'watch' | 'outside' | 'task';
  /** virtualDelete: a look-up has shown that the object doesn't exist. */
  event?: WatchedEvent;
  object?: ObjectRef;
  /** Set for an item. */
  queue?: string;
  /** Set for an item. */
  stage?: 'decision' | 'requests';
  /** Set for a watch: `deployments.apps`. */
  resource?: string;
  /** Set for a step from outside: `delete StatefulSet shop/web`. */
  about?: string;
  /** Set for a task. */
  name?: string;
}

export type StepBranch =
  | 'NodeAdded'
  | 'VirtualNodeObserved'
  | 'VirtualNodeCorrected'
  | 'NothingChanged'
  | 'OwnersChanged'
  | 'OwnerUnblocked'
  | 'DeletionBegan'
  | 'ForegroundDeletionBegan'
  | 'OrphaningBegan'
  | 'NodeRemoved'
  | 'AbsenceRemembered'
  | 'NodeUnknown'
  | 'AbsentClaimDropped'
  | 'OtherClaimTried'
  | 'VirtualNodeSuperseded'
  | 'WorkersWait'
  | 'AlreadyDeleting'
  | 'KindUnresolvable'
  | 'NamespaceMissing'
  | 'ObjectAbsent'
  | 'OtherUid'
  | 'LookUpFailed'
  | 'NoOwners'
  | 'NotObservedYet'
  | 'None'
  | 'DeleteBackground'
  | 'DeleteForeground'
  | 'DeleteOrphan'
  | 'DeleteByDefault'
  | 'PruneReferences'
  | 'UnblockAndDelete'
  | 'WaitForDependents'
  | 'RemoveForegroundFinalizer'
  | 'OrphanDependents'
  | 'RetryForever'
  | 'NeverCollected'
  | 'MoreOwnersToLookUp'
  | 'RequestsDone'
  | 'RequestsFoundNothing'
  | 'RequestsFailed'
  | 'WorkersStarted'
  | 'MonitorsSynced'
  | 'MonitorsUnchanged';

/** Memory of the collector after the step. */
export interface CollectorState {
  /** Release whose behaviour it has: `1.36`. */
  version: string;
  /** simulated or inferred, as for the step. */
  knowledge: Knowledge;
  running: boolean;
  workersWait: boolean;
  queues: readonly {
    name: string;
    items: readonly QueuedItem[];
    backingOff: readonly QueuedItem[];
  }[];
  /** Items that are decided upon, with requests still to be sent. */
  acting: readonly ObjectRef[];
  nodes: Count;
  virtualNodes: readonly {
    object: ObjectRef;
    dependents: readonly ObjectRef[];
  }[];
  /** Least recently used first. Omitted if the version has no such cache. */
  absentOwners?: readonly ObjectRef[];
  monitors: Count;
  unsynced: readonly {
    resource: string;
    state: 'listing' | 'blind';
    reason?: string;
  }[];
  /** Group/versions that cannot be discovered. */
  undiscovered: readonly string[];
}

/** An item in a queue of the collector. */
export interface QueuedItem {
  object: ObjectRef;
  /** It is known only from owner references. */
  virtual: boolean;
  /** Set in a queue of events. */
  event?: WatchedEvent;
  /** When it comes back. */
  until?: Instant;
  /** Number of failed attempts in a row. */
  failures?: Count;
}

/**
 * A scenario under the first garbage collector and under today's, as printed by `kubectl gc-tree demo SCENARIO
 * --compare-collectors -o json|yaml`.
 */
export interface CollectorComparison {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'CollectorComparison';
  scenario: string;
  /** Releases of Kubernetes of both collectors. */
  collectors: {
    first: '1.5';
    today: '1.36';
  };
  /** Objects that ended differently, by kind, namespace and name. */
  items: readonly {
    object: ObjectRef;
    first: ScenarioEnd;
    today: ScenarioEnd;
    /** Codes of `changes` that explain it; empty if it follows from others alone. */
    because: readonly CollectorChange[];
  }[];
  /** Number of objects that ended alike. */
  alike: Count;
  /** Requests of the collector that were to change something, by verb. */
  requests: {
    first: RequestCounts;
    today: RequestCounts;
  };
  /** Changes between the two that this scenario met. */
  changes: readonly {
    code: CollectorChange;
    title: string;
    /** Behaviour of 1.5. */
    first: string;
    /** Behaviour of 1.36. */
    today: string;
    /** The release that brought today's behaviour. */
    since: string;
    /** Place of the change. */
    reference: string;
    /** Files of both releases that show it. */
    sources: readonly string[];
    /** Objects of `items` that it explains; empty if no end shows it. */
    objects: readonly ObjectRef[];
  }[];
}

export type CollectorChange =
  | 'ForegroundDeletion'
  | 'DefaultPolicy'
  | 'JobPolicy'
  | 'BackgroundCascade'
  | 'DanglingReferences'
  | 'AbsentByUid'
  | 'UncheckedReference'
  | 'ClusterScopedOwner'
  | 'NamespacedOwner'
  | 'CustomResources'
  | 'DeletedAgain'
  | 'FailedOrphaning'
  | 'LateOrphaning'
  | 'LostFinalizers';

/** An object at the end of a scenario. */
export interface ScenarioEnd {
  /**
   * stuck: its deletion has begun and doesn't end. orphaned: it has lost all owner references. neverMade: it exists only in
   * the other history.
   */
  end: 'deleted' | 'stuck' | 'orphaned' | 'left' | 'neverMade';
  /** Who requested the deletion. */
  by?: string;
  finalizers?: readonly string[];
  /** Kind and name, in the order of the references. */
  owners?: readonly string[];
}

export type RequestCounts = Readonly<Record<string, Count>>;

/** The answers of several clusters, as printed by `kubectl gc-tree check|podgc --contexts -o json|yaml`. */
export interface ContextList {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'ContextList';
  counts: {
    /** Contexts that were asked. */
    total: Ordinal;
    /** Contexts without an answer. If there are any, the exit code is 2. */
    failed: Count;
  };
  /** One for each context, by name. */
  items: readonly ContextEntry[];
}

/** The answer of one context. */
export interface ContextEntry {
  /** Its name in the kubeconfig. */
  context: string;
  /** The output of the command for this context alone. Omitted if it failed. */
  document?: {
    apiVersion: 'gc-tree.dev/v1alpha1';
    kind: 'FindingList' | 'PodGCCandidateList';
  };
  /** Why there is no answer. Omitted if there is one. */
  error?: {
    message: string;
  };
}

/** The built-in scenarios, as printed by `kubectl gc-tree demo --list -o json|yaml`. */
export interface ScenarioList {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'ScenarioList';
  /** The default one first, then by name. */
  items: readonly {
    /** The name that `--demo` takes. */
    name: Text;
    /** One line. */
    title: string;
    /** Events of the scenario, in paragraphs with an empty line between them. */
    about?: string;
    /** Objects to look at, a sentence each. */
    look?: readonly string[];
    /** Commands to try. */
    try?: readonly {
      command: string;
      /** Purpose of the command. */
      shows: string;
    }[];
    /** The namespace to look at first. */
    namespace?: string;
  }[];
}

/** The kinds of documents, as printed by `kubectl gc-tree schema -o json|yaml`. */
export interface SchemaList {
  apiVersion: 'gc-tree.dev/v1alpha1';
  kind: 'SchemaList';
  /** By kind. */
  items: readonly {
    /** The kind that `schema KIND` takes. */
    kind: Text;
    /** The `$id` of the schema. */
    id: string;
    /** Contents of the document, and the command that prints it. */
    about: string;
  }[];
}
