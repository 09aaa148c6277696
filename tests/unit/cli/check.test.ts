import { deepEqual, equal, match } from "node:assert/strict";
import { resolve } from "node:path";
import { mock } from "node:test";
import { omitUndefined } from "../../../engine/base/omit-undefined.ts";
import type { HealthReport } from "../../../engine/health/report.ts";
import { check, checkTable, linkerdCategories, withFindings } from "../../../cli/check.ts";

const finding = (sentence: string, fix?: string) => ({
  severity: "error" as const,
  sentence,
  ...omitUndefined({ fix }),
});

const report: HealthReport = {
  version: 1,
  healthy: false,
  counts: { ok: 1, warning: 1, error: 1, skipped: 1 },
  groups: [
    {
      kind: "link",
      name: "east/west",
      checks: [
        { id: "a", title: "all is well", result: "ok", hint: "https://a", findings: [] },
        { id: "b", title: "skipped", result: "skipped", why: "so", findings: [] },
        {
          id: "c",
          title: "one is broken",
          result: "error",
          hint: "https://c",
          findings: [finding("this", "pulumi up"), finding("that", "pulumi up")],
        },
        {
          id: "d",
          title: "many are odd",
          result: "warning",
          findings: Array.from({ length: 12 }, () => finding("odd")),
        },
      ],
    },
  ],
};

describe("the table of check", () => {
  const table = `link east → west
----------------
√ all is well [a]
× one is broken [c]
    this
    that
    Fix: pulumi up
    see https://c for hints
‼ many are odd [d]
${"    odd\n".repeat(10)}    and 2 more

Status: × (1 passed, 1 error, 1 warning, 1 skipped; --all shows what was skipped, and why)
`;

  it("leaves out what is in order with --output short, and counts it", () => {
    equal(checkTable(withFindings(report)), table.replace("√ all is well [a]\n", ""));
    const [group] = report.groups;
    const fine = { ...report, groups: group === undefined ? [] : [{ ...group, checks: [] }] };
    match(checkTable(withFindings(fine)), /^Status: /);
  });

  it("lists each check with up to ten findings and each fix once, and hides skipped checks", () => {
    equal(checkTable(report), table);
    match(
      checkTable(report, true),
      /√ all is well \[a\]\n- skipped \[b\] \(skipped: so\)\n[^]*1 skipped\)\n$/,
    );
  });
});

describe("a report for linkerd check", () => {
  it("has a category per cluster and link, and one error per failed check", () => {
    const [category, ...more] = linkerdCategories(report, " of prod");
    equal(more.length, 0);
    equal(category?.categoryName, "linkerd-clusters: link east → west of prod");
    deepEqual(category.checks.slice(0, 2), [
      { description: "all is well", result: "success" },
      {
        description: "one is broken",
        result: "error",
        error: "this\n    that\n    Fix: pulumi up",
        hint: "https://c",
      },
    ]);
    const { error = "", hint } = category.checks[2] ?? {};
    deepEqual(
      [error.split("\n").length, error.endsWith("and 2 more"), hint],
      [11, true, undefined],
    );
  });
});

describe("linkerd check", () => {
  it("names a kubeconfig from the folder in which it was started", async () => {
    const { KUBECONFIG, LINKERD_CLUSTERS_STACKS } = process.env;
    process.env["LINKERD_CLUSTERS_STACKS"] = "none";
    const write = mock.method(process.stdout, "write", () => true);
    try {
      await check({ output: "table", wait: 0, linkerdNamespace: "linkerd", kubeconfig: "own" });
      equal(process.env["KUBECONFIG"], resolve("own"));
    } finally {
      write.mock.restore();
      Object.assign(process.env, omitUndefined({ KUBECONFIG, LINKERD_CLUSTERS_STACKS }));
      if (KUBECONFIG === undefined) delete process.env["KUBECONFIG"];
      if (LINKERD_CLUSTERS_STACKS === undefined) delete process.env["LINKERD_CLUSTERS_STACKS"];
    }
  });
});
