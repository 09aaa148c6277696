import assert from "node:assert/strict";
import * as z from "zod";
import type { LinkSpec } from "../../../engine/mirroring/model/link.ts";
import type { MeshConfig } from "../../../config/mesh.ts";
import { parseTexts } from "../../../config/parse.ts";
import { ownClusters, ownLinks } from "../../../config/share.ts";
import { documents, filesIn, text } from "./files.ts";
import { manifestsOf } from "./operator-manifests.ts";

/** The examples of a mesh in several stacks: what engines are given agrees with itself. */

const namespace = "linkerd-multicluster:";
const project = "organization/linkerd-multicluster/";
const config = z.record(z.string(), z.unknown());

const stackSpec = z.looseObject({ stack: z.string(), config });

/** Names of stacks, and the keys that each has of its own. */
type Stacks = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

function withoutPrefix(keys: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(keys).map(([key, value]) => {
      assert.ok(key.startsWith(namespace), key);
      return [key.slice(namespace.length), value];
    }),
  );
}

/** By the rules of a run, which gets the keys as texts. */
function checked(own: Readonly<Record<string, unknown>>): MeshConfig {
  const texts = Object.entries(own).map(([key, value]) => {
    const json = typeof value === "string" ? value : JSON.stringify(value);
    return [namespace + key, json] as const;
  });
  const parsed = parseTexts(Object.fromEntries(texts), "The stack config", { readText: text });
  if ("config" in parsed) return parsed.config;
  throw new Error(parsed.problem);
}

const ofOperator: Stacks = new Map(
  manifestsOf()
    .filter(({ kind }) => kind === "Stack")
    .map(({ spec }) => stackSpec.parse(spec))
    .map(({ stack, config }) => [stack.slice(project.length), withoutPrefix(config)]),
);

const stackFile = z.strictObject({ config });
const ofCi: Stacks = new Map(
  filesIn("ci")
    .flatMap((path) => /^Pulumi\.(.+)\.yaml$/.exec(path)?.slice(1) ?? [])
    .map((name) => {
      const [content] = documents(`ci/Pulumi.${name}.yaml`);
      return [name, withoutPrefix(stackFile.parse(content).config)];
    }),
);

for (const [where, all] of Object.entries({ operator: ofOperator, ci: ofCi })) {
  describe(`examples: the stacks of ${where}`, () => {
    it("share a file that is a whole config by itself, and have no mistake", () => {
      checked({ mesh: "mesh.yaml" });
      for (const own of all.values()) {
        assert.equal(own["mesh"], "mesh.yaml");
        checked(own);
      }
    });

    it("have all clusters and links together, and each of them once", () => {
      const whole = checked({ mesh: "mesh.yaml" });
      const configs = [...all.values()].map(checked);
      const parts = configs.filter(({ manage }) => manage !== "trust");
      assert.deepEqual(
        parts.map(({ claims }) => claims),
        parts.map(() => true),
      );
      assert.deepEqual(
        parts.flatMap((part) => [...ownClusters(part).keys()]).sort(),
        [...whole.clusters.keys()].sort(),
      );
      const named = ({ spec: { source, target } }: { readonly spec: LinkSpec }): string =>
        `${source} <- ${target}`;
      assert.deepEqual(
        parts.flatMap((part) => ownLinks(part).map(named)).sort(),
        whole.links.map(named).sort(),
      );
    });

    it("take their trust from the one stack that manages it", () => {
      const roots = [...all].filter(([, own]) => own["manage"] === "trust");
      assert.deepEqual(
        roots.map(([name]) => name),
        ["trust"],
      );
      for (const [name, own] of all)
        if (name !== "trust") assert.deepEqual(own["trust"], { stack: `${project}trust` });
    });
  });
}

const step = z.looseObject({ uses: z.string().optional(), run: z.string().optional() });
const job = z.looseObject({
  uses: z.string().exactOptional(),
  needs: z.string().exactOptional(),
  strategy: z.object({ matrix: z.object({ stack: z.array(z.string()) }) }).exactOptional(),
  with: z.record(z.string(), z.unknown()).default({}),
  steps: z.array(step).default([]),
});
const workflow = z.looseObject({ jobs: z.record(z.string(), job) });
describe("examples: workflows of GitHub Actions", () => {
  const files = filesIn("ci").filter((path) => path.endsWith(".yml"));
  const workflows = files.map((path) => workflow.parse(documents(`ci/${path}`)[0]));
  const jobs = workflows.flatMap((one) => Object.values(one.jobs));
  const steps = jobs.flatMap((one) => one.steps);

  it("have stacks with a file, all of them, and the sources after trust", () => {
    const { preview, trust, sources, drift } = Object.fromEntries(
      workflows.flatMap((one) => Object.entries(one.jobs)),
    );
    for (const one of [preview, drift])
      assert.deepEqual(one?.strategy?.matrix.stack.toSorted(), [...ofCi.keys()].sort());
    assert.equal(sources?.needs, "trust");
    assert.deepEqual(
      [trust?.with["stack"], ...(sources.strategy?.matrix.stack ?? [])].sort(),
      [...ofCi.keys()].sort(),
    );
  });

  it("use actions by commit, as a tag may come to mean another one", () => {
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    assert.equal(actions.length, 3);
    for (const action of actions) assert.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });
});
