import { deepEqual, throws } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chartFrom } from "../../../components/charts/chart.ts";

const name = "linkerd-crds";

const sha = (digit: string) => `sha256:${digit.repeat(64)}`;

/** A chart from a folder that holds these files. */
function local(source: string, ...files: readonly string[]) {
  const exists = (file: string) => files.includes(file);
  return chartFrom({ source, version: "2026.8.3" }, name, { exists, digest: () => sha("0") });
}

describe("cluster: where charts come from", () => {
  it("an OCI registry", () => {
    for (const source of ["oci://registry.example.com/l5d", "oci://registry.example.com/l5d/"])
      deepEqual(chartFrom({ source, version: "1.2.3" }, name), {
        chart: "oci://registry.example.com/l5d/linkerd-crds",
        version: "1.2.3",
      });
  });

  for (const [source, files, chart] of [
    ["charts", ["linkerd-crds/Chart.yaml", "linkerd-crds.tgz"], "./charts/linkerd-crds"],
    [
      "./charts",
      ["linkerd-crds-2026.8.3.tgz", "linkerd-crds.tgz"],
      "./charts/linkerd-crds-2026.8.3.tgz",
    ],
    ["../charts", ["linkerd-crds.tgz"], "../charts/linkerd-crds.tgz"],
    ["/srv", ["linkerd-crds.tgz"], "/srv/linkerd-crds.tgz"],
  ] as const)
    it(`a local folder with the chart as a folder, or packed with or without its version: ${chart}`, () => {
      deepEqual(local(source, ...files.map((file) => join(source, file))), { chart });
    });

  it("nowhere", () => {
    throws(() => local("charts", "charts/linkerd-crds-2026.8.2.tgz"), {
      message:
        "linkerd-multicluster:charts.source is the folder charts, which has no chart linkerd-crds; it must hold linkerd-crds/Chart.yaml, linkerd-crds-2026.8.3.tgz or linkerd-crds.tgz.",
    });
  });
});

describe("cluster: charts with a digest", () => {
  const digests = {
    "linkerd-crds": sha("a"),
    "linkerd-control-plane": sha("b"),
    "linkerd-multicluster": sha("c"),
  };

  it("of an OCI registry are asked for by it, so that Helm compares them", () => {
    const source = "oci://registry.example.com/l5d";
    deepEqual(chartFrom({ source, version: "1.2.3", digests }, "linkerd-multicluster"), {
      chart: `oci://registry.example.com/l5d/linkerd-multicluster@${sha("c")}`,
      version: "1.2.3",
    });
  });

  it("are compared in a local folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "charts-"));
    try {
      const file = join(folder, "linkerd-crds-1.2.3.tgz");
      writeFileSync(file, "");
      const pinned = (digest: string) =>
        chartFrom(
          { source: folder, version: "1.2.3", digests: { ...digests, "linkerd-crds": digest } },
          name,
        );
      // What sha256sum says of an empty file.
      const empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
      deepEqual(pinned(empty), { chart: file });
      throws(() => pinned(sha("a")), {
        message: `linkerd-multicluster:charts.digests.linkerd-crds is ${sha("a")}, but ${file} has ${empty}; put back the archive that you have reviewed, or review this one and set its digest. Nothing was installed.`,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("are archives: a folder beside one would be installed instead of it", () => {
    const files = { exists: () => true, digest: () => sha("a") };
    throws(() => chartFrom({ source: "charts", version: "1.2.3", digests }, name, files), {
      message:
        "linkerd-multicluster:charts.digests.linkerd-crds is set, but the chart is the folder charts/linkerd-crds, and a folder has no digest; pack it with helm package, and delete the folder.",
    });
  });
});
