/**
 * What is left when nothing moves any more, in symbolic names, so that two runs of a scenario can be compared.
 * Objects that the scenario made are compared one by one; those that controllers made, whose names are
 * generated, by what they are and how many there are.
 */

/** An object as both sides can describe it. */
export interface LeftObject {
  readonly kind: string;
  /** As stored, with the run's prefix. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
  readonly owners: readonly LeftReference[];
  /** Of pods. */
  readonly status?: PodStatus;
}

export interface PodStatus {
  readonly phase: string;
  /** The reason of its DisruptionTarget condition; `''` where it has none. */
  readonly disruption: string;
}

export interface LeftReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
  readonly block: boolean;
}

/** What a comparison says per object: `gone`, or a line that describes it. */
export type EndState = ReadonlyMap<string, string>;

export const GONE = 'gone';

export interface NamingContext {
  readonly prefix: string;
  /** Symbolic names of the objects that the scenario made, by uid. */
  readonly made: ReadonlyMap<string, string>;
  /** Names of pods among them whose status counts. */
  readonly statuses?: ReadonlySet<string>;
}

/** Made by controllers in every namespace; compared only where the scenario makes one too. */
const furniture: ReadonlySet<string> = new Set(['ConfigMap kube-root-ca.crt', 'ServiceAccount default']);

export function endState(objects: Iterable<LeftObject>, context: NamingContext): EndState {
  const lines = new Map<string, string>();
  for (const name of context.made.values()) lines.set(name, GONE);
  const all = new Map<string, LeftObject>();
  for (const object of objects) all.set(object.uid, object);
  const counts = new Map<string, number>();
  const made = new Set(context.made.values());
  const isFurniture = ({ kind, namespace, name }: LeftObject): boolean =>
    furniture.has(`${kind} ${name}`) && !made.has(`${kind} ${symbolic(namespace, context)}/${name}`);
  for (const object of all.values()) {
    if (isFurniture(object)) continue;
    const name = context.made.get(object.uid);
    const description = describe(object, all, context);
    if (name !== undefined) {
      lines.set(name, description);
      if (context.statuses?.has(name) === true) lines.set(`status of ${name}`, statusOf(object));
    } else counts.set(description, (counts.get(description) ?? 0) + 1);
  }
  for (const [description, count] of counts) lines.set(`made by controllers: ${description}`, String(count));
  return lines;
}

function statusOf({ status }: LeftObject): string {
  const { phase = '', disruption = '' } = status ?? {};
  return disruption === '' ? phase : `${phase}; disrupted: ${disruption}`;
}

function describe(object: LeftObject, all: ReadonlyMap<string, LeftObject>, context: NamingContext): string {
  const { kind, deleting, finalizers, owners } = object;
  const made = context.made.has(object.uid);
  return [
    made ? 'there' : kind,
    ...(made || object.namespace === '' ? [] : [`in ${symbolic(object.namespace, context)}`]),
    ...(deleting ? ['deleting'] : []),
    ...(finalizers.length === 0 ? [] : [`held by ${finalizers.join(', ')}`]),
    ...owners.map(owner => `owned by ${describeOwner(owner, all, context)}`),
  ].join('; ');
}

function describeOwner(
  owner: LeftReference,
  all: ReadonlyMap<string, LeftObject>,
  context: NamingContext,
): string {
  const { apiVersion, kind, uid, controller, block } = owner;
  const known = context.made.get(uid);
  const generated = known === undefined && all.has(uid);
  const marks = [...(controller ? ['controller'] : []), ...(block ? ['blocking'] : [])];
  return [
    apiVersion,
    kind,
    generated ? '*' : symbolic(owner.name, context),
    known === undefined ? (generated ? '(generated)' : '(unknown uid)') : `(= ${known})`,
    ...marks,
  ].join(' ');
}

function symbolic(name: string, { prefix }: NamingContext): string {
  return name.startsWith(`${prefix}-`) ? name.slice(prefix.length + 1) : name;
}

export interface Difference {
  readonly object: string;
  readonly simulated: string;
  readonly real: string;
}

export function differences(simulated: EndState, real: EndState): readonly Difference[] {
  const names = new Set([...simulated.keys(), ...real.keys()]);
  const found: Difference[] = [];
  for (const object of [...names].sort()) {
    const ours = simulated.get(object) ?? GONE;
    const theirs = real.get(object) ?? GONE;
    if (ours !== theirs) found.push({ object, simulated: ours, real: theirs });
  }
  return found;
}
