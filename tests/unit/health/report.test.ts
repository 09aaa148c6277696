import { deepEqual, equal } from "node:assert/strict";
import { clusterChecks, clusterReached, linkChecks } from "../../../engine/health/checks/all.ts";
import { clientsMeshed } from "../../../engine/health/checks/pods.ts";
import { observeMesh } from "../../../engine/health/observe-mesh.ts";
import { reportOn, resultOfCheck } from "../../../engine/health/report.ts";
import { readMesh } from "../../../engine/reading/read-mesh.ts";
import { gateway } from "../fixtures/link.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { cluster, exported } from "../fixtures/objects.ts";
import { now } from "../trust/certificates.ts";
import {
  clusterView,
  east,
  linkReading,
  linkView,
  mesh,
  outOfReach,
  reading,
  unread,
  west,
} from "./views.ts";

const views = {
  clusters: [clusterView({ cluster: "west", reading: reading(west) }), clusterView()],
  links: [linkView()],
};

const flat = "no link into this cluster leads straight to pods of another";

/** Returns the result of each check, or why it was skipped. */
function saidOn({ clusters = [], links = [] }: Partial<Parameters<typeof reportOn>[0]>) {
  const checks = reportOn({ clusters, links }).groups.flatMap((group) => group.checks);
  return Object.fromEntries(checks.map(({ id, result, why }) => [id, why ?? result]));
}

