import { deepEqual, equal } from "node:assert/strict";
import { listed } from "../../../engine/base/message.ts";
import type { Service } from "../../../engine/kubernetes/objects/objects.ts";
import { annotation } from "../../../engine/model/vocabulary.ts";
import { serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { west } from "../fixtures/checked.ts";
import { fed } from "../fixtures/federation.ts";
import { cluster, exported } from "../fixtures/objects.ts";
import { testScenarios } from "../fixtures/scenario.ts";

/** Each is what anybody may write who has the right to write Services in one namespace of the source. */
const forgeries = {
  "the labels of a mirror": ["gateway", "-west", "of=west"],
  "the labels and this stack's mark": ["gateway", "-west", "of=west by=acme/mesh/dev"],
  "a member of a federated Service": ["federated", "", "fed=NAME@west"],
  "a member and its mark": ["federated", "", "fed=NAME@west by=acme/mesh/dev#west"],
} as const;
const names = Array.from({ length: 12 }, (_, n) => `web-${n}`).sort();

describe("a Service that looks like a mirror and that state doesn't list", () => {
  for (const [what, [kind, suffix, words]] of Object.entries(forgeries))
    for (const [maxDeletions, count, objects, them, stays] of [
      ["0", 1, "1 object", "it", "it stays"],
      ["50%", 12, "12 objects", "them", "they stay"],
    ] as const) {
      const some = names.slice(0, count);
      const link = `link west: { maxDeletions: ${maxDeletions} }`;
      const forged = `east: evil/ shop/ ${some.map((name) => `evil/${name}${suffix}(${words.replace("NAME", name)})`).join(" ")}`;
      const keys = some.map((name) => `evil/${name}-${kind === "gateway" ? "west" : kind}`);
      const left = keys.map((key) => `/ ${kind} ${key}: nobody`).join("\n");
      testScenarios(`
# holds no link up in the first run, and stays (${count} with ${what})
west: shop/web; ${link}; ${forged}
+ gateway shop/web-west
${left}
again
${left}
# holds no link up in a later run, and stays (${count} with ${what})
west: shop/web; ${link}
+ gateway shop/web-west
west: shop/web shop/new; ${forged}
+ gateway shop/new-west
${left}
> east → west: ${objects} that no Service of west needs (${listed(keys)}) may be somebody else's, because state doesn't list ${them}, and maxDeletions allows fewer such deletions, so ${stays}: delete them if they are no longer needed
# hides no loss of the link's own mirrors (${count} with ${what})
west: ${names.map((name) => `shop/${name}`).join(" ")}; ${link}
${names.map((name) => `+ gateway shop/${name}-west`).join("\n")}
west: nothing; ${forged}
${kind === "federated" ? left : ""}
? west: link east → west would delete 12 of its 12 mirrors on east
`);
    }
});

describe("a federated Service that nobody has marked and that others list members of", () => {
  it("loses what this stack's link doesn't list, and nothing else", async () => {
    const east = serverWith(cluster("east", { namespaces: ["shop"] }));
    const mesh = Mesh.of([east, serverWith(west(exported("shop/web")))]);
    equal((await mesh.up()).failure, undefined);
    const forged = fed("evil/fake", { remote: "fake@west,fake@ghost" });
    east.put("services", { ...forged, spec: { ...forged.spec, selector: { app: "fake" } } });
    equal((await mesh.up()).failure, undefined);
    const live = east.get("services", "evil/fake-federated") as object as Service;
    deepEqual(live.metadata.annotations, { [annotation.remoteMembers]: "fake@ghost" });
    deepEqual(live.spec.selector, { app: "fake" });
  });
});
