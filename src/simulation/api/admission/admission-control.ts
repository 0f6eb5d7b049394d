/** Calls a cluster's webhooks and policies for each request, cached per kind until a configuration changes. */
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type ResourceType,
} from '../../../model/index.ts';
import { type AdmissionRequest, usersOf } from './admission-request.ts';
import { AdmissionWorld } from './matching.ts';
import {
  bindingGatekeeper,
  type Gatekeeper,
  gatekeepersOf,
  type Objection,
  REFUSAL_WEBHOOK,
  WARNING_WEBHOOK,
} from './objections.ts';

const GROUP = 'admissionregistration.k8s.io';
const configurationResources = [
  ['mutatingwebhookconfigurations', undefined],
  ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicies'],
  ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'],
  ['validatingwebhookconfigurations', undefined],
] as const;

/** Returns the types to read first; policies are only needed if a binding names one. */
function configurationTypes(world: Pick<AdmissionWorld, 'type'>): ResourceType[] {
  return configurationResources.flatMap(([resource]) => world.type(GROUP, resource) ?? []);
}

function isAdmissionGroup(group: string): boolean {
  return group === GROUP;
}

/** The controllers of kube-controller-manager that remove finalizers of Kubernetes' own. */
const removers: Readonly<Record<string, string>> = {
  [FOREGROUND_FINALIZER]: 'garbage-collector',
  [ORPHAN_FINALIZER]: 'garbage-collector',
};

export class AdmissionControl {
  readonly #world: AdmissionWorld;
  readonly #asked: 'all' | 'policies';
  readonly #gatekeepers = new Map<string, readonly Gatekeeper[]>();
  #configurations: readonly (readonly [KubeObject, ResourceType | undefined])[] | undefined;

  constructor(world: AdmissionWorld, asked: 'all' | 'policies' = 'all') {
    this.#world = world;
    this.#asked = asked;
  }

  changed(): void {
    this.#gatekeepers.clear();
    this.#configurations = undefined;
  }

  /** Returns all certain and possible refusals, certain ones first. */
  objectionsTo(request: AdmissionRequest): readonly Objection[] {
    const gatekeepers = this.#gatekeepersOf(request);
    if (gatekeepers.length === 0) return none;
    const found = gatekeepers.flatMap(each => each.objectionTo(this.#world, request) ?? []);
    return found.sort((a, b) => Number(a.answer !== 'refused') - Number(b.answer !== 'refused'));
  }

  /** Returns the objections to an update that removes the finalizer. */
  objectionsToRemoval(object: KubeObject, finalizer: string): readonly Objection[] {
    const { type, namespace, name, finalizers } = object;
    return this.objectionsTo({
      operation: 'UPDATE',
      type,
      subresource: '',
      namespace,
      name,
      object: object.with({ finalizers: finalizers.filter(each => each !== finalizer) }),
      oldObject: object,
      users: usersOf(removers[finalizer] ?? '', object),
    });
  }

  #gatekeepersOf(request: AdmissionRequest): readonly Gatekeeper[] {
    const { operation, type, subresource } = request;
    const key = `${operation} ${type.apiVersion} ${type.resource}/${subresource}`;
    let gatekeepers = this.#gatekeepers.get(key);
    if (gatekeepers === undefined) {
      gatekeepers = this.#find(request);
      this.#gatekeepers.set(key, gatekeepers);
    }
    return gatekeepers;
  }

  #find(request: AdmissionRequest): Gatekeeper[] {
    const world = this.#world;
    this.#configurations ??= [...listed(world, this.#asked)];
    return this.#configurations.flatMap(([configuration, policies]) => {
      const { facts } = configuration;
      if (facts?.kind === 'WebhookConfiguration')
        return AdmissionWorld.isExempt(request.type, 'webhook')
          ? []
          : gatekeepersOf(world, configuration, request);
      if (policies === undefined || facts?.kind !== 'AdmissionBinding') return [];
      if (AdmissionWorld.isExempt(request.type, 'policy')) return [];
      const policy = world.find(policies, '', facts.policy);
      const isMissing = policy === undefined && world.lacks(policies, '', facts.policy);
      return bindingGatekeeper(configuration, policy, isMissing) ?? [];
    });
  }
}

const none: readonly Objection[] = [];

function* listed(
  world: AdmissionWorld,
  asked: 'all' | 'policies',
): Iterable<readonly [KubeObject, ResourceType | undefined]> {
  for (const [resource, policies] of configurationResources) {
    if (asked === 'policies' && policies === undefined) continue;
    const type = world.type(GROUP, resource);
    if (type === undefined) continue;
    // Records that the type may be unread.
    world.sees(type, '');
    const policyType = policies === undefined ? undefined : world.type(GROUP, policies);
    for (const each of world.list(type, '')) yield [each, policyType];
  }
}

/** Types that configure admission, and the webhooks of `serve --guard`. */
export const admissionKinds = {
  configurations: configurationTypes,
  isGroup: isAdmissionGroup,
  warningWebhook: WARNING_WEBHOOK,
  refusalWebhook: REFUSAL_WEBHOOK,
};
