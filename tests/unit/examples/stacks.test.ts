import { deepEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { folder, text } from "./files.ts";

it("examples/ci/stacks.sh writes the stack files of the example, and two environments for each stack", () => {
  const world = mkdtempSync(join(tmpdir(), "stacks-"));
  try {
    mkdirSync(join(world, "bin"));
    const log = join(world, "log");
    writeFileSync(join(world, "bin/gh"), `#!/bin/sh\necho "$4 $5" >> ${log}\n`);
    chmodSync(join(world, "bin/gh"), 0o755);
    writeFileSync(join(world, "Pulumi.west.yaml"), "encryptionsalt: salt\n");
    const { stdout, stderr } = spawnSync("sh", [join(folder, "ci/stacks.sh"), "west", "east"], {
      cwd: world,
      encoding: "utf8",
      env: {
        PATH: [join(world, "bin"), process.env["PATH"]].join(delimiter),
        REPOSITORY: "acme/mesh",
      },
    });
    const written = (name: string) => readFileSync(join(world, `Pulumi.${name}.yaml`), "utf8");
    deepEqual(
      [stdout, stderr, written("west"), written("east")],
      [
        "stack: [trust, west, east]\n",
        "Pulumi.west.yaml exists, and stays as it is\n",
        "encryptionsalt: salt\n",
        text("ci/Pulumi.east.yaml"),
      ],
    );
    const requests = readFileSync(log, "utf8").trim().split("\n");
    const environment = "repos/acme/mesh/environments";
    deepEqual(
      requests,
      ["trust", "west", "east"].flatMap((stack) => [
        `PUT ${environment}/${stack}`,
        `POST ${environment}/${stack}/deployment-branch-policies`,
        `PUT ${environment}/${stack}-preview`,
      ]),
    );
  } finally {
    rmSync(world, { recursive: true });
  }
});
