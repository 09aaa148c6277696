import { deepEqual, equal, match, ok } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { folder, scripts, text } from "./files.ts";

const shellcheck = spawnSync("shellcheck", ["--version"]).status === 0;
const reason = shellcheck ? "" : " (skipped: shellcheck is not on the PATH)";

describe("examples: scripts", () => {
  it("are those of the examples and what they share", () => {
    deepEqual(scripts, [
      "federated/create.sh",
      "federated/delete.sh",
      "federated/routes.sh",
      "k3d.sh",
      "statefulset/create.sh",
      "statefulset/delete.sh",
    ]);
  });

  for (const path of scripts) {
    it(`${path} is bash`, () => {
      const { status, stderr } = spawnSync("bash", ["-n", join(folder, path)], {
        encoding: "utf8",
      });
      equal(stderr, "");
      equal(status, 0);
    });

    it(`${path} passes shellcheck${reason}`, function () {
      if (!shellcheck) this.skip();
      const options = ["--external-sources", "--source-path=SCRIPTDIR"];
      const { status, stdout } = spawnSync("shellcheck", [...options, join(folder, path)], {
        encoding: "utf8",
      });
      equal(stdout, "");
      equal(status, 0);
    });
  }

  for (const path of scripts.filter((script) => script !== "k3d.sh")) {
    it(`${path} can be run, and stops at the first mistake`, () => {
      match(text(path), /^#!\/usr\/bin\/env bash\n(#.*\n)+set -euo pipefail\n/);
      ok((statSync(join(folder, path)).mode & 0o111) !== 0, "is not executable");
    });
  }
});
