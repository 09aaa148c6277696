import { deepEqual, equal } from "node:assert/strict";
import { clusterChecks, linkChecks } from "../../../engine/health/checks/all.ts";
import { reportOn } from "../../../engine/health/report.ts";
import { reportTable } from "../../../engine/health/report.ts";
import { gateway } from "../fixtures/link.ts";
import { cluster, service } from "../fixtures/objects.ts";
import {
  clusterView,
  east,
  linkReading,
  linkView,
  mesh,
  outOfReach,
  reading,
  west,
} from "./views.ts";
import { label } from "../../../engine/mirroring/model/vocabulary.ts";

const views = {
  clusters: [clusterView({ cluster: "west", reading: reading(west) }), clusterView()],
  links: [linkView()],
};

describe("the report", () => {
  it("is healthy, and has every check of every cluster and link", () => {
    const { version, healthy, counts, groups } = reportOn(views);
    deepEqual([version, healthy, counts.error, counts.warning], [1, true, 0, 0]);
    const ids = (checks: readonly { readonly id: string }[]) => checks.map(({ id }) => id);
    deepEqual(
      groups.map(({ kind, name, checks }) => [kind, name, ids(checks)]),
      [
        ["cluster", "west", ids(clusterChecks)],
        ["cluster", "east", ids(clusterChecks)],
        ["link", "east/west", ids(linkChecks).filter((id) => id !== "gateway-alive")],
      ],
    );
  });

  it("gives every check an id of its own, and Linkerd's page where it has one", () => {
    const checks = reportOn(views).groups.flatMap((group) => group.checks);
    const all = [...clusterChecks, ...linkChecks];
    equal(new Set(all.map(({ id }) => id)).size, all.length);
    for (const { hint = "https://linkerd.io/2/checks/#l5d-" } of checks)
      equal(hint.startsWith("https://linkerd.io/2/checks/#l5d-"), true);
  });

  it("stays healthy with a warning, and does not with an error", () => {
    const warned = linkView({
      reading: linkReading({ gateway: { value: { known: true, gateway, warnings: ["slow"] } } }),
    });
    const mild = reportOn({ ...views, links: [warned] });
    deepEqual([mild.healthy, mild.counts.warning, mild.counts.error], [true, 1, 0]);
    const lost = reportOn({ ...views, clusters: [clusterView({ reading: outOfReach })] });
    deepEqual([lost.healthy, lost.counts.error], [false, 1]);
  });

  it("has a line for whether a gateway is alive only where the link has it probed", () => {
    const ids = (gatewayProbe: boolean) =>
      reportOn({ clusters: [], links: [linkView({ link: { gatewayProbe } })] }).groups.flatMap(
        ({ checks }) => checks.map(({ id }) => id),
      );
    deepEqual(
      [ids(false), ids(true)].map((all) => all.includes("gateway-alive")),
      [false, true],
    );
  });

  it("leaves Linkerd out with manage: mirrors, and says so", () => {
    const only = mesh({ manage: "mirrors" });
    const controllers = { value: [] };
    const { groups } = reportOn({
      clusters: [clusterView({ mesh: only, reading: { snapshot: { value: east }, controllers } })],
      links: [linkView({ mesh: only })],
    });
    const made = groups.flatMap(({ checks }) => checks.filter(({ result }) => result === "ok"));
    deepEqual(
      made.map(({ id }) => id),
      [
        "cluster-reached",
        "single-federation",
        "federated-in-order",
        "no-orphans",
        "gateway",
        "single-controller",
        "mirrors-in-order",
        "mirrors-have-endpoints",
      ],
    );
    const others = groups.flatMap(({ checks }) => checks.filter(({ result }) => result !== "ok"));
    const flat = "no link into this cluster leads straight to pods of another";
    for (const { id, result, why } of others)
      deepEqual(
        [result, why],
        [
          "skipped",
          id === "pod-ranges-disjoint" ? flat : "this stack does not manage it (manage: mirrors)",
        ],
      );
  });
});

describe("the table", () => {
  it("reads like that of linkerd check", () => {
    const view = linkView({
      reading: linkReading({ gateway: { value: { known: false, why: "no address" } } }),
    });
    const lines = reportTable(reportOn({ ...views, links: [view] })).split("\n");
    const [first, rule, , second] = lines;
    deepEqual([first, rule], ["cluster west", "------------"]);
    equal(
      second,
      "- the Link CRD is served (skipped: no link of the stack has this cluster as its source)",
    );
    const at = lines.indexOf("link east/west");
    deepEqual(lines.slice(at, at + 8), [
      "link east/west",
      "--------------",
      "√ both clusters trust a common anchor",
      "√ each cluster trusts the other's issuer",
      "√ both clusters have the same trust domain",
      "× the target's gateway has an address, a port and an identity",
      "    no address",
      "    see https://linkerd.io/2/checks/#l5d-multicluster-gateways-endpoints for hints",
    ]);
    equal(lines.at(-2), "Status: × (24 passed, 1 error, 4 skipped)");
  });

  it("cuts a long list short", () => {
    const labels = (name: string) => ({ [label.mirrored]: "true", [label.cluster]: name });
    const services = Array.from({ length: 13 }, (_, index) =>
      service(`shop/s-${index}`, { labels: labels(`gone-${index}`) }),
    );
    const view = clusterView({ reading: reading(cluster("east", { services })) });
    const lines = reportTable(reportOn({ clusters: [view], links: [] })).split("\n");
    const at = lines.indexOf("‼ every mirror belongs to a link");
    equal(lines[at + 11], "    and 3 more");
  });
});
