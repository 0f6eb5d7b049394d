/** Texts below each command's help: targets, examples, and notes. */

export const targetHelp = `
Targets:
  sts/web                     by short name, singular, plural or kind
  statefulset web api         several objects of one type
  deploy/api sts/web          several objects of several types
  statefulsets.v1.apps/web    with version and group, where names clash
  pods                        every object of a type in the namespace
  all                         every type of a category
`;

export const examples = `
Examples:
  kubectl gc-tree                            the current namespace, live
  kubectl gc-tree sts/web                    start at one object
  kubectl gc-tree tree sts/web -n shop       its owners and its dependents
  kubectl gc-tree tree -A                    every ownership tree of the cluster
  kubectl gc-tree tree deploy -l app=api     the Deployments with a label
  kubectl gc-tree tree -A -o json            for scripts
  kubectl gc-tree why sts/web                why it is still here; what can be
                                             done about it
  kubectl gc-tree check -A                   everything that is wrong with
                                             ownership and deletion
  kubectl gc-tree plan delete deploy/api     what that would do
  kubectl gc-tree podgc                      which pods PodGC takes, and when
  kubectl gc-tree unblock sts/web            what can be done about a deletion
                                             that hangs, and do it
  kubectl gc-tree -f dump/                   browse a dump, without a cluster
  kubectl gc-tree demo                       try it without a cluster
`;

export const treeExamples = `
Examples:
  kubectl gc-tree tree                       every root in the current namespace
  kubectl gc-tree tree sts/web -n shop       its owners and its dependents
  kubectl gc-tree tree pod/web-0 -o wide     adds NODE, OWNERS (flags of owner
                                             references), FINALIZERS, MANAGED
                                             BY and UID
  kubectl gc-tree tree deploy --watch        then every change as it comes
  kubectl gc-tree tree -A -o dot | dot -Tsvg
                                             a picture
  kubectl gc-tree tree -A --by=manager       below Helm releases, Applications,
                                             Kustomizations and the like
  kubectl get all,cm,secret -o yaml | kubectl gc-tree tree -f -

Rows marked with * are the selected objects; the others are their owners and
dependents.
`;

export const whyExamples = `
Examples:
  kubectl gc-tree why sts/web -n shop        why it isn't deleted, what can be
                                             done
  kubectl gc-tree why pod/web-0              why it survived, or who owns it
  kubectl gc-tree why ns/shop -o wide        with the kubectl commands of the
                                             remedies
  kubectl gc-tree why pods -l app=web -o json
                                             for scripts
  kubectl gc-tree why cm/settings --probe    also ask which webhook or policy
                                             stands in the way
  kubectl gc-tree why sts/web -f dump/       from a dump, without a cluster
  kubectl gc-tree why cm/gone -n shop --audit-log audit.log
                                             who deleted it, and what followed

With --audit-log (see docs/audit.md) no cluster is asked: the log tells who
deleted an object that is gone, when, from where and how, and what the collector
did then.

With --probe the requests that the garbage collector, the namespace controller
or who has to remove a finalizer would send next for the object are sent as dry
runs (dryRun=All) with your own account: admission answers them, nothing is
stored.
`;

export const checkExamples = `
Examples:
  kubectl gc-tree check -n shop              what is wrong in a namespace
  kubectl gc-tree check -A                   in the whole cluster
  kubectl gc-tree check deploy/api           in an object and what it owns
  kubectl gc-tree check -A --fail-on=error   exit code 1 for errors alone
  kubectl gc-tree check --codes OwnerRecreated,OwnerReferenceMismatch
  kubectl gc-tree check -A --watch           then every new finding, and
                                             every one that is over
  kubectl gc-tree check -A -o junit > gc.xml
                                             a report for CI; also sarif
  kubectl gc-tree check -A --contexts 'prod-*'
                                             in several clusters at once
  kubectl gc-tree check -f manifests/ --closed-world

Exit codes: 0 nothing at or above --fail-on, 1 findings at or above it, 2 wrong
use or no answer.
`;

