import type { Skip } from "../../mirroring/model/reasons.ts";
import type { Change, Plan } from "../../mirroring/plan/change.ts";
import type { Check, Finding, Verdict } from "../check.ts";
import type { ClusterView, LinkView, Read } from "../view.ts";

export const mirrorsInOrder: Check<LinkView> = {
  id: "mirrors-in-order",
  title: "everything exported is mirrored as it should be",
  severity: "error",
  aboutLinkerd: false,
  run: ({ link, mirroring, reading: { mirrors } }) =>
    mirroring === "controller" || mirrors === undefined
      ? { skipped: "Linkerd's controller does the mirroring (mirroring: controller)" }
      : inOrder(mirrors, link.source, link.target),
};

export const federatedInOrder: Check<ClusterView> = {
  id: "federated-in-order",
  title: "federated Services have the members they should have",
  severity: "error",
  aboutLinkerd: false,
  run: ({ cluster, federated }) =>
    federated === undefined
      ? { skipped: "no link of which this stack makes the mirrors leads into this cluster" }
      : inOrder(federated, cluster, "their clusters"),
};

function inOrder(plan: Read<Plan | undefined>, source: string, target: string): Verdict {
  if ("why" in plan) return [{ sentence: plan.why }];
  if (plan.value === undefined) return { skipped: "a cluster that it takes can't be read" };
  const { changes, skips } = plan.value;
  return [
    ...changes.map((change) => pending(change, source)),
    ...skips.filter(isMissed).map((skip) => missed(skip, target)),
  ];
}

const verbs: Readonly<Record<Change["action"], string>> = {
  create: "is missing",
  update: "is not as it should be",
  replace: "is not as it should be and must be made anew",
  delete: "is left over, as nothing that is exported asks for it",
};

const kinds: Readonly<Record<Change["kind"], string>> = {
  gateway: "gateway mirror",
  headless: "headless mirror",
  endpoint: "endpoint mirror",
  discovery: "remote-discovery mirror",
  federated: "federated Service",
};

function pending({ action, kind, key, fields }: Change, source: string): Finding {
  const how = fields.map(({ field, live, wanted }) => `${field}: ${live} → ${wanted}`).join("; ");
  const detail = how === "" ? "" : ` (${how})`;
  return { sentence: `${kinds[kind]} ${source}/${key} ${verbs[action]}${detail}: run pulumi up` };
}

/** What another link selects is no omission of this one. */
function isMissed({ reason }: Skip): boolean {
  return reason !== "NotSelected";
}

function missed({ origin, cluster, hostname, sentence }: Skip, target: string): Finding {
  const pod = hostname === undefined ? "" : ` pod ${hostname}`;
  return {
    sentence: `${cluster ?? target}/${origin}${pod} is not mirrored: ${sentence}`,
    severity: "warning",
  };
}
