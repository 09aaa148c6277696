import { deepEqual, equal, match } from "node:assert/strict";
import { globSync } from "node:fs";
import { parse } from "yaml";

import { charts } from "../../../config/keys.ts";
import { root, text } from "../docs/pages.ts";
import { manifestOf } from "./lockfile.ts";

/** What the table of versions says of a program, after its name. */
const rowOf = (name: string) => {
  const lines = text("docs/reference/cli.md").split("\n");
  const row = lines.find((line) => line.startsWith(`| ${name} `)) ?? "";
  return row.replaceAll(/ +/g, " ").slice(`| ${name} | `.length);
};
const sdk = manifestOf("").dependencies["@pulumi/pulumi"] ?? "";

/** `image: pulumi/pulumi:3.1.0-nonroot`, `FROM pulumi/pulumi-nodejs:3.1.0`, `pulumi-version: 3.1.0`. */
const used = /(?:pulumi\/pulumi(?:-nodejs)?:|pulumi-version: *)([\d.]+)/g;

describe("supply chain: Pulumi's CLI", () => {
  it("may be as old as the one that the tests run, and no older", () => {
    const tested = /pulumi\/pkg\/v3 v(\S+)/.exec(text("testbed/tools/go.mod"))?.[1] ?? "";
    const { requiredPulumiVersion } = parse(text("Pulumi.yaml")) as Record<string, unknown>;
    equal(requiredPulumiVersion, `>=${tested}`);
    match(rowOf("Pulumi's CLI"), new RegExp(`^${tested} and later \\| ${tested},`));
  });

  it("is in the table of versions with those of Node, Kubernetes and Linkerd", () => {
    const least = /"node": ">=([\d.]+)"/.exec(text("package.json"))?.[1] ?? "";
    match(rowOf("Node, on `PATH`"), new RegExp(`^${least} and later \\| ${least}`));
    const kubernetes = /k8s\.io\/kubernetes v(\S+)/.exec(text("testbed/tools/go.mod"))?.[1] ?? "";
    match(rowOf("Kubernetes"), new RegExp(`${kubernetes} in every run`));
    const [, minor = "", patch = ""] = charts.keys.version.default.split(".");
    match(rowOf("Linkerd"), new RegExp(`edge-26\\.${minor}\\.${patch},`));
  });

  it("is of the SDK's version in every example", () => {
    const files = globSync("examples/**/{Dockerfile,*.yml,*.yaml}", { cwd: root });
    const found = files.flatMap((file) =>
      [...text(file).matchAll(used)].map(([, version = ""]) => `${file} ${version}`),
    );
    equal(found.length, 6);
    deepEqual(
      found.filter((each) => !each.endsWith(` ${sdk}`)),
      [],
    );
  });
});
