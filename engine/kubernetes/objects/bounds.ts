const KiB = 2 ** 10;
const MiB = 2 ** 20;

const unread = "the cluster cannot be read, and its links wait";
const skipped = "the Service is skipped (`TooLarge`)";
const waits = "mirrors that are new or grow are skipped (`TooManyMirrors`)";
const fails = "the check of the link fails";

/** @param beyond says what happens with more */
function bound(most: number, what: string, beyond = unread) {
  return { most, what, beyond };
}

/**
 * Limits what a cluster may send, and bring into another; docs/reference/limits.md shows this table.
 *
 * An object has at most 1.5 MiB in etcd and four times as much as JSON, so that each fits on a page. A parsed page takes
 * up to 22 times the memory of its text. A cluster with 20,000 objects keeps 60 MiB. The check that reads mirrors counts
 * them, so that a source whose mirrors keep to these limits can be read again.
 */
export const bounds = {
  answer: bound(
    8 * MiB,
    "bytes of one answer of an API server",
    "the client requests smaller pages, down to one object; if that fails too, " + unread,
  ),
  depth: bound(100, "levels of lists and maps in an answer"),
  items: bound(200_000, "objects of a list"),
  entries: bound(320_000, "entries of each list and map in an object, more than etcd stores"),
  pairs: bound(1_000_000, "pairs of an address and a port in Endpoints"),
  list: bound(4096 * MiB, "bytes of all pages of a list"),
  kept: bound(
    256 * MiB,
    "bytes of memory for a cluster's Services, Endpoints, namespaces and Links",
    "the namespace that takes most has its large Services and Endpoints skipped (`TooLarge`); if that is not enough, " +
      unread,
  ),
  event: bound(4 * MiB, "bytes of one event of a watch", "the watch restarts"),
  annotationsSize: bound(256 * KiB, "characters of the annotations of an object, as in Kubernetes"),
  labels: bound(128, "labels that a mirror would have", skipped),
  annotations: bound(128, "annotations that a mirror would have", skipped),
  metadata: bound(64 * KiB, "bytes of labels and annotations that a mirror would have", skipped),
  ports: bound(100, "ports of a Service, and of each subset of its Endpoints", skipped),
  pods: bound(1_000, "pods of a headless Service", skipped),
  mirrors: bound(
    5_000,
    "mirrors of a link, and members of federated Services; `maxMirrors` sets another number",
    waits,
  ),
  linkBytes: bound(
    80 * MiB,
    "bytes of memory for a link's mirrors, and for its members of federated Services",
    waits,
  ),
  mirrorBytes: bound(160 * MiB, "bytes of memory for all mirrors in a source", waits),
  namespaces: bound(
    500,
    "namespaces that `createNamespaces` creates for a link, and for federated Services",
    "the mirrors in others are skipped (`TooManyMirrors`)",
  ),
  environment: bound(
    MiB,
    "bytes that all Services in a namespace add to the environment of each pod there",
    waits,
  ),
  status: bound(
    512 * KiB,
    "bytes of each of the two lists in the status of a Link",
    "problems come first; the last entry counts what was left out",
  ),
  ingress: bound(256, "addresses of a load balancer", "the rest is left out"),
  gatewayAddresses: bound(
    32,
    "addresses of a gateway that may be used",
    "the rest is left out and reported",
  ),
  duration: bound(
    64,
    "characters of a duration, such as `probe-period`",
    "it is ignored and reported",
  ),
  kubeconfig: bound(256 * KiB, "characters of the kubeconfig in a Secret", fails),
  kubeconfigMarks: bound(1_000, "blanks and marks in that kubeconfig", fails),
  domainLine: bound(300, "characters of each domain in `linkerd-config`", "the cluster is refused"),
  said: bound(4_000, "characters of an API server's error message", "the rest is cut"),
};
