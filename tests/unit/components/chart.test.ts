import { deepEqual, throws } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chartFrom } from "../../../components/charts/chart.ts";

const name = "linkerd-crds";
const sha = (digit: string) => `sha256:${digit.repeat(64)}`;
const digests = {
  "linkerd-crds": sha("a"),
  "linkerd-control-plane": sha("b"),
  "linkerd-multicluster": sha("c"),
};

/** Creates a folder with these empty files while it is used. */
function withCharts(
  files: readonly string[],
  use: (folder: string) => void,
  parent = tmpdir(),
): void {
  const folder = mkdtempSync(join(parent, "charts-"));
  try {
    for (const file of files.map((each) => join(folder, each))) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "");
    }
    use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("cluster: a chart", () => {
  it("comes from an OCI registry", () => {
    for (const source of ["oci://registry.example.com/l5d", "oci://registry.example.com/l5d/"])
      deepEqual(chartFrom({ source, version: "1.2.3" }, name), {
        chart: "oci://registry.example.com/l5d/linkerd-crds",
        version: "1.2.3",
      });
  });

  for (const [files, chart] of [
    [["linkerd-crds/Chart.yaml", "linkerd-crds.tgz"], "linkerd-crds"],
    [["linkerd-crds-1.2.3.tgz", "linkerd-crds.tgz"], "linkerd-crds-1.2.3.tgz"],
    [["linkerd-crds.tgz"], "linkerd-crds.tgz"],
  ] as const)
    it(`comes from ${chart} in a local folder`, () => {
      withCharts(files, (source) => {
        deepEqual(chartFrom({ source, version: "1.2.3" }, name), { chart: join(source, chart) });
      });
    });

  it("has a path that Helm can't take for a repository if the folder is relative", () => {
    const inProject = join("node_modules", ".cache");
    mkdirSync(inProject, { recursive: true });
    const use = (source: string) => {
      const { chart } = chartFrom({ source, version: "1.2.3" }, name);
      deepEqual(chart, `./${source}/linkerd-crds.tgz`);
    };
    withCharts(["linkerd-crds.tgz"], use, inProject);
  });

  it("is reported if the folder lacks it", () => {
    withCharts(["linkerd-crds-1.2.2.tgz"], (source) => {
      throws(() => chartFrom({ source, version: "1.2.3" }, name), {
        message: `linkerd-multicluster:charts.source is the folder ${source}, which has no chart linkerd-crds; it must hold linkerd-crds/Chart.yaml, linkerd-crds-1.2.3.tgz or linkerd-crds.tgz.`,
      });
    });
  });
});

describe("cluster: a chart with a digest", () => {
  it("is requested from an OCI registry by its digest, so that Helm compares it", () => {
    const source = "oci://registry.example.com/l5d";
    deepEqual(chartFrom({ source, version: "1.2.3", digests }, "linkerd-multicluster"), {
      chart: `oci://registry.example.com/l5d/linkerd-multicluster@${sha("c")}`,
      version: "1.2.3",
    });
  });

  it("is compared with its digest in a local folder", () => {
    withCharts(["linkerd-crds-1.2.3.tgz"], (source) => {
      const file = join(source, "linkerd-crds-1.2.3.tgz");
      const pinned = (digest: string) =>
        chartFrom({ source, version: "1.2.3", digests: { ...digests, [name]: digest } }, name);
      const empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
      deepEqual(pinned(empty), { chart: file });
      throws(() => pinned(sha("a")), {
        message: `linkerd-multicluster:charts.digests.linkerd-crds is ${sha("a")}, but ${file} has ${empty}; put back the archive that you have reviewed, or review this one and set its digest. Nothing was installed.`,
      });
    });
  });

  it("must be an archive, because a folder next to it would be installed instead", () => {
    withCharts(["linkerd-crds/Chart.yaml", "linkerd-crds-1.2.3.tgz"], (source) => {
      throws(() => chartFrom({ source, version: "1.2.3", digests }, name), {
        message: `linkerd-multicluster:charts.digests.linkerd-crds is set, but the chart is the folder ${join(source, name)}, and a folder has no digest; pack it with helm package, and delete the folder.`,
      });
    });
  });
});
