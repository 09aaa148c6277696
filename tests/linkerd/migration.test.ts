import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { execa } from "execa";
import { stringify } from "yaml";

import { environment } from "../bed/pulumi.ts";
import { type Config, newStack, type PulumiStack, repository } from "../bed/stack.ts";
import { authority, issuerUnder } from "../unit/trust/certificates.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { chartsFolder } from "./real-plugins.ts";
import { type Clusters, names, startClusters } from "./traffic/mesh.ts";
import { assertNoneFailed, summaryOf } from "./traffic/stream.ts";
import { addDeployment, addExports } from "./traffic/workloads.ts";

const lacking = await lackingForMesh("linkerd", "helm");
const skipNote = skipNoteOf(lacking);

const canary = { source: "east", target: "west" };
const links = [canary, { source: "east", target: "north" }, { source: "north", target: "west" }];
const clusters = { west: {}, east: { gateway: false }, north: { gateway: false } };
const mirrors = { manage: "mirrors", clusters };
const services = ["web-west", "vault-north", "api-federated"];

/**
 * Types docs/guides/migrate.md line by line, and prints what a user would see. Each test continues from the one before.
 */
describe(`the migration of a mesh that Helm and Linkerd's CLI made${skipNote}`, function () {
  this.timeout("40m");

  let mesh: Clusters | undefined;
  let stack: PulumiStack;
  let folder: string;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    mesh = await startClusters();
    stack = await newStack(mesh.bed, "prod", {});
    folder = join(mesh.bed.folder, "stacks", "prod");
    await writeTeamFiles();
  });
  after(async () => {
    for (const line of summaryOf((await mesh?.stream.since(0)) ?? new Map())) console.log(line);
    await mesh?.bed.stop();
  });

  it("begins with charts of Helm's, links of the CLI's, and mirrors of Linkerd's controllers", async () => {
    for (const name of names) {
      const context = `--kube-context ${name}`;
      const own = `-n linkerd ${context}`;
      await type(
        `helm install linkerd-crds $CHARTS/linkerd-crds ${own} --create-namespace --set installGatewayAPI=true`,
        `kubectl --context ${name} -n linkerd create secret tls linkerd-identity-issuer --cert ${name}.crt --key ${name}.key`,
        `helm install linkerd-control-plane $CHARTS/linkerd-control-plane ${own} --set-file identityTrustAnchorsPEM=ca.crt --set identity.issuer.scheme=kubernetes.io/tls --wait`,
      );
    }
    // Controllers wait for their Links, and Helm waits for them.
    for (const name of names) await type(multicluster("install", name, `${name}.yaml`));
    await type(
      "kubectl --context west -n linkerd-multicluster rollout status deploy/linkerd-gateway",
      "linkerd multicluster link-gen --context west --cluster-name west | kubectl --context east apply -f -",
      "linkerd multicluster link-gen --context west --cluster-name west | kubectl --context north apply -f -",
      "linkerd multicluster link-gen --context north --cluster-name north --gateway=false | kubectl --context east apply -f -",
    );
    await addWorkloads();
    await type("kubectl --context east -n shop get services");
  });

  it("shows the canary before anything is changed", async () => {
    await stack.configure({ ...mirrors, links: [canary] });
    const [, preview = ""] = await type("cat Pulumi.prod.yaml", "pulumi preview --diff");
    assert.match(preview, /Deployment east\/linkerd-multicluster\/controller-west also mirrors/);
  });

  it("hands the canary over, back to Linkerd's controller, and over again", async () => {
    await handOver("east-without-west.yaml", { links: [canary] });
    await quietly(async () => {
      await type(multicluster("upgrade", "east", "east.yaml"));
      await stack.configure({ ...mirrors, links: [] });
      const [back = ""] = await type("pulumi up --yes --skip-preview");
      assert.match(back, /its mirrors stay/);
    });
    await handOver("east-without-west.yaml", { links: [canary] });
  });

  it("hands over all links", async () => {
    await quietly(() => type(multicluster("upgrade", "north", "without.yaml")));
    await handOver("without.yaml", { links });
  });

  it("adopts accounts, credentials and Links", async () => {
    await stack.configure({ manage: "links", clusters, links, linkDefaults: { adopt: true } });
    await quietly(async () => {
      const [preview = ""] = await type("pulumi preview");
      assert.match(preview, /adopts Link east\/linkerd-multicluster\/west/);
      await type("pulumi up --yes --skip-preview");
      await stack.configure({ manage: "links", clusters, links });
      await type(
        "pulumi up --yes --skip-preview",
        "pulumi up --yes --skip-preview --expect-no-changes",
      );
    });
    await quietly(async () => {
      for (const name of ["east", "north"])
        await type(
          `kubectl --context ${name} -n linkerd rollout restart deploy/linkerd-destination`,
          `kubectl --context ${name} -n linkerd rollout status deploy/linkerd-destination`,
        );
    });
  });

  it("takes over the charts", async () => {
    const adopting = Object.fromEntries(
      Object.entries(clusters).map(([name, own]) => [name, { ...own, adopt: true }]),
    );
    await stack.configure({
      manage: "all",
      clusters: adopting,
      links,
      linkerdCheck: true,
      charts: { source: chartsFolder },
    });
    await quietly(async () => {
      await type("pulumi config set --path linkerd-multicluster:trust.anchors < ca.crt");
      for (const name of names) {
        const key = `linkerd-multicluster:trust.issuers.${name}`;
        await type(
          `pulumi config set --path ${key}.certificate < ${name}.crt`,
          `pulumi config set --secret --path ${key}.key < ${name}.key`,
          ...["linkerd", "linkerd-multicluster"].map(
            (namespace) =>
              `kubectl --context ${name} -n ${namespace} get secrets -l owner=helm -o yaml > ${name}-${namespace}.yaml && kubectl --context ${name} -n ${namespace} delete secrets -l owner=helm`,
          ),
        );
      }
      await type("pulumi up --yes --skip-preview");
      for (const name of names)
        await type(`pulumi config rm --path linkerd-multicluster:clusters.${name}.adopt`);
      await type(
        "pulumi up --yes --skip-preview",
        "pulumi up --yes --skip-preview --expect-no-changes",
        "linkerd-clusters check",
        "helm list -A --kube-context east",
      );
    });
  });

  function theMesh(): Clusters {
    if (mesh === undefined) throw new Error("there is no mesh");
    return mesh;
  }

  /** Stops Linkerd's controller with other values of its chart, and takes its mirrors over. */
  async function handOver(values: string, config: Config): Promise<void> {
    await stack.configure({ ...mirrors, ...config });
    await quietly(async () => {
      await type(
        multicluster("upgrade", "east", values),
        "kubectl --context east -n linkerd-multicluster get deployments",
        "pulumi up --yes --skip-preview",
        "linkerd-clusters check",
        "pulumi up --yes --skip-preview --expect-no-changes",
      );
    });
  }

  /** Asserts that no request fails during an action. */
  async function quietly(action: () => Promise<unknown>): Promise<void> {
    const tallies = await theMesh().stream.during(action);
    console.log(`  (${summaryOf(tallies).join("; ")})`);
    assertNoneFailed(tallies);
  }

  async function type(...lines: readonly string[]): Promise<readonly string[]> {
    const outputs: string[] = [];
    for (const line of lines) {
      console.log(`\n$ ${line}`);
      const own = { ...stack.settings, CHARTS: chartsFolder, PULUMI_OPTION_COLOR: "never" };
      const env = environment(theMesh().bed);
      const PATH = [join(folder, "bin"), env["PATH"] ?? ""].join(delimiter);
      const { all, exitCode } = await execa("sh", ["-c", line], {
        cwd: folder,
        env: { ...env, ...own, PATH },
        all: true,
        reject: false,
      });
      console.log(all);
      assert.equal(exitCode, 0, line);
      outputs.push(all);
    }
    return outputs;
  }

  /** Writes the certificates that `step` would create, values of charts, and the commands of an installation. */
  async function writeTeamFiles(): Promise<void> {
    const anchor = authority();
    await writeFile(join(folder, "ca.crt"), anchor.pem);
    for (const name of names) {
      const issuer = issuerUnder(anchor);
      await writeFile(join(folder, `${name}.crt`), issuer.pem);
      await writeFile(join(folder, `${name}.key`), issuer.keyPem);
    }
    const values = (targets: readonly string[], more: Config = {}) =>
      stringify({
        gateway: { enabled: false },
        controllers: targets.map((name) => ({ link: { ref: { name } } })),
        ...more,
      });
    const files = {
      "west.yaml": values([], { gateway: { enabled: true } }),
      "east.yaml": values(["west", "north"]),
      "north.yaml": values(["west"]),
      "east-without-west.yaml": values(["north"]),
      "without.yaml": values([], { localServiceMirror: { replicas: 0 } }),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await mkdir(join(folder, "bin"));
    const { PATH } = environment(theMesh().bed);
    const { stdout: engine } = await execa("sh", ["-c", "command -v pulumi"], { env: { PATH } });
    const programs = {
      pulumi: `exec '${engine}' --cwd '${repository}' "$@"`,
      "linkerd-clusters": `exec '${process.execPath}' '${join(repository, "cli/linkerd-clusters.mjs")}' "$@"`,
    };
    for (const [name, text] of Object.entries(programs)) {
      const path = join(folder, "bin", name);
      await writeFile(path, `#!/bin/sh\n${text}\n`);
      await chmod(path, 0o755);
    }
  }

  async function addWorkloads(): Promise<void> {
    const { bed, rolledOut, stream } = theMesh();
    await addExports(bed.clusters);
    await addDeployment(bed.clusters.east, { name: "client", program: "client" });
    for (const name of names) await rolledOut(name);
    for (const name of services) {
      await stream.add({ name, authority: `${name}.shop.svc.cluster.local` });
      await stream.settled(name);
    }
  }
});

function multicluster(verb: "install" | "upgrade", cluster: string, values: string): string {
  const create = verb === "install" ? " --create-namespace" : "";
  // No registry has the image of the chart's hook, which labels the namespace.
  return `helm ${verb} linkerd-multicluster --no-hooks $CHARTS/linkerd-multicluster -n linkerd-multicluster --kube-context ${cluster}${create} -f ${values}`;
}
