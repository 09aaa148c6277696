import { deepEqual, equal } from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

import { manifestOf } from "./lockfile.ts";

const root = join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const sdk = manifestOf("").dependencies["@pulumi/pulumi"] ?? "";

/** `image: pulumi/pulumi:3.1.0-nonroot`, `FROM pulumi/pulumi-nodejs:3.1.0`, `pulumi-version: 3.1.0`. */
const used = /(?:pulumi\/pulumi(?:-nodejs)?:|pulumi-version: *)([\d.]+)/g;

describe("supply chain: Pulumi's CLI", () => {
  it("may be as old as the one that the tests run, and no older", () => {
    const tested = /pulumi\/pkg\/v3 v(\S+)/.exec(read("testbed/tools/go.mod"))?.[1] ?? "";
    const { requiredPulumiVersion } = parse(read("Pulumi.yaml")) as Record<string, unknown>;
    equal(requiredPulumiVersion, `>=${tested}`);
    equal(read("docs/reference/cli.md").includes(`**Pulumi's CLI, ${tested} or later**`), true);
  });

  it("is of the SDK's version in every example", () => {
    const files = globSync("examples/**/{Dockerfile,*.yml,*.yaml}", { cwd: root });
    const found = files.flatMap((file) =>
      [...read(file).matchAll(used)].map(([, version = ""]) => `${file} ${version}`),
    );
    equal(found.length, 6);
    deepEqual(
      found.filter((each) => !each.endsWith(` ${sdk}`)),
      [],
    );
  });
});
