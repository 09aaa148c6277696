import type { ObjectKey, Service } from "../../../kubernetes/objects/objects.ts";
import type { Member } from "./members.ts";

/** By federated Service's origin: whose ports it has, and whose differ. */
export type PortConflicts = Readonly<Record<ObjectKey, string>>;

/**
 * Members whose ports are not those of the federated Service. It has one list of ports, the first
 * member's; traffic to a port that another member does not have fails there, which Linkerd never
 * mentions.
 */
export function portConflicts(
  origin: ObjectKey,
  [first, ...others]: readonly Member[],
  source: string,
): PortConflicts {
  if (first === undefined) return {};
  const own = ports(first.service);
  const differing = others
    .filter((member) => ports(member.service) !== own)
    .map((member) => `${ports(member.service)} on ${member.cluster ?? source}`);
  if (differing.length === 0) return {};
  return {
    [origin]: `its ports are those of ${first.cluster ?? source} (${own}), and differ from ${differing.join(" and ")}: give all members the same ports`,
  };
}

function ports(service: Service): string {
  return (service.spec.ports ?? [])
    .map(
      ({ name = "", protocol = "TCP", port, appProtocol }) =>
        `${name === "" ? "" : `${name} `}${String(port)}/${protocol}${appProtocol === undefined ? "" : ` as ${appProtocol}`}`,
    )
    .sort()
    .join(", ");
}
