import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { explain } from "../../../cli/views/explain.ts";
import { explanationText } from "../../../cli/views/explanation-text.ts";
import type { Facts } from "../../../cli/facts/facts.ts";
import { putServices } from "../../simulation/contents.ts";
import { service } from "../fixtures/objects.ts";
import { Mesh } from "./mesh.ts";

/** Returns a line for each place, such as `west/shop/web in east: mirrored`. */
function places(facts: Facts, asked: string): string[] {
  return explain(facts, asked).services.flatMap(({ cluster, service, appearsIn }) =>
    appearsIn.map(({ source, state }) => `${cluster}/${service} in ${source}: ${state}`),
  );
}

describe("explain", () => {
  let facts: Facts;
  before(async () => {
    facts = await (await (await new Mesh().up()).up()).facts();
  });

  const text = (asked: string) => explanationText(explain(facts, asked));

  it("finds a Service by its name or a mirror's, and shows its mirror, selector and DNS names", () => {
    for (const asked of ["shop/web", "web", "shop/web-west", "web-west"])
      equal(
        text(asked),
        `shop/web in west
  ClusterIP, ports http 80→8080/TCP, 2 ready
  labels for links: mirror.linkerd.io/exported=true
  √ mirrored to east (selector mirror.linkerd.io/exported=true)
      shop/web-west: gateway mirror of web: http 80→8080/TCP
        address 10.96.0.2; endpoints 192.0.2.10; identity gateway.west
        names: web-west.shop.svc
        created 2026-01-01T00:00:00Z, written by acme/mesh/dev
  - not mirrored to north: no link from north to west in this stack
`,
        asked,
      );
  });

  it("names what others have to provide for mirrors that lead to pods", () => {
    match(
      text("shop/bb"),
      /\n {8}needs credentials of Linkerd in east for west, which others provide \(manage: mirrors\): linkerd-clusters check looks for them\n/,
    );
    doesNotMatch(text("shop/web"), /needs/);
    const checks = facts.health.groups.flatMap((group) => group.checks);
    deepEqual(
      checks.flatMap(({ id, result }) => (id === "credentials-exist" ? result : [])),
      ["warning", "warning"],
    );
  });

  it("says that a closed gateway refuses what is not exported", () => {
    const links = facts.links.map((each) => ({ ...each, closed: true }) as const);
    const closed = explanationText(explain({ ...facts, links }, "shop/metrics"));
    match(
      closed,
      /not exported to east: refused at west's gateway: not exported; no link selector/,
    );
    doesNotMatch(text("shop/metrics"), /refused/);
  });

  it("takes the names that clients, kubectl and other commands use", () => {
    const names = ["web.shop", "web.shop.svc.cluster.local", "web-west.shop.svc", "svc/web"];
    for (const asked of [...names, "east/shop/web-west"])
      deepEqual(places(facts, asked), places(facts, "shop/web"), asked);
    const services = facts.services.map((each) => ({ ...each, service: "svc/web" }));
    deepEqual(explain({ ...facts, services }, "svc/web").services[0]?.service, "svc/web");
  });

  it("names the rule or the missing label that keeps a Service from being mirrored", () => {
    match(
      text("payments/ledger"),
      /\n {2}× not mirrored to east: MissingNamespace: east has no namespace payments: create it.*\n {6}Fix: kubectl --context east create namespace payments\n/,
    );
    match(
      text("shop/metrics"),
      /\n {2}- not exported to east: no link selector matches\. Label it mirror\.linkerd\.io\/exported=true \(gateway mirror\), mirror\.linkerd\.io\/exported=remote-discovery \(pod to pod\) or mirror\.linkerd\.io\/federated=member \(federated\)\n {6}Fix: kubectl --context \S+ --namespace shop label --overwrite service metrics mirror\.linkerd\.io\/exported=true\n/,
    );
    doesNotMatch(text("default/kubernetes"), /Fix/);
  });

  it("says why a mirror goes, and how to keep it, in place of the run that deletes it", () => {
    const going = facts.mirrors.map((each) => ({ ...each, verdict: "delete" as const }));
    const said = (change: Partial<Facts>) =>
      explanationText(explain({ ...facts, mirrors: going, ...change }, "shop/web"));
    match(
      said({ notMirrored: [] }),
      /- not exported to east: the next pulumi up deletes its mirror, because no link selector matches.*\n {6}Fix: kubectl .* label --overwrite service web .*\n {6}shop\/web-west \(pending: delete\): /,
    );
    match(
      said({ links: [], notMirrored: [] }),
      /the next pulumi up deletes its mirror, because no link from east to west in this stack/,
    );
    const skip = { source: "east", part: "west", service: "shop/web" };
    const sentence = "its namespace is excluded";
    const excluded = said({ notMirrored: [{ ...skip, reason: "ExcludedNamespace", sentence }] });
    match(excluded, /deletes its mirror, because ExcludedNamespace: its namespace is excluded\n/);
    doesNotMatch(excluded, /Fix: pulumi up|skipped/);
  });

  it("finds a Service by the name that a mirror of it would have", () => {
    for (const [asked, service] of [
      ["payments/ledger-west", "payments/ledger"],
      ["ledger-west", "payments/ledger"],
      ["shop/metrics-west", "shop/metrics"],
      ["shop/metrics-federated", "shop/metrics"],
    ] as const)
      deepEqual(
        explain(facts, asked).services.map((each) => [each.cluster, each.service]),
        [["west", service]],
        asked,
      );
    const naming = { target: "west", names: "far-{service}", mirrorNamespaces: { shop: "away" } };
    const links = facts.links.map((link) => ({ ...link, naming }));
    equal(explain({ ...facts, links }, "away/far-metrics").services[0]?.service, "shop/metrics");
  });

  it("says nothing of labels where no link leads", () => {
    const alone = explain({ ...facts, links: [], mirrors: [], notMirrored: [] }, "shop/metrics");
    doesNotMatch(explanationText(alone), /labels for links/);
  });

  it("says which clusters may import a Service, and which of its ports", () => {
    const at = { cluster: "west", service: "shop/web" };
    const base = { ...at, type: "ClusterIP", ports: "none", labels: {} };
    for (const [fact, sentence] of [
      [
        { importers: ["east", "n*"] },
        "west/shop/web may be imported by east and n* only (annotation linkerd-multicluster/clusters)",
      ],
      [
        { importers: ["nrth"], importedPorts: ["http", "80"] },
        "west/shop/web may be imported by nrth only (annotation linkerd-multicluster/clusters), with ports http and 80 only (annotation linkerd-multicluster/ports); the stack has no cluster nrth",
      ],
      [
        { importedPorts: ["http"] },
        "west/shop/web may be imported by every cluster, with port http only (annotation linkerd-multicluster/ports)",
      ],
    ] as const) {
      const explanation = explain({ ...facts, services: [{ ...base, ...fact }] }, "shop/web");
      equal(explanation.services[0]?.restriction, sentence);
      equal(explanationText(explanation).split("\n")[3]?.trim(), sentence);
    }
  });

  it("shows every member of a federated Service", () => {
    deepEqual(places(facts, "shop/bb"), [
      "west/shop/bb in east: mirrored",
      "west/shop/bb in north: noLink",
      "north/shop/bb in east: notMirrored",
      "north/shop/bb in west: noLink",
    ]);
  });

  it("shows pending changes", async () => {
    const other = await new Mesh().up();
    other.clusters.east.delete("services", "shop/web-west");
    const pending = explanationText(explain(await other.facts(), "shop/web"));
    match(pending, /‼ pending in east .*\n {6}Fix: pulumi up\n/);
    match(pending, /shop\/web-west \(pending: create\): gateway mirror of web/);
  });

  it("says which unreadable cluster leaves it unknown whether a Service is mirrored", async () => {
    const other = await new Mesh().up();
    delete other.clusters.north;
    const away = await other.facts();
    const [place] = explain(away, "shop/metrics").services[0]?.appearsIn ?? [];
    equal(place?.state, "unknown");
    match(place.why ?? "", /no context north/);
  });

  it("says why it isn't known how a Service fails over", async () => {
    const other = await new Mesh().up();
    other.args = { ...other.args, failover: { "shop/own": ["local", "west"] } };
    putServices(other.clusters.east, service("shop/own"));
    other.clusters.east.refuse = (request) =>
      request.includes("httproutes") ? "server" : undefined;
    match(
      explanationText(explain(await other.facts(), "shop/own")),
      /\n {2}failover: unknown, because .*httproutes/,
    );
  });

  it("suggests a similar name", () => {
    const explanation = explain(facts, "shop/wweb");
    deepEqual([explanation.services, explanation.near], [[], "shop/web"]);
    equal(
      explanationText(explanation),
      "No cluster of the stack has a Service or mirror shop/wweb. Did you mean shop/web?\n",
    );
  });
});
