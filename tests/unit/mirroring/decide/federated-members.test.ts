import assert from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import {
  federated,
  federationOf,
  listed,
  member,
  plannedFederation,
} from "../../fixtures/federation.ts";
import { cluster, http, namespace, service } from "../../fixtures/objects.ts";

const bb = member("demo/bb");
const west = (...services: Service[]) => cluster("west", { namespaces: ["demo"], services });
const east = (...services: Service[]) => cluster("east", { services });
const north = (...services: Service[]) => cluster("north", { services });

describe("who is a member (linkerd-behaviour.md 4.2)", () => {
  it("Services of all linked clusters and of this one, by one writer", () => {
    const targets = { east: east(bb), north: north(bb) };
    const { mirrors } = federationOf({ source: west(bb), targets });
    assert.equal(mirrors.length, 1);
    assert.equal(
      listed("demo/bb", federated({ source: west(bb), targets })),
      "bb@east,bb@north local bb",
    );
  });

  it("only of the same name and namespace", () => {
    const source = cluster("west", { namespaces: ["demo", "test"] });
    const after = federated({
      source,
      targets: { east: east(bb), north: north(member("demo/bc"), member("test/bb")) },
    });
    assert.equal(listed("demo/bb", after), "bb@east");
    assert.equal(listed("demo/bc", after), "bc@north");
    assert.equal(listed("test/bb", after), "bb@north");
  });

  it("of a link those that its own selector chooses", () => {
    const links = {
      east: { federatedServiceSelector: { matchLabels: { app: "bb" } } },
      north: { federatedServiceSelector: {} },
    };
    const targets = { east: east(service("demo/bb", { labels: { app: "bb" } })), north: north(bb) };
    assert.equal(listed("demo/bb", federated({ targets, links })), "bb@east");
  });

  it("locally those that the selector of any link chooses", () => {
    const links = { north: { federatedServiceSelector: { matchLabels: { app: "bb" } } } };
    const targets = { east: east(), north: north() };
    for (const local of [bb, service("demo/bb", { labels: { app: "bb" } })])
      assert.equal(
        listed("demo/bb", federated({ source: west(local), targets, links })),
        "local bb",
      );
  });

  it("also Services that are exported, whatever the value", () => {
    for (const value of ["true", "remote-discovery", "false"]) {
      const both = member("demo/bb", { labels: { "mirror.linkerd.io/exported": value } });
      assert.equal(listed("demo/bb", federated({ targets: { east: east(both) } })), "bb@east");
    }
  });

  it("nobody without a link into this cluster: links have a direction", () => {
    assert.equal(federated({ source: west(bb), targets: {} }).services.size, 1);
  });

  it("what is excluded by a link stays behind there, and locally what any link excludes", () => {
    const labels = { good: "1", "evil.io/a": "1", bad: "1" };
    const links: Record<string, Partial<LinkSpec>> = {
      east: { excludedLabels: ["evil.io/*"] },
      north: { excludedLabels: ["bad"] },
    };
    const one = member("demo/bb", { labels });
    const mirrored = { "mirror.linkerd.io/mirrored-service": "true" };
    const labelsWith = (source: Service[], ...remote: Service[]) => {
      const targets = { east: east(...remote), north: north() };
      return federationOf({ source: west(...source), targets, links }).mirrors[0]?.labels;
    };
    assert.deepEqual(labelsWith([], one), { good: "1", bad: "1", ...mirrored });
    assert.deepEqual(labelsWith([one]), { good: "1", ...mirrored });
  });

  it("other controllers' metadata stays behind, and locally comes along only if every link copies it", () => {
    const labels = { "argocd.argoproj.io/instance": "bb", "kapp.k14s.io/app": "bb" };
    const links: Record<string, Partial<LinkSpec>> = {
      east: { copiedMetadata: ["argocd.argoproj.io/*", "kapp.k14s.io/app"] },
      north: { copiedMetadata: ["argocd.argoproj.io/*"] },
    };
    const one = member("demo/bb", { labels });
    const copied = (source: Service[], ...remote: Service[]) =>
      Object.keys(
        federationOf({
          source: west(...source),
          targets: { east: east(...remote), north: north() },
          links,
        }).mirrors[0]?.labels ?? {},
      ).filter((key) => key in labels);
    assert.deepEqual(copied([], one), Object.keys(labels));
    assert.deepEqual(copied([one]), ["argocd.argoproj.io/instance"]);
  });
});

describe("who is in a namespace that links leave out", () => {
  const links = { east: { excludedNamespaces: ["demo"] }, north: {} };
  const targets = { east: east(bb), north: north(bb) };
  const why = "excludedNamespaces of link west/east names demo";

  it("is no member through these, and is told", () => {
    assert.equal(listed("demo/bb", federated({ targets, links })), "bb@north");
    const { skips } = federationOf({ targets, links });
    assert.deepEqual(
      skips.map(({ cluster: where, reason, sentence }) => [where, reason, sentence.split(":")[0]]),
      [["east", "ExcludedNamespace", why]],
    );
  });

  it("leaves the federated Service that it has joined", () => {
    const source = federated({ targets });
    assert.equal(listed("demo/bb", source), "bb@east,bb@north");
    assert.equal(listed("demo/bb", federated({ source, targets, links })), "bb@north");
  });

  it("is a local member as long as one link does not", () => {
    const alone = { east: east(), north: north() };
    assert.equal(
      listed("demo/bb", federated({ source: west(bb), targets: alone, links })),
      "local bb",
    );
    const both = { east: links.east, north: { namespaces: ["shop"] } };
    const { mirrors, skips } = federationOf({ source: west(bb), targets: alone, links: both });
    assert.deepEqual([mirrors, skips.map(({ reason }) => reason)], [[], ["ExcludedNamespace"]]);
  });
});

