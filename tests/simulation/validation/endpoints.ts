import { isIP, isIPv4 } from "node:net";

import { type Stored, withoutEmpty } from "../objects.ts";
import { type Objection, objection } from "../refusals.ts";
import { isDnsLabel } from "./metadata.ts";
import { type Port, portObjections } from "./ports.ts";

interface Subset {
  readonly addresses?: readonly Address[];
  readonly notReadyAddresses?: readonly Address[];
  readonly ports?: readonly Port[];
}

interface Address {
  readonly ip: string;
  readonly hostname?: string;
}

export function* endpointsObjections(endpoints: Stored): Generator<Objection> {
  for (const [index, subset] of subsetsOf(endpoints).entries()) {
    const field = `subsets[${index}]`;
    const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
    if (addresses.length + notReadyAddresses.length === 0)
      yield objection("FieldValueRequired", field);
    yield* addressObjections(`${field}.addresses`, addresses);
    yield* addressObjections(`${field}.notReadyAddresses`, notReadyAddresses);
    yield* portObjections(`${field}.ports`, ports);
  }
}

function* addressObjections(field: string, addresses: readonly Address[]): Generator<Objection> {
  for (const [index, { ip, hostname = "" }] of addresses.entries()) {
    if (!isAddress(ip) || isSpecial(ip))
      yield objection("FieldValueInvalid", `${field}[${index}].ip`, ip);
    if (hostname !== "" && !isDnsLabel(hostname))
      yield objection("FieldValueInvalid", `${field}[${index}].hostname`, hostname);
  }
}

/** Not IPv4 in the guise of IPv6. */
function isAddress(ip: string): boolean {
  return isIP(ip) !== 0 && !/^::ffff:/i.test(ip);
}

/** Loopback, link-local and unspecified addresses are no endpoints. */
function isSpecial(ip: string): boolean {
  return isIPv4(ip)
    ? /^(127\.|169\.254\.|0\.0\.0\.0$|224\.0\.0\.)/.test(ip)
    : /^(::1?$|fe[89ab]|ff.2:)/i.test(ip);
}

/** With protocols spelled out; subsets stay as they are sent, which they did not before 1.20. */
export function completedEndpoints(endpoints: Stored): Stored {
  const subsets = subsetsOf(endpoints).map((subset) => {
    const ports = subset.ports?.map((port) => withoutEmpty({ protocol: "TCP", ...port }, ["name"]));
    const all = { ...subset, ...(ports && { ports }) };
    return withoutEmpty(
      { ...all, ...named(all, "addresses"), ...named(all, "notReadyAddresses") },
      ["addresses", "notReadyAddresses", "ports"],
    );
  });
  return withoutEmpty({ ...endpoints, subsets }, ["subsets"]);
}

function named(subset: Subset, field: "addresses" | "notReadyAddresses"): Subset {
  const addresses = subset[field];
  return addresses === undefined
    ? {}
    : { [field]: addresses.map((address) => withoutEmpty(address, ["hostname"])) };
}

function subsetsOf(endpoints: Stored): readonly Subset[] {
  return (endpoints.subsets ?? []) as readonly Subset[];
}