export const planExamples = `
Examples:
  kubectl gc-tree plan delete deploy/api     what is deleted, kept, recreated
  kubectl gc-tree plan delete sts/web --cascade=orphan
                                             and with another propagation policy
  kubectl gc-tree plan delete deploy/api --tree
                                             on the tree, with what becomes of
                                             each object
  kubectl gc-tree plan delete deploy/api -o svg > plan.svg
                                             as a picture; also html, dot and
                                             mermaid
  kubectl gc-tree plan delete ns/shop --steps
                                             in the order of events
  kubectl gc-tree plan unblock sts/web       the remedies for what hangs
  kubectl gc-tree plan unblock sts/web --remedy redelete/background
  kubectl gc-tree plan delete node/node-3    its pods, when they are deleted,
                                             and what could run twice
  kubectl gc-tree plan taint node/node-3 out-of-service
                                             the same, and its volumes are
                                             detached at once
  kubectl gc-tree plan                       what happens if nobody acts
  kubectl gc-tree plan restart               what a restart of
                                             kube-controller-manager changes
  kubectl gc-tree plan delete ns/preview --fail-on=stuck,refused
  kubectl gc-tree plan delete -f manifests/  what kubectl delete -f manifests/
                                             does to the cluster
  kubectl get all,cm -o yaml | kubectl gc-tree plan delete deploy/api -f -

Exit codes: 0 forecast made, 1 a condition of --fail-on holds, or what a file
names is not in the cluster (not with --ignore-not-found), 2 wrong use or no
answer.
`;

export const recordExamples = `
What is watched of objects is written, never the data of Secrets: metadata, and
what ownership and deletion depend on. Without -A it is the namespace, with
everything outside of namespaces. The file is readable up to its last seconds
even where recording was cut off.

Examples:
  kubectl gc-tree record -A incident.gctree       until Ctrl-C
  kubectl gc-tree record -A night.gctree --for 8h
  kubectl gc-tree record -A shared.gctree --redact-names
  kubectl gc-tree why sts/web -n shop --replay incident.gctree --at 14:02
  kubectl gc-tree --replay incident.gctree        on the screen
`;

export const podGcExamples = `
PodGC is a controller of kube-controller-manager. It deletes pods by force that
nobody else ends:
  Terminated               finished pods beyond a threshold
  OutOfService             pods being deleted, on a node that isn't ready and is
                           tainted out-of-service
  Orphaned                 pods on a node that doesn't exist
  UnscheduledTerminating   pods being deleted that never had a node
It knows no namespaces, so without -n pods of all namespaces are listed.
It looks every 20 s, and waits for 40 s after it first misses a node. When it
looks is not visible from outside, so times are estimates.

What DUE says:
  now       PodGC's next cycle takes the pod
  in ~31s   about then
  overdue   the latest time has passed by a minute
  no        it looks like a candidate, and is kept
  unknown   what decides cannot be seen

Examples:
  kubectl gc-tree podgc                      which pods are deleted, by which
                                             rule, and when
  kubectl gc-tree podgc --watch              then every pod that becomes due
  kubectl gc-tree podgc pod/web-0 -n shop    why this one is deleted, or kept
  kubectl gc-tree podgc node/worker-7        every pod on a node
  kubectl gc-tree podgc --terminated-pod-gc-threshold=500
                                             where fewer finished pods are kept
  kubectl gc-tree podgc -o json              for scripts
  kubectl gc-tree plan taint node/worker-7 out-of-service
                                             what the taint would do
`;

