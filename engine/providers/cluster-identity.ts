import { omitUndefined } from "../kubernetes/objects/omit-undefined.ts";
import { movedCluster } from "../kubernetes/identity.ts";
import { foreignLink, type SourceLinks } from "../credentials/foreign-link.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import { accepted, statelessResource } from "./contract.ts";
import { clusters } from "./process.ts";

/** Inputs and state of the resource that remembers which cluster a name stands for. */
export interface IdentityInputs {
  /** Its name in the config. */
  readonly cluster: string;
  readonly context: string;
  /** UID of `kube-system` as it was read in this run; absent where the cluster was out of reach. */
  readonly uid?: string;
  /** The UID that the config demands: `clusters.<name>.uid`. */
  readonly expected?: string;
  /** The links out of it that this stack has. Of others it must not take over the Link resource. */
  readonly links?: SourceLinks;
  /**
   * Why nothing is written there in this run: the name does not stand for the cluster that it stood for, or the Link of
   * a new link is somebody else's.
   */
  readonly refused?: string;
}

/** Connects to a cluster by its name and access. */
type Open = (cluster: string, access: ClusterAccess) => Promise<Pick<Kubernetes, "find">>;

/**
 * Remembers in the stack's state which cluster a name stands for, and which links out of it are the stack's. A cluster
 * that is another one, or has somebody else's Link for a new link, is refused, which the program has to know before it
 * makes anything that is sent there: whatever is sent to a cluster depends on its resource.
 *
 * @param say Pulumi shows each line that is said as a message of the stack
 */
export function identities(
  say: (line: string) => void = console.log,
  open: Open = (cluster, access) => clusters.client(cluster, access),
) {
  return statelessResource<IdentityInputs, IdentityInputs>({
    called: (id) => `cluster identity ${id}`,
    idOf: ({ cluster }) => cluster,

    async check(olds, news) {
      const { uid: remembered } = olds;
      const { cluster, context, uid, expected, links } = news;
      const moved = uid && movedCluster(news, uid, { expected, remembered });
      const isOwn = (target: string) =>
        // Earlier versions remembered no links.
        olds.links?.targets.includes(target) ?? olds.cluster !== undefined;
      const fresh = links?.targets.filter((target) => !isOwn(target)) ?? [];
      const foreign =
        uid === undefined || moved !== undefined || links === undefined
          ? undefined
          : await foreignLinks(cluster, { ...links, targets: fresh });
      const refused = moved ?? foreign;
      if (uid !== undefined && refused === undefined) {
        if (remembered !== undefined && remembered !== uid)
          say(
            `cluster ${cluster} was made anew (its kube-system has UID ${uid}, and had ${remembered}), and the stack's state still lists what the old one had: run pulumi up --refresh`,
          );
        return accepted({}, news);
      }
      const known = uid === undefined ? (expected ?? remembered) : remembered;
      const kept = {
        uid: foreign === undefined ? known : uid,
        expected,
        links: links && { ...links, targets: links.targets.filter(isOwn) },
        refused,
      };
      return accepted({}, { cluster, context, ...omitUndefined(kept) });
    },

    subject: ({ cluster, context, expected, uid, links, refused }) => {
      return { cluster, context, expected, uid, targets: links?.targets, refused };
    },
    make: (inputs) => Promise.resolve(inputs),
  });

  async function foreignLinks(cluster: string, links: SourceLinks): Promise<string | undefined> {
    if (links.targets.length === 0) return undefined;
    const kubernetes = await open(cluster, links.access);
    const found = links.targets.map((target) => foreignLink(kubernetes, cluster, target, links));
    const sentences = (await Promise.all(found)).filter((sentence) => sentence !== undefined);
    return sentences.length === 0 ? undefined : sentences.join(". ");
  }
}

export const clusterIdentities = identities();

/** Inputs and state of a claim that a version before 0.2 made. */
interface FormerClaim {
  readonly cluster: string;
}

/**
 * Versions before 0.2 claimed the clusters of a stack with `sources`. State may still hold the claims, which are only
 * read and deleted. Their Leases stay, and mean nothing.
 */
export const claims = statelessResource<FormerClaim, FormerClaim>({
  idOf: ({ cluster }) => cluster,
  check: accepted,
  subject: () => ({}),
  make: (inputs) => Promise.resolve(inputs),
});
