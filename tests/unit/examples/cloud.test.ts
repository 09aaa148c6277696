import { deepEqual } from "node:assert/strict";
import * as yaml from "yaml";
import * as z from "zod";
import { checked, documents } from "./files.ts";

const keys = z.record(z.string(), z.unknown());
const stack = z.strictObject({ environment: z.array(z.string()), config: keys });
const environment = z.strictObject({
  values: z.strictObject({
    aws: keys,
    environmentVariables: keys,
    files: z.strictObject({ KUBECONFIG: z.string() }),
    pulumiConfig: keys,
  }),
});
const kubeconfig = z.looseObject({
  contexts: z.array(z.looseObject({ name: z.string() })),
  users: z.array(
    z.strictObject({ name: z.string(), user: z.strictObject({ exec: z.looseObject({}) }) }),
  ),
});

describe("examples/cloud", () => {
  const { config } = stack.parse(documents("cloud/Pulumi.prod.yaml")[0]);
  const { values } = environment.parse(documents("cloud/environment.yaml")[0]);
  const { pulumiConfig, files } = values;

  it("has a mesh in the environment and the stack together", () => {
    const { manage, clusters, links } = checked({ config: { ...pulumiConfig, ...config } });
    const { contexts, users } = kubeconfig.parse(yaml.parse(files.KUBECONFIG));
    const names = contexts.map(({ name }) => name);
    deepEqual([...clusters.keys()], names);
    deepEqual(
      users.map(({ name }) => name),
      names,
    );
    deepEqual(
      [manage, links.map(({ spec: { source, target } }) => `${source}/${target}`)],
      ["mirrors", ["east/west"]],
    );
  });
});
