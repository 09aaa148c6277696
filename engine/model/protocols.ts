import type { ServicePort, StringMap } from "../kubernetes/objects/objects.ts";
import { annotation } from "./vocabulary.ts";

/** The protocol that clients speak to a port, as far as the Service says it. Proxies detect HTTP themselves. */
export type PortProtocol = "http" | "h2c" | "opaque";

/** Linkerd's default, `proxy.opaquePorts` of its chart. */
const usuallyOpaque = "25,587,3306,4444,5432,6379,9300,11211";

/** @param annotations are those of the Service */
export function protocolOf(
  { port, name, appProtocol = "" }: ServicePort,
  annotations: StringMap = {},
): PortProtocol {
  const list = annotations[annotation.opaquePorts] ?? usuallyOpaque;
  const isListed = list.split(",").some((entry) => {
    const range = entry.trim();
    const [from = NaN, to = from] = range.split("-").map(Number);
    return range === name || (from <= port && port <= to);
  });
  if (isListed || ["linkerd.io/opaque", "linkerd.io/tcp"].includes(appProtocol)) return "opaque";
  return appProtocol === "kubernetes.io/h2c" ? "h2c" : "http";
}