describe("who cannot be a member", () => {
  const name = (length: number) => "b".repeat(length - "-federated".length);
  const rows: [what: string, service: Service, why: string][] = [
    [
      "a headless Service",
      member("demo/bb", {}, { clusterIP: "None", ports: [http] }),
      "HeadlessMember: a headless Service cannot join a federated Service: export it to be mirrored, or give it a ClusterIP",
    ],
    [
      "a mirror, federated Services among them",
      member("demo/bb", { labels: { "mirror.linkerd.io/mirrored-service": "true" } }),
      "IsMirror: it is a mirror itself on east; let the link's selectors leave mirrors out",
    ],
    [
      "an alias in DNS",
      member("demo/bb", {}, { type: "ExternalName" }),
      "ExternalName: an ExternalName Service is an alias in DNS: export the Service it stands for",
    ],
    [
      "a Service without ports",
      member("demo/bb", {}, { ports: [] }),
      "NoPorts: it has no ports: give it at least one, which its mirror can then have too",
    ],
    [
      "one for whose federated Service the name is too long",
      member(`demo/${name(64)}`),
      `NameTooLong: the mirror's name ${name(64)}-federated has 64 characters and Kubernetes allows 63: shorten the name of the Service, the pod or the cluster`,
    ],
    [
      "one whose namespace is not here",
      member("test/bb"),
      "MissingNamespace: west has no namespace test: create it there, or set createNamespaces on the link",
    ],
  ];
  for (const [what, one, why] of rows)
    it(`${what}, and it is said of which cluster`, () => {
      const { mirrors, skips } = federationOf({ source: west(), targets: { east: east(one) } });
      assert.deepEqual(mirrors, []);
      assert.deepEqual(
        skips.map(({ cluster, reason, sentence }) => [cluster, `${reason}: ${sentence}`]),
        [["east", why]],
      );
    });

  it("a Service of this cluster that is a mirror itself, which is said of this cluster", () => {
    const mirror = member("demo/bb", { labels: { "mirror.linkerd.io/mirrored-service": "true" } });
    const { skips } = federationOf({ source: west(mirror), targets: { east: east() } });
    assert.deepEqual(
      skips.map(({ cluster, sentence }) => [cluster, sentence]),
      [["west", "it is a mirror itself on west; let the link's selectors leave mirrors out"]],
    );
  });

  it("and the others are members all the same", () => {
    const headless = member("demo/bb", {}, { clusterIP: "None", ports: [http] });
    const targets = { east: east(headless), north: north(bb) };
    assert.equal(listed("demo/bb", federated({ targets })), "bb@north");
  });

  it("and a name of 63 characters is fine, however long that of the cluster is", () => {
    const longest = name(63);
    const cluster63 = "c".repeat(63);
    const after = federated({
      targets: { [cluster63]: cluster("c", { services: [member(`demo/${longest}`)] }) },
    });
    assert.equal(listed(`demo/${longest}`, after), `${longest}@${cluster63}`);
  });

  it("a missing namespace is told even where a mirror's name would be too long", () => {
    const longest = name(63);
    const source = west();
    const plan = plannedFederation({
      source,
      targets: { "a-rather-long-name": cluster("x", { services: [member(`test/${longest}`)] }) },
    });
    assert.deepEqual([plan.namespaces, plan.changes], [[], []]);
    assert.deepEqual(
      plan.skips.map(({ reason }) => reason),
      ["MissingNamespace"],
    );
  });
});

describe("a namespace that this cluster lacks", () => {
  const targets = { east: east(member("test/bb")), north: north(member("test/bb")) };

  it("is created where the link of a member says so, and all members join at once", () => {
    const federation = { source: west(), targets, links: { east: { createNamespaces: true } } };
    const plan = plannedFederation(federation);
    assert.deepEqual([plan.namespaces, plan.skips], [["test"], []]);
    assert.equal(listed("test/bb", federated(federation)), "bb@east,bb@north");
  });

  it("is not created for a Service that cannot be a member", () => {
    const headless = member("test/bb", {}, { clusterIP: "None", ports: [http] });
    const links = { east: { createNamespaces: true } };
    const some = { ...targets, east: east(headless) };
    const plan = plannedFederation({ source: west(), targets: some, links });
    assert.deepEqual(plan.namespaces, []);
    assert.deepEqual(
      plan.skips.map(({ cluster, reason }) => `${reason} ${cluster ?? ""}`),
      ["HeadlessMember east", "MissingNamespace north"],
    );
  });

  it("takes nothing while it is being deleted, and loses nothing", () => {
    const going = namespace("demo", { deletionTimestamp: "2026-01-01T00:00:00Z" });
    const before = federated({ targets: { east: east(bb) } });
    const source = { ...before, namespaces: new Map([["demo", going]]) };
    const plan = plannedFederation({ source, targets: { east: east(bb), north: north(bb) } });
    assert.deepEqual(plan.changes, []);
    assert.deepEqual(
      plan.skips.map(({ reason }) => reason),
      ["TerminatingNamespace", "TerminatingNamespace"],
    );
  });
});