describe("the report", () => {
  it("is healthy, and has every check of every cluster and link", () => {
    const { version, healthy, counts, groups } = reportOn(views);
    deepEqual([version, healthy, counts.error, counts.warning], [1, true, 0, 0]);
    const optional = ["gateway-alive", "gateway-closed"];
    const ids = (checks: readonly { readonly id: string }[]) =>
      checks.map(({ id }) => id).filter((id) => !optional.includes(id));
    deepEqual(
      groups.map(({ kind, name, checks }) => [kind, name, ids(checks)]),
      [
        ["cluster", "west", ids(clusterChecks)],
        ["cluster", "east", ids(clusterChecks)],
        ["link", "east/west", ids(linkChecks)],
      ],
    );
  });

  it("gives every check a unique id, and a link to Linkerd's page if there is one", () => {
    const checks = reportOn(views).groups.flatMap((group) => group.checks);
    const all = [...clusterChecks, ...linkChecks];
    equal(new Set(all.map(({ id }) => id)).size, all.length);
    for (const { hint = "https://linkerd.io/2/checks/#l5d-" } of checks)
      equal(hint.startsWith("https://linkerd.io/2/checks/#l5d-"), true);
  });

  it("passes no check of an unreadable cluster", () => {
    const failure = unread("cluster west can't be reached");
    const { credentials: _none, ...reading } = linkReading({}, failure);
    const away = { ...reading, target: failure };
    const [east, west] = ["east", "west"].map((name) => `cluster ${name} can't be read`);
    deepEqual(saidOn({ clusters: [clusterView({ reading: outOfReach, federated: failure })] }), {
      "cluster-reached": "error",
      "federated-in-order": "error",
      "failover-in-order": "this stack mirrors nothing into this cluster, or can't decide what",
      "links-served": east,
      "trust-anchors-valid": east,
      "issuer-valid": east,
      "no-orphans": east,
      "pod-ranges-disjoint": flat,
      "single-federation": "this stack federates nothing into this cluster",
    });
    const link = { gatewayProbe: true };
    deepEqual(
      saidOn({ links: [linkView({ link, reading, mirrors: failure, source: outOfReach })] }),
      {
        "trust-anchors-shared": "the trust anchors of cluster east can't be read",
        "issuers-trusted": "the trust anchors of cluster east can't be read",
        "trust-domains-shared": "the trust domain of cluster east can't be read",
        gateway: "error",
        "gateway-alive": "its gateway is not known",
        "gateway-redundant": "nobody knows the pods of its gateway",
        "link-resource": "the Links of cluster east can't be read",
        "credentials-exist": east,
        "credentials-work": east,
        "mirrors-have-endpoints": east,
        "single-controller": "the Deployments of cluster east can't be read",
        "mirrors-in-order": "error",
      },
    );
    deepEqual(
      saidOn({ links: [linkView({ link, reading: away, mirrors: failure, target: outOfReach })] }),
      {
        "trust-anchors-shared": "the trust anchors of cluster west can't be read",
        "issuers-trusted": "the trust anchors of cluster west can't be read",
        "trust-domains-shared": "the trust domain of cluster west can't be read",
        gateway: west,
        "gateway-alive": west,
        "gateway-redundant": west,
        "link-resource": "ok",
        "credentials-exist": west,
        "credentials-work": west,
        "mirrors-have-endpoints": "ok",
        "single-controller": "ok",
        "mirrors-in-order": "error",
      },
    );
  });

  it("needs as few requests for 400 mirrors as for one", async () => {
    const requests = async (count: number) => {
      const services = Array.from({ length: count }, (_, index) => exported(`shop/web-${index}`));
      const memory = serverWith(cluster("west", { services }));
      const lines: string[] = [];
      memory.refuse = (line) => void lines.push(line);
      const need = { clusters: { west: { clients: true, linkerd: "linkerd" } }, links: [] };
      await readMesh(mesh(), new SimulatedClusters({ west: memory }), need);
      return lines.sort();
    };
    deepEqual(await requests(400), await requests(1));
  });

  it("reads no Secret and no pod for mirrors alone, as explain shows them", async () => {
    const read = async (mirrorsOnly: boolean) => {
      const lines = new Set<string>();
      const servers = { west: serverWith(west), east: serverWith(east) };
      for (const server of Object.values(servers))
        server.refuse = (line) => void lines.add(line.split(" ").slice(0, 2).join(" "));
      const clusters = new SimulatedClusters(servers);
      await observeMesh(mesh(), now, { clusters, mirrorsOnly });
      return [...lines].sort();
    };
    const lists = [
      "deployments",
      "endpoints",
      "httproutes",
      "links",
      "namespaces",
      "nodes",
      "services",
    ];
    deepEqual(
      await read(true),
      lists.map((each) => `list ${each}`),
    );
    equal((await read(false)).includes("get secrets"), true);
  });

  it("is healthy with a warning, and unhealthy with an error", () => {
    const warned = linkView({
      reading: linkReading({}, { value: { gateway, warnings: ["slow"] } }),
    });
    const mild = reportOn({ ...views, links: [warned] });
    deepEqual([mild.healthy, mild.counts.warning, mild.counts.error], [true, 1, 0]);
    const lost = reportOn({ ...views, clusters: [clusterView({ reading: outOfReach })] });
    deepEqual([lost.healthy, lost.counts.error], [false, 1]);
  });

  it("skips checks of Linkerd with manage: mirrors", () => {
    const only = mesh({ manage: "mirrors" });
    const controllers = { value: [] };
    const found = saidOn({
      clusters: [clusterView({ mesh: only, reading: { snapshot: { value: east }, controllers } })],
      links: [linkView({ mesh: only })],
    });
    const others = "this stack does not manage it (manage: mirrors)";
    deepEqual(
      Object.keys(found).filter((id) => found[id] === others),
      [
        ...["links-served", "trust-anchors-valid", "issuer-valid", "trust-anchors-shared"],
        ...["issuers-trusted", "trust-domains-shared", "link-resource"],
        ...["credentials-exist", "credentials-work"],
      ],
    );
  });

  it("quotes clusters without control characters", () => {
    const [forged, shown] = ["x\nStatus: √\u001b[2K\u202e", "x?Status: √?[2K?"];
    const away = clusterView({ reading: { snapshot: unread(forged) } });
    const { findings, why } = resultOfCheck(clusterReached, away);
    deepEqual([findings, why], [[{ severity: "fatal", sentence: shown }], undefined]);
    const unmeshed = { ...reading(east), unmeshed: unread(forged) };
    const result = resultOfCheck(clientsMeshed, clusterView({ reading: unmeshed }));
    equal(result.why, `its pods can't be read: ${shown}`);
  });
});
