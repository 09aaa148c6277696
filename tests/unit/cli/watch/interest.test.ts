import { deepEqual, equal } from "node:assert/strict";
import type { Inputs } from "../../../../engine/model/state.ts";
import { interestIn, interests, kindsOf } from "../../../../cli/watch/interest.ts";
import { argsFor } from "../../fixtures/checked.ts";
import type { StringMap } from "../../../../engine/kubernetes/objects/objects.ts";
import { Gateway } from "../../admitting/gateway.ts";
import { link } from "../../fixtures/link.ts";

const inputs = (targets: Parameters<typeof argsFor>[0], rest: Partial<Inputs> = {}): Inputs => ({
  ...argsFor(targets),
  mirrors: {},
  revision: 1,
  ...rest,
});

const exported = { "mirror.linkerd.io/exported": "true" };
const discovered = { "mirror.linkerd.io/exported": "remote-discovery" };
const member = { "mirror.linkerd.io/federated": "member" };
const mirrored = { "mirror.linkerd.io/mirrored-service": "true" };
const ours = { team: "a" };
const selector = { matchLabels: ours };

const plain = [inputs(["west", { target: "north", gateway: false }])];
const headless = [inputs(["west", { target: "north", headless: true }])];
const following = [inputs([{ target: "west", readiness: "follow" }])];
const selecting = [inputs([{ target: "west", selector }])];
const federating = [inputs([{ target: "west", federatedServiceSelector: selector }])];
const failing = [inputs(["west"], { failover: { "shop/local": ["local", "west"] } })];
const left = [inputs(["west"], { removedLinks: [{ source: "east", target: "south" }] })];
const { clusters } = inputs(["west"]);
const back = {
  source: "west",
  clusters,
  links: [link({ source: "west", target: "east", headless: false })],
};
const bothWays = [inputs(["west"]), inputs([], back)];

describe("the interest of a watch", () => {
  it("covers every cluster of the links in the state, by its access alone", () => {
    deepEqual([...interests(plain).keys()].sort(), ["east", "north", "west"]);
    const pinned = { east: { context: "e", uid: "1" }, west: { context: "w" } };
    const { access } = interests([inputs(["west"], { clusters: pinned })]).get("east") ?? {};
    deepEqual(access, { context: "e" });
  });

  it("covers what is exported through a closed gateway for links of other stacks", () => {
    const { args } = new Gateway();
    const interest = interests([], [args]).get("west");
    if (interest === undefined) throw new Error("nothing of west is of interest");
    const about = (labels: StringMap) =>
      interestIn({ name: "web", namespace: "shop", labels }, interest);
    deepEqual([exported, discovered, {}].map(about), [
      { endpoints: false },
      { endpoints: false },
      undefined,
    ]);
    deepEqual(kindsOf(interest), ["services", "namespaces"]);
  });

  for (const [what, sources, cluster, name, labels, expected] of [
    ["an exported Service of a target", plain, "west", "web", exported, true],
    ["an export for remote discovery", plain, "west", "web", discovered, true],
    ["a member of a federated Service", plain, "west", "web", member, true],
    ["a Service without such a label", plain, "west", "web", { app: "web" }, false],
    ["what a link's own selector matches", selecting, "west", "web", ours, true],
    ["what only the default selector would match", selecting, "west", "web", exported, false],
    ["a mirror by its label", plain, "east", "anything", mirrored, true],
    ["a mirror by its name", plain, "east", "web-west", {}, true],
    ["a federated Service by its name", plain, "east", "web-federated", {}, true],
    ["a name that no link's mirror could have", plain, "east", "web-south", {}, false],
    ["the name of a mirror in a cluster that has none", plain, "west", "web-east", {}, false],
    ["a mirror of a removed link", left, "east", "web-south", {}, true],
    ["a Service that fails over", failing, "east", "local", {}, true],
    ["a Service of that name in a target", failing, "west", "local", {}, false],
    ["a member in a source", plain, "east", "web", member, true],
    ["an export in a source alone", plain, "east", "web", exported, false],
    ["a member in a source by the link's own selector", federating, "east", "web", ours, true],
    ["an export in a source that is a target too", bothWays, "east", "web", exported, true],
    ["a mirror in a source that is a target too", bothWays, "east", "web-west", {}, true],
    ["the gateway of a target", plain, "west", "linkerd-gateway", {}, true],
    ["the gateway of a target on a flat network", plain, "north", "linkerd-gateway", {}, false],
  ] as const)
    it(`${expected ? "includes" : "leaves out"} ${what}`, () => {
      const interest = interests(sources).get(cluster);
      const namespace = name === "linkerd-gateway" ? "linkerd-multicluster" : "shop";
      const found = interest && interestIn({ namespace, name, labels }, interest);
      equal(found !== undefined, expected);
    });

  for (const [what, sources, cluster, name, labels, expected] of [
    ["an export whose mirror leads to a gateway", plain, "west", "web", exported, false],
    ["an export behind a link with headless", headless, "north", "web", exported, true],
    ["an export behind another link", headless, "west", "web", exported, false],
    ["an export whose mirror follows its readiness", following, "west", "web", exported, true],
    ["a member of a federated Service", following, "west", "web", member, false],
    ["a mirror", plain, "east", "web-west", mirrored, true],
    ["the gateway of a target", plain, "west", "linkerd-gateway", {}, false],
    ["an export in a source that is a target too", bothWays, "east", "web", exported, false],
  ] as const)
    it(`${expected ? "includes" : "leaves out"} the Endpoints of ${what}`, () => {
      const interest = interests(sources).get(cluster);
      const namespace = name === "linkerd-gateway" ? "linkerd-multicluster" : "shop";
      const found = interest && interestIn({ namespace, name, labels }, interest);
      equal(found?.endpoints, expected);
    });

  it("has no Endpoints of a target that no mirror depends on", () => {
    const watched = [plain, headless].flatMap((sources) =>
      [...interests(sources)].map(([name, interest]) =>
        kindsOf(interest).includes("endpoints") ? name : `not ${name}`,
      ),
    );
    deepEqual(watched, ["east", "not west", "not north", "east", "not west", "north"]);
  });
});
