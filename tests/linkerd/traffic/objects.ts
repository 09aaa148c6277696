/** The parts of Kubernetes' objects that the tests' nodes and control planes read. */

export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly configMapKeyRef?: { readonly name: string; readonly key: string };
  };
}

export interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly Variable[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string };
}

export interface Pod {
  readonly metadata: Metadata;
  readonly spec: {
    readonly nodeName?: string;
    readonly serviceAccountName: string;
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly volumes?: readonly Volume[];
  };
  readonly status: { readonly podIP?: string };
}

export interface GatewayService {
  readonly spec: { readonly type: string };
  readonly status: { readonly loadBalancer?: { readonly ingress?: readonly unknown[] } };
}

/** Sidecars are init containers. */
export function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

export function containerOf(pod: Pod, name: string): Container | undefined {
  return containersOf(pod).find((container) => container.name === name);
}
