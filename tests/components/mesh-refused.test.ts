import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { TrustStack } from "../../components/trust-stack.ts";
import { configOf } from "../unit/config/table.ts";
import { authority, issuerUnder } from "../unit/trust/certificates.ts";
import { absent, live, present } from "../unit/trust/live.ts";
import {
  type Circumstances,
  earlier,
  type MockedMesh,
  mockedMesh,
  predecessors,
  preflightOf,
  types,
} from "./mocked-mesh.ts";
import { mockedStack, unwrapped, valueOf } from "./mocked-stack.ts";

const clusters = { west: null, east: null, north: null, south: null };
const links = [
  { source: "east", target: "west" },
  { source: "east", target: "north" },
  { source: "west", target: "north" },
  { source: "north", target: "south" },
];
const why = "Cluster west is another.";
const stranger = authority({ name: "stranger" });
const taken = present([stranger], issuerUnder(stranger));

/** A run learns it from the clusters, from the state, or from what a cluster trusts. */
const ways = {
  preflight: { found: { refused: new Map([["west", why]]) } },
  state: { state: [[`${types.identity} west`, { refused: why.slice(0, -1) }] as const] },
  trust: {
    found: { trust: live({ west: taken, east: absent, north: absent, south: absent }) },
  },
} satisfies Record<string, Circumstances>;

const cases = [
  ["links", "preflight"],
  ["links", "state"],
  ["all", "preflight"],
  ["all", "state"],
  ["all", "trust"],
] as const;

for (const [manage, way] of cases)
  describe(`a cluster that is refused, with manage: ${manage}, by the ${way}`, () => {
    let mesh: MockedMesh;
    let sentence: string;

    before(async () => {
      mesh = await mockedMesh({ manage, clusters, links }, ways[way]);
      const { refused } = mesh.inputs(types.health, "checks");
      [sentence = ""] = refused as readonly string[];
    });

    it("gets no requests, and its existing objects count as unchanged", () => {
      for (const name of Object.keys(clusters)) {
        const { kubeconfig, skipUpdateUnreachable } = mesh.inputs(types.provider, name);
        const isRefused = name === "west";
        equal(String(kubeconfig).includes('"clusters":[]'), isRefused, name);
        equal(skipUpdateUnreachable === "true", isRefused, name);
      }
      const { deleteUnreachable } = mesh.inputs(types.provider, "west");
      equal(deleteUnreachable, undefined);
      const { ignoreChanges } = mesh.resource(types.linkCr, "west/north");
      deepEqual(ignoreChanges, ["*"]);
    });

    it("has no say in decisions about its links", () => {
      const { targetRefused } = mesh.inputs(types.target, "east/west");
      equal(targetRefused, sentence);
      equal(mesh.inputs(types.target, "west/north")["sourceUnreachable"], true);
      for (const [source, distrusted] of [
        ["east", { west: sentence }],
        ["west", { west: sentence }],
        ["north", undefined],
      ] as const)
        deepEqual(mesh.inputs(types.mirrors, source)["distrusted"], distrusted, source);
    });

    it("holds up nothing else, because whatever may fail comes last", () => {
      const others = (id: string) =>
        !/ west\b|\/west\b/.test(id) && /kubernetes:|linkerd:(Mirrors|LinkTarget)/.test(id);
      const before = earlier(mesh, `${types.provider} west`);
      const missing = mesh.order.filter((id) => others(id) && !before.has(id));
      deepEqual(missing, []);
      ok(before.has(`${types.linkCr} north/south`));
      // The mirrors of a source with such a link fail as well.
      const mirrors = earlier(mesh, `${types.mirrors} east`);
      ok(mirrors.has(`${types.mirrors} north`));
      ok(mirrors.has(`${types.linkCr} east/north`));
      ok(!mirrors.has(`${types.provider} west`));
    });

    it("is reported before anything is done, and fails the run in the end", () => {
      const told = `warning: Nothing is written to cluster west in this run, which fails at its end, and its links stay as they are: ${sentence}`;
      ok(mesh.said.includes(told), mesh.said.join("\n"));
      match(
        sentence,
        way === "trust" ? /^Cluster west uses the issuer / : /^Cluster west is another\.$/,
      );
      ok(predecessors(mesh, `${types.health} checks`).has(`${types.linkCr} east/north`));
    });
  });

