import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { SourceLinks } from "@linkerd-multicluster/engine/credentials";
import { omitUndefined } from "@linkerd-multicluster/engine/base";
import { movedCluster } from "@linkerd-multicluster/engine/kubernetes";
import type { ClusterConfig } from "../config/mesh.ts";
import { EngineResource } from "./engine-resource.ts";
import { keptKubeconfig } from "./given-kubeconfigs.ts";
import { valueOf } from "./output-value.ts";
import { k8s } from "./sdks.ts";

/** Makes sure that a name still means the same cluster. Whatever is sent to a cluster depends on this resource. */
export class ClusterIdentity extends EngineResource {
  /** Why nothing is written there in this run; undefined if the identity hasn't changed. */
  declare readonly refused: pulumi.Output<string | undefined>;
  declare readonly uid: pulumi.Output<string | undefined>;
  readonly #judge: (known: string | undefined) => string | undefined;

  /**
   * @param uid of `kube-system`; undefined if it couldn't be read
   * @param twin says that another name leads there too
   * @param links out of it; undefined for a stack that creates none
   */
  constructor(
    name: string,
    { name: cluster, access, uid: expected }: ClusterConfig,
    {
      uid,
      twin,
      links,
    }: Readonly<Partial<Record<"uid" | "twin", string | undefined>>> & {
      readonly links?: SourceLinks;
    },
    opts?: pulumi.CustomResourceOptions,
  ) {
    const place = { cluster, context: access.context };
    const known = omitUndefined({ twin, expected, links });
    super("ClusterIdentity", name, { ...place, ...known, uid, refused: undefined }, opts);
    this.#judge = (last) => uid && movedCluster(place, uid, expected ?? last, twin);
  }

  /**
   * The engine doesn't check an identity that `--target` or `--exclude` leaves out, but returns the one in state, and
   * reaches the cluster of what the run includes by the present kubeconfig. So the program judges too.
   *
   * @throws RunError if such a run would write to another cluster
   */
  async whyRefused(): Promise<string | undefined> {
    const refused = await valueOf(this.refused);
    if (refused !== undefined) return refused;
    const moved = this.#judge(await valueOf(this.uid));
    if (!moved) return undefined;
    throw new pulumi.RunError(
      `Nothing is done, because ${moved}. This run leaves out the resource that protects the cluster: without --target and --exclude, everything else is done`,
    );
  }
}

/**
 * The kubeconfig is passed as a path, or left to `KUBECONFIG` and the default file, so that no state holds its content.
 * In the latter case it is an empty text: otherwise the SDK would take the value of `KUBECONFIG` for a path, and the
 * plugin would copy that file to the temporary folder, take several files for none, and resolve relative paths in the
 * project's folder (docs/reference/kubeconfig.md). If the identifier changed, every object of the cluster would be
 * replaced.
 *
 * @param adopts whether creating an object that exists updates it (docs/decisions/0021-adoption.md)
 */
export function clusterProvider(
  name: string,
  { name: cluster, access }: Pick<ClusterConfig, "name" | "access">,
  adopts: boolean,
  opts: pulumi.ResourceOptions,
): kubernetes.Provider {
  const { context, kubeconfig = "" } = access;
  return new k8s.Provider(
    name,
    {
      ...(context !== kubeconfig && { context }),
      clusterIdentifier: cluster,
      kubeconfig: keptKubeconfig(kubeconfig) ?? kubeconfig,
      // Otherwise a new issuer would replace its Secret, and for a moment there would be none.
      enableConfigMapMutable: true,
      enableSecretMutable: true,
      ...(adopts && { upsertExistingObjects: true }),
    },
    opts,
  );
}

const force = "pulumi.com/patchForce";

/** An existing object's fields belong to other managers, and the annotation avoids the API server's conflict. */
export function takenOver<Metadata extends Named>(
  metadata: Metadata,
  adopt: boolean,
): Metadata & Pick<Named, "annotations"> {
  if (!adopt) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, [force]: "true" } };
}

interface Named {
  readonly name: pulumi.Input<string>;
  readonly annotations?: { [key: string]: pulumi.Input<string> };
}

/** `ignoreChanges` takes this if a change of the annotation would replace the object. */
export const forceAnnotation = `metadata.annotations["${force}"]`;

/**
 * `ignoreChanges` takes these in an unreachable cluster, where an update would fail, and after a failure Pulumi starts
 * nothing more. The changes wait for a run that reaches it.
 */
export const everything: string[] = ["*"];

/** The plugin itself refuses every request with this kubeconfig. */
const nowhere = JSON.stringify({ apiVersion: "v1", kind: "Config", clusters: [], contexts: [] });

/**
 * Sends nothing to the cluster. Registered objects count as unchanged. Creating or deleting one fails the run if the
 * cluster is refused. If it is revoked, state forgets objects, except Helm releases (RevokedCluster).
 */
export function unreachingProvider(
  name: string,
  { name: cluster, access: { context } }: Pick<ClusterConfig, "name" | "access">,
  reason: "refused" | "revoked",
  opts: pulumi.ResourceOptions,
): kubernetes.Provider {
  return new k8s.Provider(
    name,
    {
      context,
      clusterIdentifier: cluster,
      kubeconfig: nowhere,
      skipUpdateUnreachable: true,
      ...(reason === "revoked" && { deleteUnreachable: true }),
    },
    opts,
  );
}

/**
 * Encodes a text for a Secret's `data`. The provider keeps `data` in state, so a change of `stringData` would look like
 * one key removed and another added.
 */
export function base64(text: pulumi.Input<string>): pulumi.Output<string> {
  return pulumi.output(text).apply((plain) => Buffer.from(plain).toString("base64"));
}
