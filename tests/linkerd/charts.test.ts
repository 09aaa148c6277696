import assert from "node:assert/strict";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { haValues } from "../../components/charts/ha-values.ts";
import { newStack, type PulumiStack } from "../bed/stack.ts";
import { get, inNamespace } from "../e2e/access-clusters.ts";
import { configOf, realBed } from "./real-mesh.ts";
import { arePluginsReal, chartsFolder, skipNote } from "./real-plugins.ts";

interface Stored {
  readonly data: Readonly<Record<string, string>>;
}

const license = "canary-license/22f1e2d3c4b5a6f7";

it("ha: true has the values that Linkerd's CLI takes from the charts", async function () {
  if (!arePluginsReal) return this.skip();
  for (const chart of ["linkerd-control-plane", "linkerd-multicluster"] as const) {
    const file = join(chartsFolder, chart, "values-ha.yaml");
    assert.deepEqual(haValues[chart], parse(await readFile(file, "utf8"), { merge: true }));
  }
});

/** Vendors build such charts: copies of Linkerd's with other names, or charts that depend on Linkerd's. */
describe(`charts with other names, with real plugins${skipNote}`, function () {
  this.timeout("15m");

  const real = realBed(["west"]);
  let stack: PulumiStack;

  before(async () => {
    const source = join(real.bed.folder, "charts");
    for (const chart of ["linkerd-crds", "linkerd-multicluster"])
      await rename(join(chartsFolder, chart), join(source, `vendor-${chart}`), `vendor-${chart}`);
    await nest(source);
    stack = await newStack(real.bed, "charts", {
      manage: "all",
      clusters: { west: configOf(real.clusters.west) },
      charts: {
        source,
        crds: { name: "vendor-linkerd-crds" },
        controlPlane: { name: "outer", nested: "linkerd-control-plane" },
        multicluster: { name: "vendor-linkerd-multicluster" },
      },
    });
    const key = "linkerd-multicluster:charts.controlPlane.values.license";
    await stack.pulumi("config", "set", "--secret", "--path", key, license);
  });

  it("are installed with the program's values in the right place, and a licence that the state encrypts", async () => {
    const { west } = real.clusters;
    await stack.pulumi("up", "--yes", "--skip-preview");
    const secret = await get<Stored>(west, `${inNamespace("linkerd", "secrets")}/license`);
    assert.equal(atob(secret.data["license"] ?? ""), license);
    const config = await get<Stored>(
      west,
      `${inNamespace("linkerd", "configmaps")}/linkerd-config`,
    );
    assert.match(config.data["values"] ?? "", /^identityTrustDomain: cluster\.local$/m);
    assert.match(config.data["values"] ?? "", /scheme: kubernetes\.io\/tls/);
    assert.ok(!(await stack.pulumi("stack", "export")).includes(license));
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    await stack.pulumi("destroy", "--yes", "--skip-preview");
  });
});

async function rename(original: string, folder: string, name: string): Promise<void> {
  await cp(original, folder, { recursive: true });
  const file = join(folder, "Chart.yaml");
  const chart = parse(await readFile(file, "utf8")) as object;
  await writeFile(file, stringify({ ...chart, name }));
}

/** Makes the chart `outer`, which depends on Linkerd's control plane and takes a license itself. */
async function nest(source: string): Promise<void> {
  const outer = join(source, "outer");
  const inner = join(outer, "charts/linkerd-control-plane");
  await cp(join(chartsFolder, "linkerd-control-plane"), inner, { recursive: true });
  await mkdir(join(outer, "templates"), { recursive: true });
  const { version } = parse(await readFile(join(inner, "Chart.yaml"), "utf8")) as {
    readonly version: string;
  };
  const dependencies = [{ name: "linkerd-control-plane", version }];
  const chart = { apiVersion: "v2", name: "outer", version: "1.0.0", dependencies };
  await writeFile(join(outer, "Chart.yaml"), stringify(chart));
  const template = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "license" },
    stringData: { license: "{{ .Values.license }}" },
  };
  await writeFile(join(outer, "templates/license.yaml"), stringify(template));
}
