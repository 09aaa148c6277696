import { type Check, unread } from "../check.ts";
import type { LinkView } from "../view.ts";

export const gatewayKnown: Check<LinkView> = {
  id: "gateway",
  title: "the target's gateway has an address, a port and an identity",
  anchor: "l5d-multicluster-gateways-endpoints",
  severity: "error",
  aboutLinkerd: false,
  run: ({ link, target, reading: { gateway } }) => {
    if (link.gateway === false) return { skipped: "the link has no gateway (gateway: false)" };
    if ("why" in target.snapshot) return unread(link.target);
    if ("why" in gateway) return [{ sentence: gateway.why }];
    const reading = gateway.value;
    if (!reading.known) return [{ sentence: reading.why }];
    return reading.warnings.map((sentence) => ({ sentence, severity: "warning" as const }));
  },
};
