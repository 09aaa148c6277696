import { deepEqual, equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { verdictOf } from "../../../bin/audit.ts";

const root = join(import.meta.dirname, "../../..");
const metadata = { vulnerabilities: { high: 0 }, dependencies: { prod: 241, dev: 150 } };
const clean = { auditReportVersion: 2, vulnerabilities: {}, metadata };
const vulnerable = {
  ...clean,
  vulnerabilities: {
    undici: {
      name: "undici",
      severity: "high",
      isDirect: true,
      via: [
        {
          source: 1,
          title: "Reads \u001b[2Jtoo much",
          url: "https://example.com/1",
          severity: "high",
        },
      ],
      range: "<8.13.0",
      nodes: ["node_modules/undici"],
      fixAvailable: false,
    },
    proxy: { name: "proxy", severity: "low", via: ["undici"], range: "*", nodes: [] },
  },
};
const refused = { message: "405 Method Not Allowed - POST https://registry", statusCode: 405 };

describe("npm run audit", () => {
  it("names each vulnerability, and where to read of it", () => {
    deepEqual(verdictOf(JSON.stringify(vulnerable)), {
      result: "failed",
      lines: [
        "undici <8.13.0, high: Reads ?[2Jtoo much (https://example.com/1)",
        "proxy *, low: through undici",
      ],
    });
  });

  it("passes only with a report", () => {
    equal(verdictOf(JSON.stringify(clean)).result, "passed");
    deepEqual(verdictOf(JSON.stringify(refused)), { result: "skipped", why: refused.message });
    for (const output of ["", "not JSON", "{}", '{"vulnerabilities":{}}'])
      deepEqual(verdictOf(output), { result: "skipped", why: "npm audit gave no report" });
  });

  describe("as a command", function () {
    const folder = mkdtempSync(join(tmpdir(), "audit-"));
    after(() => {
      rmSync(folder, { recursive: true });
    });

    /** With an npm that prints this, and fails as npm does when it has something to tell. */
    function run(report: unknown, ...args: readonly string[]) {
      const npm = join(folder, "npm");
      writeFileSync(npm, `#!/bin/sh\ncat <<'END'\n${JSON.stringify(report)}\nEND\nexit 1\n`);
      chmodSync(npm, 0o755);
      const PATH = [folder, process.env["PATH"]].join(delimiter);
      const { status, stdout } = spawnSync(
        process.execPath,
        ["bin/run.mjs", "bin/audit.ts", ...args],
        { cwd: root, encoding: "utf8", env: { ...process.env, PATH } },
      );
      return { status, stdout };
    }

    it("fails for a vulnerability", () => {
      const { status, stdout } = run(vulnerable);
      equal(status, 1);
      match(stdout, /^audit failed: undici/);
    });

    it("says that nothing was audited where the registry refuses, and fails if it was required", () => {
      const why = `audit skipped, nothing was audited: ${refused.message}\n`;
      deepEqual(run(refused), { status: 0, stdout: why });
      deepEqual(run(refused, "--required"), { status: 1, stdout: why });
    });
  });
});
