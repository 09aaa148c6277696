import { deepEqual, doesNotMatch, equal } from "node:assert/strict";
import type { LinkResource } from "../../../engine/kubernetes/objects/link-resource.ts";
import { serverWith } from "../../simulation/contents.ts";
import { type Config, Mesh } from "../../simulation/mesh.ts";
import { cluster, exported, exporting, linkObject, member } from "../fixtures/objects.ts";

const west = exporting("west", [
  exported("a/web"),
  exported("b/web"),
  exported("a/alias", {}, { type: "ExternalName" }),
  exported("b/alias", {}, { type: "ExternalName" }),
  exported("lost/a"),
  member("a/bb"),
  member("b/bb"),
]);

/** Returns two stacks that share the link from east to west. */
function pair(one: Config, other: Config): readonly [Mesh, Mesh] {
  const east = serverWith(cluster("east", { namespaces: ["a", "b"] }), {
    links: [linkObject("west")],
  });
  const servers = [east, serverWith(west)];
  const stackOf = (name: string, link: Config) => {
    const stack = Mesh.of(servers, { links: [{ source: "east", target: "west", ...link }] });
    stack.stack = `acme/mesh/${name}`;
    return stack;
  };
  return [stackOf("one", one), stackOf("other", other)];
}

function statusIn({ servers }: Mesh) {
  const link = servers.get("east")?.all("links").get("linkerd-multicluster/west");
  const { status } = (link ?? {}) as unknown as LinkResource;
  const lines = (list: "mirrorServices" | "federatedServices") =>
    (status?.[list] ?? []).map(({ remoteRef, conditions }) => {
      const { localRef, reason } = conditions?.[0] ?? {};
      const local = localRef && `${localRef.namespace}/${localRef.name}`;
      return `${remoteRef.namespace}/${remoteRef.name}: ${local ?? reason ?? ""}`;
    });
  return [...lines("mirrorServices"), ...lines("federatedServices")];
}

describe("the status of a Link that two stacks share", () => {
  for (const { what, one, other, also = [] } of [
    { what: "by namespaces", one: { namespaces: ["a"] }, other: { namespaces: ["b", "lost"] } },
    { what: "by namespaces, in part", one: { namespaces: ["a"] }, other: {} },
    { what: "with other names", one: {}, other: { names: "{target}-{service}" } },
    {
      what: "by selectors",
      one: { selector: { matchLabels: { "mirror.linkerd.io/exported": "true" } } },
      other: { namespaces: ["b", "lost"], selector: { matchLabels: { x: "y" } } },
      also: [exported("b/mine", { labels: { x: "y", "mirror.linkerd.io/exported": "no" } })],
    },
  ] as const)
    it(`comes to rest within three rounds: ${what}`, async () => {
      const stacks = pair(one, other);
      for (const service of also) stacks[0].server("west").put("services", service);
      for (let round = 0; round < 3; round += 1)
        for (const stack of stacks) equal((await stack.up()).failure, undefined);
      const rested = statusIn(stacks[0]);
      for (const stack of stacks) {
        const { steps } = await stack.preview();
        deepEqual(
          steps.map(({ inputs }) => inputs["changes"]),
          [undefined],
        );
      }
      equal(rested.filter((line) => line.startsWith("a/")).length, 3);
      equal(rested.filter((line) => line.startsWith("b/")).length, 3 + also.length);
    });

  it("loses the entry of a mirror that its stack has deleted", async () => {
    const [one, other] = pair({ namespaces: ["a"] }, { namespaces: ["b"] });
    for (const stack of [one, other, one]) await stack.up();
    one.server("west").delete("services", "b/web");
    for (const stack of [one, other, one]) await stack.up();
    deepEqual(
      statusIn(one).filter((line) => line.startsWith("b/")),
      ["b/alias: InvalidService", "b/bb: b/bb-federated"],
    );
  });

  it("no longer names the mirrors of a stack that is gone", async () => {
    const [one, other] = pair({ namespaces: ["a"] }, { namespaces: ["b"] });
    for (const stack of [one, other]) await stack.up();
    await other.destroy();
    await one.up();
    doesNotMatch(statusIn(one).join(), /b\/(web-west|bb-federated)/);
  });
});
