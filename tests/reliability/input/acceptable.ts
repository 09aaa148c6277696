import { isIP } from "node:net";
import type { Json, JsonObject, Written } from "./json-cluster.ts";

/**
 * Why Kubernetes would refuse what was written, by its own validation (apimachinery and core/v1),
 * put down here once more so that the program's rules are compared with something else.
 */
export function refusal({ method, path, body }: Written): string | undefined {
  if (!/^[-\w/.]+$/.test(path)) return `path ${path}`;
  if (method === "DELETE" || method === "PATCH") return undefined;
  const { metadata, spec, subsets } = body;
  const meta = record(metadata);
  const name = String(meta.name);
  if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return `name ${name}`;
  return (
    metadataRefusal(meta) ??
    (path.includes("/services") ? serviceRefusal(record(spec)) : undefined) ??
    items(subsets)
      .map(subsetRefusal)
      .find((wrong) => wrong !== undefined)
  );
}

function metadataRefusal({ labels, annotations }: JsonObject): string | undefined {
  const keys = [...Object.keys(record(labels)), ...Object.keys(record(annotations))];
  const key = keys.find((each) => {
    const [name = "", prefix = "a", ...more] = each.split("/").reverse();
    const isName = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(name);
    return !isName || !/^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$/.test(prefix) || more.length > 0;
  });
  if (key !== undefined) return `key ${key}`;
  const value = Object.values(record(labels)).find(
    (each) =>
      typeof each !== "string" || !/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/.test(each),
  );
  if (value !== undefined) return `label value ${JSON.stringify(value)}`;
  const texts = Object.values(record(annotations));
  return texts.every((each) => typeof each === "string") ? undefined : "annotation that is no text";
}

function serviceRefusal({ ports }: JsonObject): string | undefined {
  const all = items(ports).map(record);
  const wrong = all.find(
    ({ name = "", port, protocol = "TCP", targetPort = port }) =>
      !isPort(port) ||
      !isPortName(name) ||
      !["TCP", "UDP", "SCTP"].includes(String(protocol)) ||
      !(isPort(targetPort) || (typeof targetPort === "string" && isPortName(targetPort))),
  );
  if (wrong !== undefined || all.length === 0) return `port ${JSON.stringify(wrong)}`;
  const names = new Set(all.map(({ name }) => name));
  return names.size < all.length ? "two ports of one name" : undefined;
}

function subsetRefusal(subset: Json): string | undefined {
  const { addresses, ports } = record(subset);
  const address = items(addresses)
    .map(record)
    .find(({ ip }) => isIP(String(ip)) === 0);
  if (address !== undefined) return `address ${JSON.stringify(address)}`;
  const port = items(ports)
    .map(record)
    .find((each) => !isPort(each.port));
  return port === undefined ? undefined : `endpoints port ${JSON.stringify(port)}`;
}

function isPort(value: Json): boolean {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536;
}

function isPortName(value: Json): boolean {
  return typeof value === "string" && /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/.test(value);
}

function record(value: Json): JsonObject {
  return typeof value === "object" && value !== null ? (value as JsonObject) : {};
}

function items(value: Json): Json[] {
  return Array.isArray(value) ? value : [];
}
