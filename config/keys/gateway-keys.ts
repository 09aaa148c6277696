import * as z from "zod";
import { linkerdGateway } from "@linkerd-multicluster/engine/mirroring";
import {
  flag,
  list,
  only,
  optional,
  type Section,
  section,
  wholeNumber,
  withDefault,
} from "./schema.ts";
import * as syntax from "./syntax.ts";

/** Links and clusters have the same keys of a gateway, and a cluster one more. */

const addresses = "a list of at least one IP address or DNS hostname";
const ranges = "a list of at least one range of IP addresses, such as 198.51.100.0/24";

export const gateway = section("a gateway", {
  name: withDefault(
    syntax.serviceName,
    linkerdGateway.name,
    "name of the gateway Service in the target",
  ),
  namespace: optional(
    syntax.namespaceName,
    "`multiclusterNamespace`",
    "namespace of the gateway Service",
  ),
  addresses: optional(
    list(syntax.address, addresses).min(1, { error: addresses }),
    "the Service's load balancer",
    "IP addresses or DNS hostnames at which the source reaches the gateway",
  ),
  allowedAddresses: optional(
    list(syntax.addressRange, ranges).min(1, { error: ranges }),
    "any but special ones",
    "ranges such as `198.51.100.0/24` in which the addresses of the Service's load balancer must be; others are left out and reported. If the load balancer announces a hostname, it must resolve into these ranges, and the Link lists the addresses instead",
  ),
  port: optional(
    wholeNumber("a whole number from 1 to 65535", 65535),
    "the Service's port `mc-gateway`",
    "the gateway's port",
  ),
  identity: optional(syntax.tlsIdentity, "the Service's annotation", "the gateway's TLS identity"),
});

export const clusterGateway = section("a cluster's gateway", {
  ...gateway.keys,
  enabled: only(
    ["all"],
    optional(
      flag,
      "whether a link of this stack goes through it",
      "whether the cluster gets Linkerd's gateway; `true` also where only links of other stacks go through it",
    ),
  ),
});

export const gatewayOrFlat = orFlat(gateway);
export const clusterGatewayOrFlat = orFlat(clusterGateway);

function orFlat<Gateway extends z.ZodType>({ keys, schema }: Section & { schema: Gateway }) {
  return z.union([z.literal(false), schema], {
    error: `false, without quotes, or a map of ${Object.keys(keys).join(", ")}`,
  });
}