export const activityExamples = `
Without -w: what is being deleted, since when, and what it waits for. With -w
every change to ownership and deletion follows as it comes, below what it
follows from. TARGET is TYPE or TYPE/NAME: its entries and all that follows from
them, whether it exists now or not.

Kinds of entries:
  Marked             its deletion was accepted, and isn't over
  PolicyChanged      it was deleted again, with another policy
  Held               its deletion should be over, and waits
  Collected          it is gone, by the garbage collector
  Deleted            it is gone, otherwise
  Stripped           it lost references to owners that are gone, and has others
  Orphaned           its owner is deleted with the policy orphan
  Released           it lost its controller, which is still there
  ReferenceRemoved   it lost another owner
  Adopted            it got a controller
  ReferenceAdded     it got another owner
  Unblocked          it no longer holds up an owner's deletion
  FinalizerRemoved   while it is being deleted
  Recreated          another object has come under its name
Objects don't record who deletes them. What is called collected, stripped,
orphaned or unblocked is what the garbage collector had to do at that moment; in
documents such entries are "certainty": "assumed".

Examples:
  kubectl gc-tree activity                   what is being deleted here
  kubectl gc-tree activity -w -A             follow the whole cluster
  kubectl gc-tree activity deploy/api -w     one object, and what follows
  kubectl gc-tree activity -w --what Collected,Orphaned
  kubectl gc-tree activity -w -o json | jq -c '[.what, .object.name]'
                                             a document on each line
`;

export const demoExamples = `
With --step nothing is drawn: each step of the garbage collector, and of
everybody else, is told in text, with what was decided and why, what was looked
up, and what was sent. On a terminal keys step through it: space takes one work
item, e one graph event, t one task of anybody, b goes back, r runs to the end,
g runs to an object or a decision, ? lists them all. Anywhere else, and with -o,
all steps are printed.

Examples:
  kubectl gc-tree demo                       the screen on scenario shop
  kubectl gc-tree demo --tour                be shown around in it
  kubectl gc-tree demo --list                the scenarios
  kubectl gc-tree demo fleet --list          one of them: what to look for,
                                             what to try
  kubectl gc-tree demo how-the-collector-works --step
                                             step by step
  kubectl gc-tree demo how-the-collector-works --step --break DeleteBackground
                                             begin where it deletes something
  kubectl gc-tree demo two-collectors --compare-collectors
                                             the first collector beside today's
  kubectl gc-tree demo shop --step -o json | jq -c '[.n, .decisions[].branch]'
                                             a document on each line
`;

export const waitExamples = `
As kubectl wait --for=delete: what isn't there at the start is deleted, and so is
what has another uid than at the start, which is told. Where the time is up, it
says of each object that is still there why, as kubectl gc-tree why does.

Examples:
  kubectl gc-tree wait ns/preview-123 --for=delete --timeout=5m
  kubectl gc-tree wait pods -l app=web --for=delete
                                             those that are there now
  kubectl gc-tree wait pvc --all --for=delete --timeout=0
                                             whether they are gone, at once
  kubectl gc-tree wait -f teardown/ --for=delete --timeout=5m
                                             what manifests name
  kubectl gc-tree wait ns/preview-123 --for=delete --timeout=5m -o junit
                                             a report for CI; also github
  kubectl gc-tree wait sts/web --for=delete --timeout=2s --demo foreground-stuck
                                             try it without a cluster

Exit codes: 0 all are deleted, or were not there, 1 one is still there, 2 wrong
use, or nobody can tell, as without a connection, 130 interrupted.
`;

export const actionNotes = `
Each shows its forecast and its requests first, asks the API server whether they
are permitted and would be taken, and asks you: y for one object, a word to type
for many or for what is dangerous. Before anything is sent, what it concerns is
written to a backup, and the requests to the journal. Then it follows the
cluster until the forecast is reached, and reports where the cluster differs
from it.

Exit codes: 0 reached, 1 not reached within --timeout, different from the
forecast, or declined, 2 refused or wrong use, 130 interrupted.
`;

