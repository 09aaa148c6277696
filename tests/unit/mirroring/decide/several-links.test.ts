import { deepEqual } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import type { Inputs } from "../../../../engine/model/state.ts";
import { argsFor, check, having, run } from "../../fixtures/checked.ts";
import { fed, listed } from "../../fixtures/federation.ts";
import { cluster, exported, exporting, member } from "../../fixtures/objects.ts";

const east = (...services: Service[]) => cluster("east", { namespaces: ["shop"], services });

/** Returns the keys of mirrors, or of Services that aren't mirrored, by part. */
function keysByPart(parts: Inputs["mirrors"] | Inputs["notMirrored"]) {
  return Object.entries({ ...(parts as object) }).map(([part, all]) => [
    part,
    Object.keys(all as object),
  ]);
}

describe("links of one source", () => {
  it("mirror into namespaces that another link creates in the same run", async () => {
    const createNamespaces = true;
    const { inputs } = await check({
      args: argsFor([
        { target: "west", createNamespaces },
        "north",
        { target: "south", createNamespaces },
      ]),
      clusters: {
        east: east(),
        west: exporting("west", [exported("new/web"), member("joint/bb")]),
        north: exporting("north", [
          exported("new/api"),
          exported("joint/web"),
          exported("none/web"),
        ]),
        south: "unreachable",
      },
    });
    deepEqual(keysByPart(inputs.mirrors), [
      ["west", ["new/web-west"]],
      ["north", ["joint/web-north", "new/api-north"]],
      ["federated", ["joint/bb-federated"]],
    ]);
    deepEqual(keysByPart(inputs.notMirrored), [["north", ["none/web"]]]);
  });

  it("leave names with another target's suffix to that link, even if Linkerd's controller has it", async () => {
    const clusters = {
      east: east(),
      c: exporting("c", [exported("shop/a-b")]),
      "b-c": exporting("b-c", []),
    };
    for (const args of [argsFor(["c", "b-c"]), argsFor(["c"], { controllerLinks: ["b-c"] })]) {
      const { inputs } = await check({ args, clusters });
      deepEqual(keysByPart(inputs.notMirrored), [["c", ["shop/a-b"]]]);
    }
  });
});

describe("a federated Service with members of other stacks", () => {
  const isListed = ({ mirrors }: Inputs) => typeof mirrors === "object" && "federated" in mirrors;

  it("is in the stack's list of mirrors only while it has a member of the stack", async () => {
    const empty = exporting("west", []);
    const none = await run({
      args: argsFor(["west"]),
      clusters: { east: east(fed("shop/bb", { remote: "bb@other" })), west: empty },
    });
    const west = exporting("west", [member("shop/bb")]);
    const joined = await run(having(none.after, { west }));
    const left = await run(having(joined.after, { west: empty }));
    deepEqual(
      [none, joined, left].map(({ inputs }) => isListed(inputs)),
      [false, true, false],
    );
    deepEqual(listed("shop/bb", left.source), "bb@other");
    deepEqual([none.hasWrites, (await check(left.after)).hasWrites], [false, false]);
  });
});
