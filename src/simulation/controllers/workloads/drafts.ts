/** Drafts pods and claims; a new pod copies fields that facts lack from a sibling. */
import {
  FactsTable,
  type KubeObject,
  type Labels,
  type PodFacts,
  podFacts,
  type ResourceType,
  type Toleration,
  tolerationRules,
  type VolumeClaimFacts,
} from '../../../model/index.ts';
import type { ObjectDraft } from '../../api/api-client.ts';
import { controllerReference } from '../claiming.ts';

export interface PodDraft {
  readonly type: ResourceType;
  readonly owner: KubeObject;
  readonly name: string;
  readonly labels: Labels;
  readonly sibling: KubeObject | undefined;
  readonly finalizers?: readonly string[];
  /** The claims of this pod, if they differ from the sibling's. */
  readonly claims?: readonly string[];
  readonly nodeName?: string;
  /** If it differs from the sibling's. */
  readonly schedulingGroup?: string;
  /** Tolerations that the controller adds, for a pod without a sibling. */
  readonly tolerations?: readonly Toleration[];
}

const DEFAULT_GRACE_SECONDS = 30;

export function draftPod(draft: PodDraft): ObjectDraft {
  const { type, owner, name, labels, sibling, finalizers = [], nodeName = '' } = draft;
  const like = sibling === undefined ? undefined : podFacts(sibling);
  const facts: PodFacts = {
    ...FactsTable.emptyPod,
    phase: 'Pending',
    nodeName,
    terminationGracePeriodSeconds: like?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS,
    containers: like?.containers ?? 1,
    nodeSelector: like?.nodeSelector ?? [],
    claims: draft.claims ?? like?.claims ?? [],
    ephemeralVolumes: like?.ephemeralVolumes ?? [],
    hasEmptyDir: like?.hasEmptyDir ?? false,
    schedulingGroup: draft.schedulingGroup ?? like?.schedulingGroup ?? '',
    tolerations: like?.tolerations ?? tolerationRules.admitted(draft.tolerations ?? []),
  };
  const owners = [controllerReference(owner)];
  return { type, namespace: owner.namespace, name, generation: 1, owners, labels, finalizers, facts };
}

type ClaimDraft = Omit<ObjectDraft, 'facts'> & { readonly storageClassName: string };

/** Drafts an unbound claim. */
export function draftClaim({ storageClassName, ...metadata }: ClaimDraft): ObjectDraft {
  const facts: VolumeClaimFacts = {
    kind: 'PersistentVolumeClaim',
    phase: 'Pending',
    volumeName: '',
    storageClassName,
    dataSource: '',
    dataSourceRef: '',
    attributesClassName: '',
    currentAttributesClassName: '',
    targetAttributesClassName: '',
    conditions: [],
  };
  return { ...metadata, facts };
}
