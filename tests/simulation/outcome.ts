import { annotation, label } from "../../engine/model/vocabulary.ts";
import type { ApiServer, Entry, Stored } from "./api-server.ts";

const program = "linkerd-multicluster";

/** Returns what the program has written, in order, as `create services shop/web-west`. */
export function writesTo(server: ApiServer): string[] {
  return server.journal
    .filter(({ by }) => by === program)
    .map(({ verb, plural, key }) => `${verb} ${plural} ${key}`);
}

/**
 * Returns writes of the program to what isn't its own. Its own are mirrors, the namespaces that it creates for them,
 * and the status of Links.
 */
export function trespasses(server: ApiServer): string[] {
  return server.journal
    .filter((entry) => entry.by === program && !isItsOwn(entry))
    .map(({ verb, plural, key }) => `${verb} ${plural} ${key} in ${server.name}`);
}

function isItsOwn({ verb, plural, before, after }: Entry): boolean {
  if (plural === "links") return verb === "update";
  if (plural === "namespaces") return verb === "create";
  if (plural !== "services" && plural !== "endpoints") return false;
  return [before, after].every((object) => object === undefined || isMirror(object));
}

export function isMirror({ metadata }: Stored): boolean {
  return metadata.labels?.[label.mirrored] === "true";
}

export function managersOf({ metadata: { managedFields = [] } }: Stored): string[] {
  return (managedFields as readonly { readonly manager: string }[]).map(({ manager }) => manager);
}

/**
 * Returns the meaning of everything in a cluster, by kind and name: without UIDs, versions, times and managers, and
 * with the name of a Service in place of its ClusterIP.
 */
export function contentsOf(server: ApiServer): Record<string, Record<string, unknown>> {
  const addresses = new Map<string, string>();
  for (const [key, { spec }] of server.all("services")) {
    const { clusterIP } = (spec ?? {}) as { readonly clusterIP?: string };
    if (clusterIP !== undefined && clusterIP !== "None")
      addresses.set(clusterIP, `address of ${key}`);
  }
  return Object.fromEntries(
    ["namespaces", "services", "endpoints", "links"].map((plural) => {
      const objects = [...server.all(plural)].sort(([a], [b]) => (a < b ? -1 : 1));
      const shown = objects.map(([key, object]) => [key, plain(object, addresses)] as const);
      return [plural, Object.fromEntries(shown)];
    }),
  );
}

const passing = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "lastTransitionTime",
]);

/** Linkerd's annotation follows every version of the exported Service. */
const version = "mirror.linkerd.io/remote-resource-version";

function plain(object: Stored, addresses: ReadonlyMap<string, string>): unknown {
  return JSON.parse(
    JSON.stringify(object, (key, value: unknown) => {
      if (passing.has(key) || key === version) return undefined;
      // Members are listed in the order in which they joined.
      if (key === annotation.remoteMembers && typeof value === "string")
        return value.split(",").sort().join(",");
      // Kubernetes sorts these by the addresses that are replaced here.
      if (key === "addresses" || key === "notReadyAddresses") return sorted(value);
      return typeof value === "string" ? (addresses.get(value) ?? value) : value;
    }),
  );
}

function sorted(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  const nameOf = ({ hostname = "", ip }: Address) => `${hostname} ${ip}`;
  return (list as readonly Address[]).toSorted((one, other) =>
    nameOf(one) < nameOf(other) ? -1 : 1,
  );
}

interface Address {
  readonly hostname?: string;
  readonly ip: string;
}
