import { deepEqual, throws } from "node:assert/strict";
import { chartFrom } from "../../../components/charts/chart.ts";
import { configOf } from "../config/table.ts";

const name = "linkerd-crds";

/** A chart from a folder that holds these files. */
function local(source: string, ...files: readonly string[]) {
  return chartFrom({ source, version: "2026.8.3" }, name, (file) => files.includes(file));
}

describe("cluster: where charts come from", () => {
  it("Linkerd's repository of edge releases, at one version for all", () => {
    const names = ["linkerd-crds", "linkerd-control-plane", "linkerd-multicluster"] as const;
    const { charts } = configOf({});
    deepEqual(
      names.map((chart) => chartFrom(charts, chart)),
      names.map((chart) => ({
        chart,
        version: "2026.8.3",
        repositoryOpts: { repo: "https://helm.linkerd.io/edge" },
      })),
    );
  });

  it("an OCI registry", () => {
    for (const source of ["oci://registry.example.com/l5d", "oci://registry.example.com/l5d/"])
      deepEqual(chartFrom({ source, version: "1.2.3" }, name), {
        chart: "oci://registry.example.com/l5d/linkerd-crds",
        version: "1.2.3",
      });
  });

  it("a local folder with the chart as a folder, or packed with or without its version", () => {
    const folder = local("charts", "charts/linkerd-crds/Chart.yaml", "charts/linkerd-crds.tgz");
    deepEqual(folder, { chart: "./charts/linkerd-crds" });
    deepEqual(local("./charts", "charts/linkerd-crds-2026.8.3.tgz", "charts/linkerd-crds.tgz"), {
      chart: "./charts/linkerd-crds-2026.8.3.tgz",
    });
    deepEqual(local("../charts", "../charts/linkerd-crds.tgz"), {
      chart: "../charts/linkerd-crds.tgz",
    });
    deepEqual(local("/srv", "/srv/linkerd-crds.tgz"), { chart: "/srv/linkerd-crds.tgz" });
  });

  it("nowhere", () => {
    throws(() => local("charts", "charts/linkerd-crds-2026.8.2.tgz"), {
      message:
        "linkerd-multicluster:charts.source is the folder charts, which has no chart linkerd-crds; it must hold linkerd-crds/Chart.yaml, linkerd-crds-2026.8.3.tgz or linkerd-crds.tgz.",
    });
  });
});