export const deleteExamples = `
Examples:
  kubectl gc-tree delete sts/web             the three policies side by side,
                                             then asks
  kubectl gc-tree delete sts/web --cascade=orphan
                                             its pods keep running
  kubectl gc-tree delete sts/web --cascade=foreground
                                             what it owns is deleted first
  kubectl gc-tree delete pods -l app=web --now
                                             several objects
  kubectl gc-tree delete -f manifests/ --ignore-not-found
                                             what files name, as far as it is
                                             there
  kubectl gc-tree delete ns/shop --dry-run=server
                                             whether it would be accepted
  kubectl gc-tree delete deploy/api --yes --timeout 5m
                                             without a question, for scripts
`;

export const unblockExamples = `
Examples:
  kubectl gc-tree unblock sts/web            what can be done; asks which, on a
                                             terminal
  kubectl gc-tree unblock sts/web --remedy clear-block/pod/web-2
  kubectl gc-tree unblock pod/web-2 --remedy remove-finalizer/example.com/drain
  kubectl gc-tree unblock sts/web --remedy 1
                                             the first of the list
  kubectl gc-tree unblock pods -l app=web    what can be done to many of them at
                                             once
`;

export const undoExamples = `
An object that is deleted cannot be brought back as it was: it is created again
from the backup, with a new uid. What cannot be restored is listed before
you are asked.

Examples:
  kubectl gc-tree undo                       the journal
  kubectl gc-tree undo 20261121T101500Z-4f1a2b
                                             take that entry back; the beginning
                                             is enough, from the date on
  kubectl gc-tree undo last                  take back the newest entry that is no
                                             undo itself
  kubectl gc-tree undo 20261121T101500Z-4f1a2b --dry-run=client
  kubectl gc-tree undo -o json               the journal for scripts
`;

export const serveExamples = `
Paths: /metrics; /v1alpha1/tree, why, check, podgc and plan, with flags as
parameters; /healthz, /livez and /readyz for everybody. All else takes a bearer
token: the API server says whose it is (TokenReview) and what they may see
(SubjectAccessReview). What a caller may not list isn't in their document.
docs/serve.md describes the metrics, and how it runs in a cluster.

Examples:
  kubectl gc-tree serve --demo fleet         to look at: curl 127.0.0.1:8080/metrics
  kubectl gc-tree serve                      your cluster, for this machine alone
  curl -H "Authorization: Bearer $(kubectl create token prometheus)" \\
    '127.0.0.1:8080/v1alpha1/check?namespace=shop'
  kubectl apply -k deploy/base               in the cluster
  kubectl gc-tree serve --bind-address 0.0.0.0 --tls-cert-file tls.crt \\
    --tls-private-key-file tls.key --tolerate-blind secrets
`;

export const mcpExamples = `
An assistant starts it and asks by tools: why, check, tree, plan and podgc. It
answers with the documents of -o json and what people read. Nothing is changed,
and nothing but the cluster that the flags name is asked about, unless
--allow-context names others. docs/mcp.md shows how assistants are told of it.

Examples:
  kubectl gc-tree mcp                        the current context
  kubectl gc-tree mcp --context prod --allow-context staging
  kubectl gc-tree mcp -f dump/               a dump in place of a cluster
  kubectl gc-tree mcp --demo namespace-stuck
                                             to try it
`;

export const completionExamples = `
The script completes kubectl gc-tree and kubectl-gc_tree, and needs no other
file of the plugin on the PATH. All else of kubectl it leaves to kubectl's own
script, which has to be read before it (in zsh the order doesn't matter).

Examples:
  source <(kubectl completion bash)    # in ~/.bashrc
  source <(kubectl gc-tree completion bash)

  source <(kubectl gc-tree completion zsh)     # in ~/.zshrc, after compinit

  kubectl completion fish | source    # in config.fish
  kubectl gc-tree completion fish | source

  kubectl completion powershell | Out-String | Invoke-Expression
  kubectl gc-tree completion powershell | Out-String | Invoke-Expression
  # both in $PROFILE

Without the script, kubectl's own completes kubectl gc-tree where
kubectl_complete-gc_tree is on the PATH; names with unusual characters are
not offered there, nor in fish behind kubectl.
`;
