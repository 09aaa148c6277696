/** One bound of what a cluster may say. */
interface Bound {
  readonly most: number;
  /** The noun that the number counts. */
  readonly what: string;
  /** The consequence of more. */
  readonly beyond: string;
}

const KiB = 2 ** 10;
const MiB = 2 ** 20;

const unread = "the cluster cannot be read, and its links wait";
const skipped = "the Service is skipped (`TooLarge`)";
const waits = "what is new or grows is skipped (`TooManyMirrors`)";

/**
 * Bounds of what a cluster may say, and bring into another. All of it is parsed in linear time. docs/reference/limits.md shows this table.
 *
 * An object has at most 1.5 MiB in etcd, and no more than four times as much as JSON. So it can be read, alone on its
 * page where need be. Parsed, a text takes up to 22 times its length, and that is gone after each page. Of
 * 20,000 objects in the largest clusters that Kubernetes is tested with 60 MiB are kept.
 */
export const bounds = {
  answer: {
    most: 8 * MiB,
    what: "bytes of one answer of an API server",
    beyond: "fewer objects are asked for, down to one; then " + unread,
  },
  items: { most: 200_000, what: "objects of a list", beyond: unread },
  list: { most: 4096 * MiB, what: "bytes of all pages of a list", beyond: unread },
  kept: {
    most: 256 * MiB,
    what: "bytes of memory for a cluster's Services, Endpoints, namespaces and Links",
    beyond: unread,
  },
  event: { most: 4 * MiB, what: "bytes of one event of a watch", beyond: "the watch begins anew" },
  annotations: {
    most: 256 * KiB,
    what: "characters of the annotations of an object, as in Kubernetes",
    beyond: "the Service is skipped (`Malformed`)",
  },
  ports: { most: 1_000, what: "ports of an exported Service", beyond: skipped },
  labels: {
    most: 128,
    what: "labels that a mirror would have",
    beyond: skipped,
  },
  metadata: {
    most: 64 * KiB,
    what: "characters of labels and annotations that a mirror would have",
    beyond: skipped,
  },
  offers: {
    most: 100_000,
    what: "addresses times ports in the Endpoints of a headless Service",
    beyond: skipped,
  },
  mirror: {
    most: 4 * KiB,
    what: "characters of a link's mirrors, times `maxMirrors`; at least 1 MiB",
    beyond: waits,
  },
  variables: {
    most: 400,
    what: "characters of a pod's environment for a link's mirrors, times `maxMirrors`; at least 256 KiB",
    beyond: waits,
  },
  status: {
    most: 512 * KiB,
    what: "bytes of each of the two lists in the status of a Link",
    beyond: "an entry at the end counts the rest, problems before all others",
  },
  ingress: {
    most: 256,
    what: "addresses of a load balancer",
    beyond: "the gateway is not used (`NoGateway`)",
  },
  gatewayAddresses: {
    most: 32,
    what: "addresses of a gateway that may be used",
    beyond: "the rest is left out, and told",
  },
  duration: {
    most: 64,
    what: "characters of a duration, as of `probe-period`",
    beyond: "it counts as none, and is told",
  },
  kubeconfig: {
    most: 256 * KiB,
    what: "characters of the kubeconfig in a Secret",
    beyond: "the check of the link fails",
  },
  kubeconfigMarks: {
    most: 1_000,
    what: "blanks and marks in that kubeconfig",
    beyond: "the check of the link fails",
  },
  domainLine: {
    most: 300,
    what: "characters of each domain in `linkerd-config`",
    beyond: "the link's target counts as one without Linkerd",
  },
  said: {
    most: 4_000,
    what: "characters of an API server's error message",
    beyond: "the rest is cut",
  },
} as const satisfies Record<string, Bound>;
