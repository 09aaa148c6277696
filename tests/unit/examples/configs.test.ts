import { deepEqual, equal, ok } from "node:assert/strict";
import * as yaml from "yaml";
import * as z from "zod";
import type { MeshConfig } from "../../../config/mesh.ts";
import { parseTexts } from "../../../config/parse.ts";
import { ownClusters, ownLinks } from "../../../config/share.ts";
import { checked, documents, filesIn, keysIn, manifestsOf } from "./files.ts";
import { prefix, stackFile, text } from "./files.ts";

const namesOf = (links: MeshConfig["links"]) =>
  links.map(({ spec: { source, target } }) => `${source}/${target}`).sort();

it("README.md: its stack file mirrors between clusters that are linked already", () => {
  const [, block = ""] =
    /```yaml\n# Pulumi\.prod\.yaml\n([^]*?)```/.exec(text("../README.md")) ?? [];
  const { manage, links } = checked(yaml.parse(block));
  deepEqual([manage, namesOf(links), links[0]?.spec.headless], ["mirrors", ["east/west"], true]);
});

for (const [file, links] of [
  ["../Pulumi.dev.yaml", ["east/west", "west/east", "west/north"]],
  ["statefulset/Pulumi.statefulset.yaml", ["east/west"]],
  ["federated/Pulumi.federated.yaml", ["west/east", "west/north"]],
] as const)
  it(`${file} has the links that its page describes`, () => {
    deepEqual(namesOf(checked(documents(file)[0]).links), links);
  });

it("examples/regions: clusters of one region reach each other without a gateway", () => {
  const { links } = checked(documents("regions/Pulumi.regions.yaml")[0]);
  const flat = links.filter(({ spec }) => spec.gateway === false);
  deepEqual(namesOf(flat), ["austin/boston", "berlin/paris", "boston/austin", "paris/berlin"]);
  equal(links.length, 12);
});

const project = "organization/linkerd-multicluster/";
const stackSpec = z.looseObject({ stack: z.string(), ...stackFile.shape });

/** The keys of each stack, for each example of a mesh in several stacks. */
const stacks = {
  operator: Object.fromEntries(
    manifestsOf()
      .filter(({ kind }) => kind === "Stack")
      .map(({ spec }) => stackSpec.parse(spec))
      .map(({ stack, config }) => [stack.slice(project.length), keysIn({ config })]),
  ),
  ci: Object.fromEntries(
    filesIn("ci").flatMap((path) => {
      const name = /^Pulumi\.(.+)\.yaml$/.exec(path)?.[1];
      return name === undefined ? [] : [[name, keysIn(documents(`ci/${path}`)[0])]];
    }),
  ),
};

/** Returns the config of a stack that reads the mesh from a file. */
function configWith(own: Readonly<Record<string, unknown>>): MeshConfig {
  const texts = Object.entries(own).map(([key, value]) => {
    return [prefix + key, typeof value === "string" ? value : JSON.stringify(value)] as const;
  });
  const config = parseTexts(Object.fromEntries(texts), "The stack config", { readText: text });
  deepEqual(config.ignored, []);
  return config;
}

for (const [where, { trust, ...sources }] of Object.entries(stacks))
  it(`examples/${where}: the stacks share the mesh file, divide its links, and take their trust from one stack`, () => {
    const all = [trust, ...Object.values(sources)];
    for (const own of all) equal(own?.["mesh"], "mesh.yaml");
    equal(trust?.["manage"], "trust");
    for (const own of Object.values(sources)) deepEqual(own["trust"], { stack: `${project}trust` });
    const whole = configWith({ mesh: "mesh.yaml" });
    const parts = Object.values(sources).map(configWith);
    deepEqual(
      parts.flatMap((part) => [...ownClusters(part).keys()]).sort(),
      [...whole.clusters.keys()].sort(),
    );
    deepEqual(namesOf(parts.flatMap(ownLinks)), namesOf(whole.links));
  });

const job = z.looseObject({
  if: z.string().optional(),
  needs: z.string().optional(),
  strategy: z.object({ matrix: z.object({ stack: z.array(z.string()) }) }).optional(),
  with: z.record(z.string(), z.unknown()).default({}),
});
const workflow = z.looseObject({ jobs: z.record(z.string(), job) });
const jobsOf = (path: string) => workflow.parse(documents(path)[0]).jobs;

it("examples/ci: the workflow runs every stack, and the sources after trust", () => {
  const { preview, trust, sources, drift } = jobsOf("ci/mesh.yml");
  const names = Object.keys(stacks.ci).sort();
  for (const each of [preview, drift]) deepEqual(each?.strategy?.matrix.stack.toSorted(), names);
  equal(sources?.needs, "trust");
  deepEqual([trust?.with["stack"], ...(sources.strategy?.matrix.stack ?? [])].sort(), names);
  for (const [name, { if: when = "", needs, ...rest }] of Object.entries(jobsOf("ci/mesh.yml")))
    if (rest.with["command"] === "up")
      ok(needs === "trust" || when.includes("github.ref == 'refs/heads/main'"), name);
});
