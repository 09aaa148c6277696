import { domainsIn } from "../../../engine/credentials/linkerd-config.ts";
import { credentialsIn } from "../../../engine/credentials/kubeconfig.ts";
import { parseDuration } from "../../../engine/kubernetes/objects/duration.ts";
import { failureOfResponse } from "../../../engine/kubernetes/client/failure.ts";
import { redactor, withoutUserPart } from "../../../engine/kubernetes/client/redaction.ts";
import type { Endpoints } from "../../../engine/kubernetes/objects/objects.ts";
import { endpointsFields } from "../../../engine/model/difference.ts";
import { listed } from "../../../engine/base/message.ts";
import type { Mirror } from "../../../engine/model/mirror.ts";

/** Makes the worst input of approximately so many bytes, and returns the call that reads it. */
type Door = (bytes: number) => () => unknown;

function door<T>(worst: (bytes: number) => T, enter: (input: T) => unknown): Door {
  return (bytes) => {
    const input = worst(bytes);
    return () => enter(input);
  };
}

/** In bytes. The larger input takes so long that other work on this machine hardly matters. */
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

export const doors: Readonly<Record<string, Door>> = {
  "a duration: digits": door((bytes) => "1".repeat(bytes), parseDuration),
  "a duration: parts": door((bytes) => "1h".repeat(bytes / 2), parseDuration),
  "linkerd-config: many keys": door(
    (bytes) => numbered(bytes / 9, (n) => `k${n}: 1`).join("\n"),
    domainsIn,
  ),
  "linkerd-config: the key, often": door(
    (bytes) => "clusterDomain: a\n".repeat(bytes / 17),
    domainsIn,
  ),
  "linkerd-config: nested": door((bytes) => `clusterDomain: ${"[".repeat(bytes)}`, domainsIn),
  "a kubeconfig: many keys": door(
    (bytes) => numbered(bytes / 9, (n) => `k${n}: 1`).join("\n"),
    credentialsIn,
  ),
  "a kubeconfig: nested": door((bytes) => "? ".repeat(bytes / 2), credentialsIn),
  "a kubeconfig: blanks": door((bytes) => `a: b${" ".repeat(bytes)}c`, credentialsIn),
  "a kubeconfig: a long word": door((bytes) => `a: ${"1.".repeat(bytes / 2)}`, credentialsIn),
  "what a server says: letters": door((bytes) => "token".repeat(bytes / 5), redact),
  "what a server says: slashes": door((bytes) => "/".repeat(bytes) + "@", withoutUserPart),
  "what a server says: backslashes": door((bytes) => "\\".repeat(bytes), refusal),
  "a list of texts in a preview": door((bytes) => numbered(bytes / 8, String), listed),
  "addresses that differ": door(
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
};
