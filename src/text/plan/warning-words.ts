import {
  type DoubtfulBehaviour,
  type Forecast,
  refusedWords,
  type Warning,
  type WarningCode,
} from '../../forecast/index.ts';
import type { Absence, Identity } from '../../graph/index.ts';
import {
  enumerated,
  isoTime,
  namespacedName,
  prose,
  shellLine,
  shownName,
  wordForms,
} from '../../model/index.ts';
import { outOfServiceNodes } from '../../podgc/index.ts';

/** Maximum number of warnings of a kind, and of names in one. */
const NAMED = 5;

function allWarnings({ alarms, warnings }: Pick<Forecast, 'alarms' | 'warnings'>): string[] {
  return [...warningSentences(alarms), ...warningSentences(warnings)];
}

function warningSentences(warnings: readonly Warning[]): string[] {
  const groups = Map.groupBy(warnings, each => `${each.code} ${'kubelet' in each ? each.kubelet : ''}`);
  return [...groups.values()].flatMap(alike => {
    const lines = [...new Set(alike.map(sentenceOf))];
    if (alike.some(({ code }) => code === 'unseenOwner' || code === 'unconfirmedAbsence')) lines.sort();
    return lines.length > NAMED ? [...lines.slice(0, NAMED), rest(alike.slice(NAMED))] : lines;
  });
}

function rest(others: readonly Warning[]): string {
  const code = others[0]?.code;
  if (code === 'nodeHeld') return `Finalizers keep ${others.length} more nodes in the same way.`;
  if (code === 'runsTwice') return `${others.length} more pods could run twice in the same way.`;
  if (code !== 'machineRuns' && code !== 'stopUnconfirmed')
    return `${others.length} more warnings of this kind.`;
  const names = others.flatMap(each => ('node' in each ? each.node : []));
  return `The same is true of ${names.length === 1 ? 'Node' : 'Nodes'} ${enumerated(names)}.`;
}

const wayWords: { readonly [B in DoubtfulBehaviour]: { readonly does: string; readonly otherwise: string } } =
  {
    orderedNamespaceDeletion: {
      does: 'nothing else in a namespace is deleted while a pod remains in it',
      otherwise: 'everything in a namespace is deleted at once, whether pods remain or not',
    },
    leavesNamespacedOwners: {
      does: 'a cluster-scoped object is left alone whose owner is of a namespaced kind',
      otherwise: 'such an owner of a cluster-scoped object counted as absent',
    },
  };

function otherwiseWords({ first, others }: { readonly first: Identity; readonly others: number }): string {
  return others === 0 ? `${named(first)} ends otherwise` : `${named(first)} and ${others} more end otherwise`;
}

function sentenceOf(warning: Warning): string {
  const sentence: (facts: never) => string = sentences[warning.code];
  return sentence(warning as never);
}