for (const manage of ["links", "all"])
  it(`a cluster that can't be reached holds up nothing else with manage: ${manage}, as its links may be new`, async () => {
    const mesh = await mockedMesh({ manage, clusters, links }, { unreachable: ["west"] });
    const { kubeconfig } = mesh.inputs(types.provider, "west");
    equal(String(kubeconfig).includes('"clusters":[]'), false);
    for (const last of ["east/west", "west/north"]) {
      const before = earlier(mesh, `${types.target} ${last}`);
      for (const source of ["east", "north"])
        ok(before.has(`${types.mirrors} ${source}`), `${source} before ${last}`);
      ok(before.has(`${types.linkCr} east/north`));
      ok(predecessors(mesh, `${types.account} ${last}`).has(`${types.target} ${last}`), last);
    }
    const writes = earlier(mesh, `${types.provider} west`);
    ok(writes.has(`${types.linkCr} north/south`) && writes.has(`${types.mirrors} east`));
    ok(predecessors(mesh, `${types.health} checks`).has(`${types.linkCr} east/west`));
    equal(mesh.inputs(types.mirrors, "east")["distrusted"], undefined);
  });

/** With `--target` and `--exclude`, the engine would register such a dependency itself, and then refuse the program's. */
describe("a run in which a cluster is", () => {
  const twice = (mesh: MockedMesh, state: MockedMesh) =>
    mesh.order.flatMap((id) => {
      const before = earlier(mesh, id);
      const inState = predecessors(state, id);
      return mesh.order
        .filter((each) => each !== id && inState.has(each) && !before.has(each))
        .map((each) => `${id} before ${each}`);
    });
  const all = [...links, { source: "west", target: "east" }, { source: "south", target: "west" }];

  for (const manage of ["links", "all"])
    for (const [how, circumstances] of Object.entries({
      unreachable: { unreachable: ["west"] },
      refused: ways.preflight,
    }))
      it(`${how} registers nothing before what it depends on after a run in which all were well, nor the other way round, with manage: ${manage}`, async () => {
        // Cluster alone has no links.
        const raw = { manage, clusters: { ...clusters, alone: null }, links: all };
        const well = await mockedMesh(raw);
        const ill = await mockedMesh(raw, circumstances);
        const alone = await mockedMesh(raw, { unreachable: ["alone", "south"] });
        deepEqual(well.order.toSorted(), ill.order.toSorted());
        const pairs = [
          [ill, well],
          [well, ill],
          [ill, alone],
          [alone, ill],
          [alone, well],
        ] as const;
        deepEqual(
          pairs.flatMap(([mesh, state]) => twice(mesh, state)),
          [],
        );
      });
});

describe("a cluster whose identity a run leaves out with --target", () => {
  const known = (uid: string | undefined) => [[`${types.identity} west`, { uid }] as const];

  for (const manage of ["links", "all"])
    it(`stops the run if its context leads elsewhere, with manage: ${manage}`, async () => {
      await rejects(
        mockedMesh({ manage, clusters, links }, { state: known("another") }),
        /^Error: Nothing is done, because context west of cluster west leads to another cluster than before/,
      );
    });

  it("is written to if the config says that it was recreated, or nobody could know it", async () => {
    const recreated = { ...clusters, west: { uid: "uid-of-west" } };
    const made = [
      await mockedMesh({ manage: "links", clusters: recreated, links }, { state: known("former") }),
      await mockedMesh({ manage: "links", clusters, links }, { state: known(undefined) }),
    ];
    for (const mesh of made) ok(mesh.names(types.linkCr).includes("east/west"));
  });
});

describe("a cluster that is refused, with manage: trust", () => {
  const config = configOf({ manage: "trust", clusters: { west: null, east: null } });
  const step = "pulumi-nodejs:dynamic/linkerd:TrustPublication";
  const share = { bundlePem: "pem of the anchor", issuer: "" };
  const publication = { stage: "settled", notes: [], clusters: { west: share, east: share } };
  for (const way of ["preflight", "state", "trust"] as const)
    it(`counts as unreadable, by the ${way}, and fails the run in the end`, async () => {
      const { found, state = [] }: Circumstances = ways[way];
      const { said, exitCode, resource } = await mockedStack(
        async () => {
          const observed = { ...preflightOf(config), ...found };
          return valueOf(new TrustStack("trust", config, observed).trust);
        },
        new Map([...state, [`${step} trust`, { publication }]]),
      );
      equal(exitCode, 32);
      match(
        said.join("\n"),
        /^error: (Cluster west is another\.|Cluster west uses the issuer .*)$/m,
      );
      const { live: seen } = unwrapped(resource(step, "trust").inputs);
      const { west, east } = seen as Readonly<Record<string, unknown>>;
      deepEqual(west, { why: "cluster west is refused", cause: "refused" });
      // Pulumi leaves out fields without a value.
      deepEqual(east, {});
    });

  it("exports no trust for a cluster that may be new and must wait", async () => {
    const waiting = { ...publication, stage: "waiting", clusters: { west: share } };
    const { result } = await mockedStack(
      () => valueOf(new TrustStack("trust", config, preflightOf(config)).trust),
      new Map([[`${step} trust`, { publication: waiting }]]),
    );
    deepEqual(Object.keys(result.clusters), ["west"]);
  });
});
