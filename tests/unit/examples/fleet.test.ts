import { deepEqual, equal, match } from "node:assert/strict";
import * as z from "zod";
import type { MeshConfig } from "../../../config/mesh.ts";
import { parseTexts } from "../../../config/parse.ts";
import { ownClusters, ownLinks } from "../../../config/share.ts";
import { documents, filesIn, keysIn, prefix, stackFile, text } from "./files.ts";
import { manifestsOf } from "./operator-manifests.ts";

/** The examples of a mesh in several stacks: what engines are given agrees with itself. */

const project = "organization/linkerd-multicluster/";
const stackSpec = z.looseObject({ stack: z.string(), ...stackFile.shape });

/** By the rules of a run, which gets the keys as texts. */
function checked(own: Readonly<Record<string, unknown>>): MeshConfig {
  const texts = Object.entries(own).map(([key, value]) => {
    return [prefix + key, typeof value === "string" ? value : JSON.stringify(value)] as const;
  });
  const parsed = parseTexts(Object.fromEntries(texts), "The stack config", { readText: text });
  if ("config" in parsed) return parsed.config;
  throw new Error(parsed.problem);
}

/** By engine, the stacks' names and the keys that each has of its own. */
const stacks = {
  operator: manifestsOf()
    .filter(({ kind }) => kind === "Stack")
    .map(({ spec }) => stackSpec.parse(spec))
    .map(({ stack, config }) => [stack.slice(project.length), keysIn({ config })] as const),
  ci: filesIn("ci").flatMap((path) => {
    const name = /^Pulumi\.(.+)\.yaml$/.exec(path)?.[1];
    return name === undefined ? [] : [[name, keysIn(documents(`ci/${path}`)[0])] as const];
  }),
};

for (const [where, all] of Object.entries(stacks))
  describe(`examples: the stacks of ${where}`, () => {
    it("share a file that is a whole config by itself, and have all clusters and links together, each once", () => {
      for (const [, own] of all) equal(own["mesh"], "mesh.yaml");
      const whole = checked({ mesh: "mesh.yaml" });
      const parts = all.map(([, own]) => checked(own)).filter(({ manage }) => manage !== "trust");
      deepEqual(
        parts.flatMap((part) => [...ownClusters(part).keys()]).sort(),
        [...whole.clusters.keys()].sort(),
      );
      const named = ({ spec: { source, target } }: MeshConfig["links"][number]): string =>
        `${source} <- ${target}`;
      deepEqual(
        parts.flatMap((part) => ownLinks(part).map(named)).sort(),
        whole.links.map(named).sort(),
      );
    });

    it("take their trust from the one stack that manages it", () => {
      const [[root, trust], ...others] = all.toSorted(
        ([, one], [, other]) => Number("trust" in one) - Number("trust" in other),
      ) as [(typeof all)[number], ...typeof all];
      deepEqual([root, trust["manage"]], ["trust", "trust"]);
      for (const [, own] of others) deepEqual(own["trust"], { stack: `${project}trust` });
    });
  });

const job = z.looseObject({
  uses: z.string().optional(),
  needs: z.string().optional(),
  strategy: z.object({ matrix: z.object({ stack: z.array(z.string()) }) }).optional(),
  with: z.record(z.string(), z.unknown()).default({}),
  steps: z.array(z.looseObject({ uses: z.string().optional() })).default([]),
});
const workflow = z.looseObject({ jobs: z.record(z.string(), job) });

describe("examples: workflows of GitHub Actions", () => {
  const jobsOf = (path: string) => Object.entries(workflow.parse(documents(path)[0]).jobs);
  const jobs = filesIn("ci")
    .filter((path) => path.endsWith(".yml"))
    .flatMap((path) => jobsOf(`ci/${path}`));

  it("have stacks with a file, all of them, and the sources after trust", () => {
    const { preview, trust, sources, drift } = Object.fromEntries(jobs);
    const names = stacks.ci.map(([name]) => name).sort();
    for (const each of [preview, drift]) deepEqual(each?.strategy?.matrix.stack.toSorted(), names);
    equal(sources?.needs, "trust");
    const run = [trust?.with["stack"], ...(sources.strategy?.matrix.stack ?? [])];
    deepEqual(run.sort(), names);
  });

  it("use actions by commit, as a tag may come to mean another one", () => {
    const all = [...jobs, ...jobsOf("../.github/workflows/release.yml")];
    const actions = all.flatMap(([, { steps }]) => steps.flatMap(({ uses }) => uses ?? []));
    equal(actions.length, 9);
    for (const action of actions) match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });
});