const sentences: { readonly [C in WarningCode]: (facts: Warning<C>) => string } = {
  refused: ({ status, message }) => `Refused (${status}): ${message}.`,
  hookHeld: ({ object, event }) =>
    event === 'pre-delete'
      ? `Helm first waits until ${named(object)} is gone, for --timeout (5 minutes), and then stops: nothing else is deleted.`
      : `Helm waits until ${named(object)} is gone, for --timeout (5 minutes), and then reports an error. The release is removed all the same.`,
  hooksNotSimulated: ({ hooks }) =>
    `Assumed: hooks (${someOf(hooks)}) succeed, and what they do isn't in this forecast. If a pre-delete hook fails, Helm stops before it deletes the release.`,
  unseenManifest: ({ objects }) =>
    `Assumed to be gone, because ${objects.length === 1 ? "it isn't" : "they aren't"} among what can be seen: ${someOf(objects)}. Helm deletes what exists of the manifest.`,
  unmarkedObjects: ({ objects }) =>
    `${someOf(objects)} ${objects.length === 1 ? "isn't" : "aren't"} marked as part of this release: another release may have taken over. Helm 3 deletes ${objects.length === 1 ? 'it' : 'them'} all the same; Helm 4 doesn't.`,
  drainTimeout: ({ timeout, pods }) =>
    `kubectl gives up after ${timeout / 1000} s if ${someOf(pods)} ${pods.length === 1 ? "isn't" : "aren't"} gone by then, and the node stays cordoned.`,
  outdated: ({ reason }) =>
    `${reason === undefined ? 'The cluster is being read again' : `The connection is lost (${reason})`}: this is a forecast for the state last seen.`,
  notListedYet: () => 'Not everything has been listed yet: the forecast covers only listed objects.',
  unseenKinds: ({ kinds }) => {
    const groups = [...Map.groupBy(kinds, ({ reason }) => reason)].map(
      ([reason, alike]) => `${enumerated(alike.map(({ resource }) => resource))} (${reason})`,
    );
    return `Assumed, because these cannot be seen: ${enumerated(groups)}. Dependents and users among them are not in this forecast, and owners among them are assumed to exist.`;
  },
  notInFiles: () =>
    'Assumed: no object outside the files depends on a deleted object or uses it, and owners outside the files exist.',
  otherNamespaces: ({ namespaces }) =>
    `Only ${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${enumerated(namespaces)} ${namespaces.length === 1 ? 'was' : 'were'} read. An invalid owner reference in another namespace could hold up this foreground deletion: -A reads everything.`,
  ownsElsewhere: ({ namespaces, object }) =>
    `Only ${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${enumerated(namespaces)} ${namespaces.length === 1 ? 'was' : 'were'} read. What ${named(object)} owns in others is deleted with it: -A reads everything.`,
  polledKinds: ({ resources }) =>
    `The forecast is for what these kinds were up to a minute ago, because they cannot be watched: ${enumerated(resources)}.`,
  unseenOwner: ({ object, others, owner, found }) =>
    `${named(object)}${others > 0 ? ` and ${others} more` : ''} is assumed to be held by its owner ${shownName(owner.kind)} ${shownName(owner.name)}, which ${found ? "isn't listed yet" : 'cannot be seen'}.`,
  unconfirmedAbsence: ({ object, absent, absence }) => {
    const title = `${shownName(absent.kind)} ${shownName(absent.name)}`;
    return object === undefined
      ? `${title} is assumed to be gone, because it isn't in the lists: ${doubt(absence)}.`
      : `${named(object)} is assumed to have lost its owner ${title}, which isn't in the lists: ${doubt(absence)}.`;
  },
  unseenContent: ({ namespace, resources }) =>
    `Namespace ${shownName(namespace)} is deleted only if nothing is left in it of the kinds that cannot be seen: ${enumerated(resources)}.`,
  collectorBehind: ({ object }) =>
    `The garbage collector seems not to be running, or far behind: ${named(object)} waits for it alone. What it should have finished by now is assumed to stay until a user acts; what the action brings about, it is taken to do.`,
  collectorOff: ({ flag }) =>
    `The collector is switched off: kube-controller-manager runs with ${flag}. What this forecast has it do doesn't happen.`,
  managerSilent: ({ renewedAt }) =>
    `kube-controller-manager seems not to run: its lease was last renewed at ${isoTime(renewedAt)}. The API server takes the requests; what follows on them, such as collection or the end of a foreground deletion, waits until one runs.`,
  ordersNotTried: ({ objects }) =>
    `The end may depend on timing for ${objects} objects, too many to try other orders of work.`,
  timingDependent: ({ objects, orders }) =>
    `The end depends on timing for ${objects === 1 ? 'one object' : `${objects} objects`}; ${orders} orders of work were tried, there are more.`,
  laterEvictions: ({ nodes, fromStart }) => {
    const which =
      nodes.length === 1
        ? `node ${enumerated(nodes)} as if it stays`
        : `nodes ${enumerated(nodes)} as if they stay`;
    const since = fromStart
      ? 'the start of kube-controller-manager.'
      : 'when the taint was added; a kube-controller-manager that started later counts from its start.';
    return `Pods are evicted from ${which} tainted; pods stay where the taint is removed in time. Their time is counted from ${since}`;
  },
  laterDeletions: ({ object, when, by, others }) =>
    `${named(object)} is deleted ${when}, by ${by}${others === 0 ? '' : `, and ${others} more ${others === 1 ? 'Job' : 'Jobs'} later`}: what is cleaned up by age isn't in this forecast.`,
  createdLater: ({ objects, after }) =>
    `${someOf(objects)} ${objects.length === 1 ? 'is' : 'are'} created again when ${after}.`,
  deviceTaints: ({ claims }) =>
    `device-taint-eviction-controller, which Kubernetes 1.36 and newer run by default, deletes pods that don't tolerate a NoExecute taint of their devices, such as those of ${someOf(claims)}: that isn't in this forecast, because taints of devices aren't read.`,
  notSimulated: ({ objects, by, does }) =>
    `After the deletion of ${someOf(objects)}, ${by} ${does}: that isn't in this forecast.`,
  staticPods: ({ pods, nodes, kept }) => {
    const words =
      pods.length === 1
        ? `${someOf(pods)} mirrors a static pod: deleting it stops nothing. To stop that, remove its manifest from node ${enumerated(nodes)}.`
        : `${someOf(pods)} mirror static pods: deleting them stops nothing. To stop those, remove their manifests from ${nodes.length === 1 ? 'node' : 'nodes'} ${enumerated(nodes)}.`;
    if (kept === 0) return words;
    return `${words} ${kept === 1 && pods.length === 1 ? "Its kubelet doesn't delete it" : `${kept} of them stay because their kubelets don't delete them`}; deleting ${pods.length === 1 ? 'it' : 'them'} by force (--force) is safe.`;
  },
  budgetsPassedOver: ({ budgets, pods }) =>
    `${budgets.map(named).join(', ')} ${budgets.length === 1 ? 'lets' : 'let'} no pod be evicted now; a deletion is no eviction, and ${pods === 1 ? 'a pod of it is' : `${pods} pods of it are`} deleted all the same.`,
  tokensDeleted: ({ secrets, accounts }) =>
    `${enumerated(secrets.map(named))} ${secrets.length === 1 ? 'is' : 'are'} deleted with ${enumerated(accounts.map(named))} by the token controller, if the type is kubernetes.io/service-account-token: types of Secrets are not read, and who uses such a token is locked out.`,
  dataKept: ({ claims, volumes }) =>
    `${enumerated(volumes)} and the data on ${volumes.length === 1 ? 'it go' : 'them go'} to the new ${someOf(claims)}.`,
  dataDeleted: ({ volumes }) =>
    `The data is deleted too: ${enumerated(volumes)} ${volumes.length === 1 ? 'has' : 'have'} the reclaim policy Delete, so the storage driver deletes what is behind the claim.`,
  dataDeletedLater: ({ claims, volumes }) =>
    `A deletion cannot be undone: ${someOf(claims)} ${claims.length === 1 ? 'is' : 'are'} deleted as soon as nothing holds ${claims.length === 1 ? 'it' : 'them'} any more, and the data with ${claims.length === 1 ? 'it' : 'them'}, because the reclaim policy of ${enumerated(volumes)} is Delete. To keep the data, set that to Retain first.`,
  unknownController: ({ owner, child, others }) =>
    `${owner.kind} ${owner.name} may recreate ${named(child)}${others > 0 ? ` and ${others} more` : ''}: what its controller does isn't known.`,
  orphanedWorkload: ({ kind, owner }) =>
    `A ${kind} without a ${owner} keeps recreating its ${kind === 'Job' || kind === 'ReplicaSet' ? 'pods' : 'dependents'}. To stop them, delete the ${kind}.`,
  admission: ({ by, requests, because }) => {
    const asked = requests.map(({ operation, object }) => `${operation} of ${named(object)}`);
    const who = by.webhook === '' ? `policy ${by.policy}` : `webhook ${by.webhook}`;
    return `Assumed: ${by.kind} ${shownName(by.name)} (${shownName(who)}) lets requests pass, such as ${enumerated(asked)}: ${because}.`;
  },
  creationRefused: ({ kind, by, because }) => `No ${kind} can be created: ${refusedWords(by, because)}.`,
  webhookLeftBehind: ({ configuration, service, why, operations, kinds, chosen }) =>
    `${named(configuration)} stays, but its backend doesn't: its Service ${shownName(service)} ${why}. The API server refuses every ${operations} of ${kinds}${chosen ? ' that it chooses' : ''} from then on, in the whole cluster, at the latest when it has no open connection any more. Delete ${configuration.kind} ${shownName(configuration.name)} first, unless what answers is to come back.`,
  flapping: ({ object, kind, because }) => `${named(object)} creates ${kind}s without end: ${because}.`,
  neverRests: () => 'The forecast never came to rest: something is created and deleted again and again.',
  machineRuns: facts => {
    const { node, kubelet, deleted } = facts;
    const reports = `Node ${node} is not ready, but its kubelet reports so itself (Ready: False), so its machine runs`;
    if (deleted)
      return kubelet === 'Ready'
        ? `Node ${node} is Ready: its containers run on until PodGC deletes their pods, and PodDisruptionBudgets are ignored. To empty it in order, drain it first (kubectl drain).`
        : `${reports}: PodGC deletes its pods, and they are replaced, while their containers may run on. PodDisruptionBudgets are ignored.`;
    const effects = taintEffects(facts);
    return `${kubelet === 'Ready' ? `Node ${node} is Ready, so its machine runs` : reports}. This taint is only for a node that is certain to be powered off${effects === '' ? '' : `: ${effects}`}.`;
  },
  stopUnconfirmed: ({ node, kubelet }) =>
    kubelet === 'Silent'
      ? `No kubelet confirms that the containers on ${node} have stopped. Make sure first that its machine is off, not only cut off.`
      : `Nothing waits for the kubelet of ${node} to confirm that the containers have stopped. Make sure first that its machine is off.`,
  nodeHeld: ({ node, finalizers, pods, earliest, latest, couldRunTwice }) => {
    const twice =
      couldRunTwice.length === 0 ? '' : ` Of these could run twice then: ${enumerated(couldRunTwice)}.`;
    return `Node ${node} stays only until ${finalizers.join(' and ')} ${finalizers.length === 1 ? 'is' : 'are'} removed, which isn't forecast. The one that does may evict its pods and switch its machine off first. Pods that are still on it when it is deleted (${pods} now) PodGC deletes by force ${earliest / 1000} to ${latest / 1000} s later.${twice}`;
  },
  alreadyTainted: ({ node, taint }) => `Node ${node} has the taint ${taint.key}:${taint.effect} already.`,
  taintIgnored: ({ version, optional }) =>
    `Kubernetes ${version} ignores the taint ${outOfServiceNodes.key}${optional ? ' unless the feature gate NodeOutOfServiceVolumeDetach is on' : ''}: its pods are evicted, but on a node that is not ready no kubelet confirms that, and they stay.`,
  pendingPods: ({ pods }) =>
    `No node that is left takes new pods: ${pods === 1 ? 'one stays' : `${pods} stay`} Pending until one is ready for ${pods === 1 ? 'it' : 'them'}.`,
  gateAssumed: ({ gate, program, on, release, behaviour, ...otherwise }) =>
    `Assumed: the feature gate ${gate} of ${program} is ${on ? 'on' : 'off'}, as it is by default in Kubernetes ${release}. If it is ${on ? 'off' : 'on'}, ${wayWords[behaviour][on ? 'otherwise' : 'does']}, and ${otherwiseWords(otherwise)}.`,
  versionAssumed: ({ since, isAskable, release, behaviour, ...otherwise }) =>
    `Assumed, because ${release === undefined ? "the server's version is not known" : `what ${release} does is not simulated`}: it is Kubernetes ${since} or newer. Before that, ${wayWords[behaviour].otherwise}, and ${otherwiseWords(otherwise)}${isAskable ? '; --server-version says which it is' : ''}.`,
  collectorWaits: ({ release, kinds }) =>
    `When kube-controller-manager ${release} starts, its collector does nothing at all while ${enumerated(kinds)} cannot be listed: the conversion webhook fails.`,
  fitAssumed: () =>
    'New pods are assumed to fit on another node: requests, affinity and the reach of volumes are not checked.',
  orderedPods: ({ set, created, wanted }) =>
    `StatefulSet ${namespacedName(set)} is taken to create its pods in order, each when those below are ready, and creates ${created} of ${wanted} for now. With podManagementPolicy Parallel it creates all at once.`,
  jobRetries: ({ jobs: [first = '', ...others] }) => {
    const which =
      others.length === 0
        ? `Job ${first} creates a new pod or fails`
        : `Job ${first} and ${others.length} more create new pods or fail`;
    return `Whether ${which} is decided by backoffLimit and podFailurePolicy, which aren't looked at: a pod that is deleted so counts as failed.`;
  },
  unseenClaims: () =>
    'Not all PersistentVolumeClaims can be seen: more volumes may become free than are named.',
  unseenPods: ({ nodes }) =>
    `Not all pods can be seen: there may be others on ${enumerated(nodes)}, and the same happens to them.`,
  handlerGoesToo: facts => {
    const line = shellLine(facts.order);
    return `${handlerGoesToo(facts)}${line === undefined ? '' : ` ${line}`}`;
  },
  handlerLeaves: ({ finalizer, words, objects }) =>
    `${objects.length} objects may not all be deleted (${enumerated(objects.map(named))}): once their finalizer ${finalizer} is removed from some of them, ${words}.`,
  handlerNeededThen: ({ finalizer, words, objects }) =>
    `What follows from the work of handlers depends on finalizer ${finalizer} of ${enumerated(objects.map(named))}, too: ${words}.`,
  runsTwice: ({ pod, replacedBy, claim, certainty, because }) => {
    const what = claim === undefined ? 'it' : `another that uses the same claim ${claim}`;
    const verb = claim === undefined ? 'recreate' : 'create';
    const does =
      certainty === 'exact' ? `${verb}s ${what}` : `may ${verb} ${what}, because what it does isn't known`;
    return `Pod ${namespacedName(pod)} could run twice: ${replacedBy.kind} ${replacedBy.name} ${does}, and ${because}.`;
  },
  cascadeUnknown: ({ by, because }) => `${by}: ${because}.`,
  unseenUsers: ({ kinds, because }) =>
    `Not all ${enumerated(kinds.map(kind => wordForms.plural(kind)))} could be read (${prose(because)}): more of them may use deleted objects.`,
  runsUnseen: ({ pods }) =>
    `Deletion by force doesn't wait for a kubelet, and none is known to answer for ${pods.length === 1 ? 'Pod' : 'Pods'} ${enumerated(pods)}: the containers may run on unseen.`,
};

