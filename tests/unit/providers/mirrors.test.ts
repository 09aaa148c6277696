import { deepEqual, rejects } from "node:assert/strict";
import { mirrors, MirrorsProvider } from "../../../engine/providers/mirrors.ts";
import { unknownValue } from "../../../engine/providers/contract.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { argsFor, web } from "../fixtures/checked.ts";
import { cluster, exporting, linkObject } from "../fixtures/objects.ts";

const args = argsFor(["west"]);

/** tests/e2e/mirroring/engine.test.ts runs it with real clusters. */
describe("the provider of mirrors", () => {
  it("plans nothing and contacts no cluster while an input is unknown", async () => {
    const unknown = { ...args, statusIn: unknownValue };
    deepEqual(await mirrors.check({ revision: 4 }, unknown), {
      inputs: { ...unknown, mirrors: unknownValue, due: true, revision: 5 },
      failures: [],
    });
    deepEqual((await mirrors.check({}, unknown)).inputs.revision, 1);
  });

  it("plans although a gateway is unknown", async () => {
    const nowhere = { kubeconfig: "/nowhere/kubeconfig" };
    const clusters = {
      east: { context: "east", ...nowhere },
      west: { context: "west", ...nowhere },
    };
    const observedGateways = { west: unknownValue };
    const { failures } = await mirrors.check({}, { ...args, clusters, observedGateways });
    deepEqual(
      failures.map(({ property, reason }) => [property, /^cluster (east|west)/.test(reason)]),
      [
        ["", true],
        ["", true],
      ],
    );
  });

  it("prints its notes once, although Pulumi checks a replacement twice", async () => {
    const east = serverWith(cluster("east", { namespaces: ["shop"] }));
    const clusters = new SimulatedClusters({ east, west: serverWith(exporting("west", [web])) });
    const lines: string[] = [];
    const provider = new MirrorsProvider({ clusters, say: (line) => lines.push(line) });
    await provider.check({}, args);
    await provider.check({}, args);
    deepEqual(lines, ["east → west: +1 (+ shop/web-west)"]);
  });

  it("keeps links as the config declares them, and decides by their settings and the defaults", async () => {
    const east = serverWith(cluster("east", { namespaces: ["shop"] }));
    const servers = { east, west: serverWith(exporting("west", [web])) };
    const provider = () =>
      new MirrorsProvider({ clusters: new SimulatedClusters(servers), say: () => undefined });
    const links = [{ source: "east", target: "west" }];
    const linkDefaults = { names: "{target}-{service}" };
    const now = { ...args, links, linkDefaults };
    const { inputs } = await provider().check({}, now);
    deepEqual([inputs.links, inputs.linkDefaults], [links, linkDefaults]);
    const { outs } = await provider().create(inputs);
    deepEqual([outs.links, east.all("services").has("shop/west-web")], [links, true]);
    // State of an earlier version has all settings, and `names` in each link.
    const whole = { ...inputs, links: args.links.map((link) => ({ ...link, ...linkDefaults })) };
    const again = await provider().check(whole, now);
    deepEqual([again.inputs.due, again.inputs.links], [undefined, links]);
  });

  for (const [rule, reviews, between] of [
    ["decides once in a run", 1, undefined],
    ["decides again if a cluster has been read again since", 2, "again"],
    ["decides again with the inputs of another check, such as a saved plan's", 2, "others"],
  ] as const)
    it(rule, async () => {
      const links = [linkObject("west")];
      const east = serverWith(cluster("east", { namespaces: ["shop"] }), { links });
      const clusters = new SimulatedClusters({ east, west: serverWith(exporting("west", [web])) });
      const provider = new MirrorsProvider({ clusters, say: () => undefined });
      // Each decision about a status asks whether it may be written.
      let asked = 0;
      east.allows = () => {
        asked += 1;
        return true;
      };
      const of = { ...args, statusIn: "linkerd-multicluster" };
      const { inputs } = await provider.check({}, of);
      if (between === "again") await clusters.refetch("west", { context: "west" });
      const revision = between === "others" ? 7 : inputs.revision;
      await provider.update("east", {}, { ...inputs, revision });
      deepEqual([asked, east.all("services").has("shop/web-west")], [reviews, true]);
    });

  it("refuses an import, and says what to do instead", async () => {
    await rejects(mirrors.read("east"), {
      message:
        "east cannot be imported: put its links into the stack's config and run pulumi up, which adopts the mirrors that exist",
    });
  });
});
