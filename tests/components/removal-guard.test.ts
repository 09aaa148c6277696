import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { mockedMesh, predecessors, types } from "./mocked-mesh.ts";

const clusters = { west: null, east: null };
const links = [{ source: "east", target: "west" }];
const memory = `${types.installed} installed`;
const linkerd = {
  west: ["Linkerd with its CRDs in linkerd"],
  east: ["Linkerd with its CRDs in linkerd"],
};
/** The engine returns the last outputs of a resource that `--target` leaves out, and doesn't check it. */
const outputs = (inputs: object) => ({ state: [[memory, { ...inputs }] as const] });
const refused = { memory: { installed: linkerd, kept: {}, keys: [] } };
const keep = { west: "keep", east: "keep" };

describe("a run that would remove what the stack has installed", () => {
  for (const manage of ["links", "mirrors"])
    it(`ends before it registers any object, with manage: ${manage}`, async () => {
      await rejects(
        mockedMesh({ manage, clusters, links }, outputs(refused)),
        /Nothing is done, because this run would remove [^]*\n {2}cluster west: Linkerd with its CRDs in linkerd\n/,
      );
    });

  it("names keys of the former mode beside what would go", async () => {
    const config = { manage: "links", clusters, links, charts: { version: "2026.8.3" } };
    await rejects(
      mockedMesh(config, outputs(refused)),
      /would remove [^]*\nThe config needs a change:\n {2}linkerd-multicluster:charts\.version is set; /,
    );
    await rejects(mockedMesh(config), /^Error: The config needs a change:\n/);
  });

  it("ends too if an earlier version remembers it, in a run that checks only targets", async () => {
    const mesh = JSON.stringify({
      manage: "all",
      linkerdNamespace: "linkerd",
      multiclusterNamespace: "linkerd-multicluster",
      links: [],
    });
    const triggers = { west: [1, 1, 1, "issuer"] };
    const former = outputs({ memory: undefined, mesh, triggers });
    await rejects(
      mockedMesh({ manage: "mirrors", clusters, links }, former),
      /cluster west: Linkerd .*\n.*private keys/,
    );
  });

  it("ends if it leaves out what has to come first", async () => {
    const config = { manage: "mirrors", clusters, links, leaving: keep };
    await rejects(mockedMesh(config, outputs({ ...refused, leaving: {} })), /without --target/);
  });
});

it("a run that is allowed to go on checks its memory before anything else", async () => {
  const { order } = await mockedMesh({ manage: "all", clusters, links });
  equal(order[0], memory);
});

describe("a cluster in which everything stays and leaves the state", () => {
  const kept = { memory: { installed: {}, kept: linkerd, keys: [] } };

  it("gets no request for its charts, which stay registered and are retained", async () => {
    const config = { manage: "mirrors", clusters, links, leaving: keep };
    const mesh = await mockedMesh(config, outputs({ ...kept, leaving: keep }));
    for (const name of ["west", "west-kept"])
      ok(String(mesh.inputs(types.provider, name)["kubeconfig"]).includes('"clusters":[]'));
    equal(mesh.inputs(types.provider, "west")["deleteUnreachable"], "true");
    const releases = mesh.ofType(types.release);
    equal(releases.length, 6);
    for (const { retainOnDelete, provider } of releases)
      deepEqual([retainOnDelete, provider.endsWith("-kept")], [true, true]);
    deepEqual(mesh.ofType(types.namespace), []);
    ok(mesh.needs(types.installed, "installed").includes(`${types.provider} west`));
  });

  it("has them and its namespaces with a provider of their own, if links still use the other", async () => {
    const config = { manage: "links", clusters, links, leaving: keep };
    const mesh = await mockedMesh(config, outputs({ ...kept, leaving: keep }));
    const { kubeconfig } = mesh.inputs(types.provider, "west");
    equal(String(kubeconfig).includes('"clusters":[]'), false);
    const retained = mesh.resources.filter((each) => each.retainOnDelete);
    deepEqual(
      retained
        .filter(({ provider }) => provider === "west-kept")
        .map(({ name }) => name)
        .toSorted(),
      [
        ...["west-issuer", "west-linkerd", "west-linkerd-control-plane", "west-linkerd-crds"],
        ...["west-linkerd-multicluster", "west-multicluster"],
      ],
    );
    equal(retained.length, 12);
    const before = predecessors(mesh, memory);
    ok(retained.every(({ type, name }) => before.has(`${type} ${name}`)));
  });
});