/** Omits the commands, which follow if there are any. */
export function handlerGoesToo({ finalizer, words, objects, order }: Warning<'handlerGoesToo'>): string {
  const [first] = objects;
  const which =
    first !== undefined && objects.length === 1
      ? `${named(first)} may never be deleted`
      : `${objects.length} objects may never be deleted (${enumerated(objects.map(named))})`;
  const [it, is] =
    first !== undefined && objects.length === 1 ? [named(first), 'it is'] : ['these', 'they are'];
  const advice =
    order.length === 0 ? '' : ` Delete ${it} first, wait until ${is} gone, then delete the rest:`;
  return `${which}: ${words} (finalizer ${finalizer}).${advice}`;
}

function taintEffects({ kubelet, evicts, taintIgnored }: Warning<'machineRuns'>): string {
  const parts = [
    evicts ? "pods that don't tolerate it are evicted all the same" : '',
    !taintIgnored && kubelet === 'Reports'
      ? 'PodGC deletes pods by force without waiting for the kubelet to stop their containers'
      : '',
    taintIgnored ? '' : "volumes of deleted pods are detached without waiting for the kubelet's unmount",
  ].filter(part => part !== '');
  return [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter(part => part !== '').join(', and ');
}

function doubt(absence: Absence): string {
  if (absence.state === 'found') return 'a look-up has found it';
  return absence.state === 'assumed' && absence.reason !== undefined
    ? `a look-up failed (${prose(absence.reason)})`
    : 'no look-up has confirmed that';
}

function someOf(objects: readonly Identity[]): string {
  const more = objects.length - NAMED;
  return enumerated([...objects.slice(0, NAMED).map(named), ...(more > 0 ? [`${more} more`] : [])]);
}

function named(object: Identity): string {
  return `${object.kind} ${namespacedName(object)}`;
}

export const warningWords = { all: allWarnings, sentences: warningSentences };
