import { domainsIn } from "../../../engine/credentials/linkerd-config.ts";
import { credentialsIn } from "../../../engine/credentials/kubeconfig.ts";
import { parseDuration } from "../../../engine/kubernetes/objects/duration.ts";
import { failureOfResponse } from "../../../engine/kubernetes/client/failure.ts";
import { redactor, withoutUserPart } from "../../../engine/kubernetes/client/redaction.ts";
import type { Endpoints } from "../../../engine/kubernetes/objects/objects.ts";
import { endpointsFields } from "../../../engine/mirroring/model/difference.ts";
import { listed } from "../../../engine/message.ts";
import type { Mirror } from "../../../engine/mirroring/model/mirror.ts";

/** Where something of a cluster comes in. */
interface Door {
  readonly name: string;
  /** The worst that may come in, of about so many bytes. */
  readonly worst: (bytes: number) => unknown;
  readonly enter: (input: never) => unknown;
}

/** A door, with the type of what comes in by it checked. */
function door<T>(name: string, worst: (bytes: number) => T, enter: (input: T) => unknown): Door {
  return { name, worst, enter };
}

/** Bytes: what this machine is busy with otherwise is lost in the time that the larger one takes. */
export const [small, large] = [25_000, 200_000];

const numbered = <T>(count: number, text: (number: number) => T) =>
  Array.from({ length: Math.round(count) }, (_, number) => text(number));

const redact = redactor(["a token that is secret"]);

const refusal = (message: string) =>
  failureOfResponse(
    { statusCode: 403, headers: {} },
    JSON.stringify({ kind: "Status", message }),
    redact,
  );

/** Texts and objects of a cluster, each where it comes in, and what of all that may come in takes longest. */
export const doors: readonly Door[] = [
  door("a duration: digits", (bytes) => "1".repeat(bytes), parseDuration),
  door("a duration: parts", (bytes) => "1h".repeat(bytes / 2), parseDuration),
  door(
    "linkerd-config: many keys",
    (bytes) => numbered(bytes / 9, (n) => `k${n}: 1`).join("\n"),
    domainsIn,
  ),
  door(
    "linkerd-config: the key, often",
    (bytes) => "clusterDomain: a\n".repeat(bytes / 17),
    domainsIn,
  ),
  door("linkerd-config: nested", (bytes) => `clusterDomain: ${"[".repeat(bytes)}`, domainsIn),
  door(
    "a kubeconfig: many keys",
    (bytes) => numbered(bytes / 9, (n) => `k${n}: 1`).join("\n"),
    credentialsIn,
  ),
  door("a kubeconfig: nested", (bytes) => "? ".repeat(bytes / 2), credentialsIn),
  door("a kubeconfig: blanks", (bytes) => `a: b${" ".repeat(bytes)}c`, credentialsIn),
  door("a kubeconfig: a long word", (bytes) => `a: ${"1.".repeat(bytes / 2)}`, credentialsIn),
  door("what a server says: letters", (bytes) => "token".repeat(bytes / 5), redact),
  door("what a server says: slashes", (bytes) => "/".repeat(bytes) + "@", withoutUserPart),
  door("what a server says: backslashes", (bytes) => "\\".repeat(bytes), refusal),
  door("a list of texts in a preview", (bytes) => numbered(bytes / 8, String), listed),
  door(
    "addresses that differ",
    (bytes) => numbered(bytes / 16, (n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`),
    (ips) => {
      const live: Endpoints = {
        metadata: { name: "web-west", namespace: "shop" },
        subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ port: 1 }] }],
      };
      const addresses = ips.map((ip) => ({ ip: ip.replace("10.", "11.") }));
      const wanted: Mirror = {
        kind: "gateway",
        namespace: "shop",
        name: "web-west",
        origin: "shop/web",
        labels: {},
        annotations: {},
        ports: [],
        endpoints: { labels: {}, annotations: {}, subsets: [{ addresses, ports: [{ port: 1 }] }] },
      };
      return endpointsFields(live, wanted, () => undefined);
    },
  ),
];
