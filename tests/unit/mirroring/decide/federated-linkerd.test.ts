import assert from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import {
  fed,
  federated,
  federationOf,
  listAnnotations,
  listed,
} from "../../fixtures/federation.ts";
import { p12, rsvc } from "../../fixtures/linkerd.ts";
import { cluster } from "../../fixtures/objects.ts";

const isMember = { "mirror.linkerd.io/federated": "member" };
const key = "ns1/service-one";
const member = rsvc(key, "111", isMember);
const former = rsvc(key, "112", {});

interface Row {
  readonly what: string;
  /** The Service of the cluster `remote`, and the one of the local cluster. */
  readonly remote?: Service;
  readonly local?: Service;
  readonly live?: Parameters<typeof fed>[1];
  readonly after: Parameters<typeof fed>[1];
}

/** The cluster `other` is none of ours. */
const rows: Row[] = [
  {
    what: "a federated Service comes with its first member",
    remote: member,
    after: { remote: "service-one@remote" },
  },
  {
    what: "a member joins a federated Service behind those that are there",
    remote: member,
    live: { remote: "service-one@other" },
    after: { remote: "service-one@other,service-one@remote" },
  },
  {
    what: "a member that is none any more leaves",
    remote: former,
    live: { remote: "service-one@other,service-one@remote" },
    after: { remote: "service-one@other" },
  },
  {
    what: "a member that is gone leaves",
    live: { remote: "service-one@remote,service-one@other" },
    after: { remote: "service-one@other" },
  },
  {
    what: "a federated Service comes with a local member alone",
    local: member,
    after: { local: "service-one" },
  },
  {
    what: "the local member joins",
    local: member,
    live: { remote: "service-one@other" },
    after: { local: "service-one", remote: "service-one@other" },
  },
  {
    what: "the local member leaves",
    local: former,
    live: { local: "service-one", remote: "service-one@other" },
    after: { remote: "service-one@other" },
  },
];

describe("federated Services as Linkerd's own tests have them (linkerd-behaviour.md 11.1)", () => {
  for (const { what, remote, local, live, after } of rows)
    it(what, () => {
      const result = federated({
        source: cluster("local", {
          namespaces: ["ns1"],
          services: [
            ...(local === undefined ? [] : [local]),
            ...(live === undefined ? [] : [fed(key, live)]),
          ],
        }),
        targets: {
          remote: cluster("remote", { services: remote === undefined ? [] : [remote] }),
        },
      });
      const service = result.services.get(`${key}-federated`);
      assert.deepEqual(service?.metadata.annotations, listAnnotations(after));
      assert.equal(result.endpoints.size, 0);
    });
});

describe("a federated Service (4.1)", () => {
  const target = cluster("remote", {
    services: [
      rsvc(key, "111", {
        ...isMember,
        "mirror.linkerd.io/exported": "true",
        "multicluster.linkerd.io/remote-service": "x",
        app: "one",
      }),
    ],
  });

  it("has the member's ports and labels, and nothing that says whose mirror it is", () => {
    const { mirrors } = federationOf({ targets: { remote: target } });
    assert.deepEqual(mirrors, [
      {
        kind: "federated",
        namespace: "ns1",
        name: "service-one-federated",
        origin: key,
        labels: { "mirror.linkerd.io/mirrored-service": "true", app: "one" },
        annotations: { "multicluster.linkerd.io/remote-discovery": "service-one@remote" },
        ports: p12,
      },
    ]);
  });

  it("does without the list of a target's own federated Service (a leak of Linkerd, 4.6)", () => {
    const annotations = { "multicluster.linkerd.io/remote-discovery": "service-one@elsewhere" };
    const leaky = { ...member, metadata: { ...member.metadata, annotations } };
    const targets = { remote: cluster("remote", { services: [leaky] }) };
    assert.equal(listed(key, federated({ targets })), "service-one@remote");
  });

  it("goes with its last member, of this cluster or another", () => {
    for (const live of [{ remote: "service-one@remote" }, { local: "service-one" }]) {
      const source = cluster("local", { services: [former, fed(key, live)] });
      const result = federated({ source, targets: { remote: cluster("remote") } });
      assert.deepEqual([...result.services.keys()], [key]);
    }
  });

  it("never keeps an empty list of remote members, which Linkerd leaves behind (4.5)", () => {
    const live = fed(key, { remote: "", local: "service-one" });
    const source = cluster("local", { services: [member, live] });
    const result = federated({ source, targets: { remote: cluster("remote") } });
    assert.deepEqual(
      result.services.get(`${key}-federated`)?.metadata.annotations,
      listAnnotations({ local: "service-one" }),
    );
  });

  it("goes where an empty list is all that Linkerd has left of it", () => {
    const source = cluster("local", { services: [fed(key, { remote: "" })] });
    assert.equal(federated({ source, targets: { remote: cluster("remote") } }).services.size, 0);
  });
});
