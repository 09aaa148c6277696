import assert from "node:assert/strict";
import { execa } from "execa";
import { parseAllDocuments } from "yaml";
import { until } from "../bed/bed.ts";
import { environment } from "../bed/pulumi.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { configOf, exported, realBed } from "./real-mesh.ts";
import { chartsFolder, skipNote, withCli } from "./real-plugins.ts";

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid?: string };
}

const note = skipNote === "" && !withCli ? ", skipped: linkerd is not on PATH" : skipNote;

/** As the chart makes it by default: link-gen takes the token of this account. */
const account = "linkerd-service-mirror-remote-access-default";
const accounts = "/api/v1/namespaces/linkerd-multicluster";

/** Each test goes on from the one before. */
describe(`a link that linkerd multicluster link-gen made${note}`, function () {
  this.timeout("30m");

  const real = realBed(["west", "east"]);
  const adopted = new Map<string, string | undefined>();
  let stack: PulumiStack;
  let made: readonly Manifest[];

  before(async function () {
    if (!withCli) return this.skip();
    const { bed } = real;
    const { west, east } = bed.clusters;
    for (const cluster of [west, east]) await clusters.addNamespace(cluster, "shop");
    await clusters.addService(west, "shop", "web", exported);
    stack = await newStack(bed, "adopt", config([]));
    await stack.pulumi("up", "--yes", "--skip-preview");
    await clusters.post(west, `${accounts}/serviceaccounts`, { metadata: { name: account } });
    await clusters.post(west, `${accounts}/secrets`, {
      metadata: { name: account, annotations: { "kubernetes.io/service-account.name": account } },
      type: "kubernetes.io/service-account-token",
    });
    made = await until("the token of the chart's account", [], async () => {
      const words = ["--context", "west", "multicluster", "link-gen", "--cluster-name", "west"];
      const gateway = ["--gateway-addresses", "192.0.2.7", "--gateway-port", "4143"];
      const options = { env: environment(bed), reject: false } as const;
      const { stdout, exitCode } = await execa("linkerd", [...words, ...gateway], options);
      if (exitCode !== 0) return undefined;
      return parseAllDocuments(stdout).flatMap(
        (document) => (document.toJS() as Manifest | null) ?? [],
      );
    });
    for (const manifest of made) await clusters.post(east, collectionOf(manifest), manifest);
    for (const each of made) adopted.set(pathOf(each), await uidOf(each));
  });

  it("is refused, and says how to take it over", async () => {
    await stack.configure(config([{ source: "east", target: "west" }]));
    const { text } = await stack.run(["preview"]);
    assert.match(text, /created by linkerd.*: to take it over .* set adopt: true on the link/);
  });

  it("is compared object by object in a preview with adopt", async () => {
    await stack.configure(config([{ source: "east", target: "west", adopt: true }]));
    const text = await stack.pulumi("preview");
    assert.match(
      text,
      /adopts Link east\/linkerd-multicluster\/west, (which is equal|and changes)/,
    );
    for (const namespace of ["linkerd", "linkerd-multicluster"])
      assert.match(
        text,
        new RegExp(`adopts Secret east/${namespace}/cluster-credentials-west, and changes .*data`),
      );
  });

  it("becomes the stack's: no object is recreated, mirrors appear, and nothing is left to do", async () => {
    await stack.pulumi("up", "--yes", "--skip-preview");
    for (const each of made) assert.equal(await uidOf(each), adopted.get(pathOf(each)));
    assert.ok(await clusters.serviceIn(real.clusters.east, "shop", "web-west"));
    await stack.pulumi("preview", "--expect-no-changes");
  });

  it("stays as it is once adopt is taken out of the config", async () => {
    await stack.configure(config([{ source: "east", target: "west" }]));
    await stack.pulumi("up", "--yes", "--skip-preview");
    for (const each of made) assert.equal(await uidOf(each), adopted.get(pathOf(each)));
    await stack.pulumi("preview", "--expect-no-changes");
  });

  function config(links: readonly Config[]): Config {
    const { west, east } = real.clusters;
    return {
      clusters: {
        west: { ...configOf(west), gateway: { addresses: ["192.0.2.7"], enabled: true } },
        east: configOf(east),
      },
      manage: "all",
      links,
      charts: { source: chartsFolder },
    };
  }

  const uidOf = async (manifest: Manifest) => {
    const { body } = await real.clusters.east.request("GET", pathOf(manifest));
    return (body as Manifest).metadata.uid;
  };
});

function collectionOf({ apiVersion, kind, metadata }: Manifest): string {
  const prefix = apiVersion.includes("/") ? "apis" : "api";
  return `/${prefix}/${apiVersion}/namespaces/${metadata.namespace}/${kind.toLowerCase()}s`;
}

function pathOf(manifest: Manifest): string {
  return `${collectionOf(manifest)}/${manifest.metadata.name}`;
}
