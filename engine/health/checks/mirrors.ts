import { verdicts } from "../../model/verdicts.ts";
import { listed } from "../../base/message.ts";
import { omitUndefined } from "../../base/omit-undefined.ts";
import { fixText, type Skip } from "../../model/reasons.ts";
import { type Change, type Decision, isChange, isSkip } from "../../model/decision.ts";
import { fieldText } from "../../mirroring/report/describe.ts";
import type {
  HealthCheck,
  Finding,
  Findings,
  CheckedCluster,
  CheckedLink,
} from "../health-check.ts";
import type { HealthMesh } from "../health-mesh.ts";
import { kinds } from "../../model/mirror.ts";
import type { Result } from "../../base/result.ts";

export const mirrorsInOrder: HealthCheck<CheckedLink> = {
  id: "mirrors-in-order",
  title: "every exported Service is mirrored as the config says",
  finds:
    "mirrors that are missing, left over, changed or undecided, and Services that are not mirrored, with reasons",
  severity: "error",
  run: ({ mesh, link, mirroring, mirrors }) =>
    mirroring === "controller" || mirrors === undefined
      ? { skipped: "Linkerd's controller does the mirroring (mirroring: controller)" }
      : inOrder(mirrors, mesh, link.source, link.target),
};

export const federatedInOrder: HealthCheck<CheckedCluster> = {
  id: "federated-in-order",
  title: "federated Services have the right members",
  finds:
    "federated Services that are missing, left over, changed or undecided, and members that are left out, with reasons",
  severity: "error",
  run: ({ mesh, cluster, federated }) =>
    federated === undefined
      ? { skipped: "this stack mirrors nothing into this cluster" }
      : inOrder(federated, mesh, cluster, "their clusters"),
};

function inOrder(
  decisions: Result<readonly Decision[] | undefined>,
  mesh: HealthMesh,
  source: string,
  target: string,
): Findings {
  if ("why" in decisions) return [decisions.why];
  const { value } = decisions;
  if (value === undefined) return { skipped: "a cluster that it takes can't be read" };
  return [
    ...value.filter(isChange).map((change) => pending(change, source)),
    ...missed(value.filter(isSkip), target, mesh),
  ];
}

function pending(change: Change, source: string): Finding {
  const { verdict, kind, key, fields } = change;
  const mirror = `${kinds[kind].text} ${source}/${key}`;
  if (change.verdict === "delete" && change.successor !== undefined)
    return {
      sentence: `${mirror} has a former name: ${change.successor} replaces it, and the next run deletes it`,
      severity: "warning",
      fix: "pulumi up",
    };
  const how = fields.map(fieldText).join("; ");
  const detail = how === "" ? "" : ` (${how})`;
  return { sentence: `${mirror} ${verdicts[verdict].predicate}${detail}`, fix: "pulumi up" };
}

/** Services with the same reason share a finding: a gateway without an address concerns all behind it. */
function missed(skips: readonly Skip[], target: string, { clusters }: HealthMesh): Finding[] {
  const byReason = Map.groupBy(skips, ({ sentence }) => sentence);
  return [...byReason].map(([sentence, all]) => {
    const names = all.map(({ origin, cluster, hostname }) => {
      const pod = hostname === undefined ? "" : ` pod ${hostname}`;
      return `${cluster ?? target}/${origin}${pod}`;
    });
    const verb = names.length === 1 ? "is" : "are";
    const fixes = all.flatMap(({ fix }) => fix ?? []);
    const [fix] = fixes.map((each) => fixText(each, (name) => clusters[name]?.context ?? name));
    return {
      sentence: `${listed(names)} ${verb} not mirrored: ${sentence}`,
      severity: "warning",
      ...omitUndefined({ fix }),
    };
  });
}
