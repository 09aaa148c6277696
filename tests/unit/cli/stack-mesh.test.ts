import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { locationOf } from "../../../cli/stack/pulumi.ts";
import { meshOf, stackMesh } from "../../../cli/stack/stack-mesh.ts";
import { givenKubeconfig } from "../../../engine/kubernetes/kubeconfig/given.ts";
import { link } from "../fixtures/link.ts";

const given = "input:mesh/west";
const clusters = { west: { context: "west", kubeconfig: given }, east: { context: "east" } };
const mirrors = { source: "east", stack: "me/shop/prod", clusters, links: [link()], revision: 1 };
const checked = {
  manage: "links",
  stack: "me/shop/prod",
  linkerdNamespace: "linkerd",
  multiclusterNamespace: "linkerd-multicluster",
  clusters,
  links: [{ link: link(), mirroring: "controller" }],
};

describe("the mesh of a stack", () => {
  const folder = mkdtempSync(join(tmpdir(), "linkerd-multicluster-state-"));
  const variables = { PATH: [folder, process.env["PATH"]].join(delimiter) };
  const at = { folder, stack: "prod" };
  const asked = join(folder, "asked");
  const decryptions = () =>
    readFileSync(asked, "utf8").match(/--show-secrets|config get \S+/g) ?? [];
  let ciphertext = "v1:canary";
  let isGiven = true;
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const located = Object.fromEntries(
    Object.entries(clusters).map(([name, access]) => [name, { ...access, folder }]),
  );
  const seen = { ...checked, clusters: located };

  /** Puts a `pulumi` on PATH whose stack has these resources, and a config without a mesh. It notes its arguments. */
  function pulumi(
    ...resources: readonly { readonly type: string; readonly inputs: object }[]
  ): void {
    const encrypted = { kubeconfigs: { ciphertext } };
    const decrypted = {
      kubeconfigs: { plaintext: JSON.stringify({ [given]: "current-context: west" }) },
    };
    const exported = (secrets: object) =>
      JSON.stringify({
        deployment: {
          resources: resources.map(({ type, inputs }) => ({
            type,
            urn: type,
            hideDiff: ["kubeconfigs"],
            inputs: { ...inputs, ...secrets },
          })),
        },
      });
    answering(
      `  *config*) echo '{}' ;;`,
      `  *show-secrets*) cat <<'END'\n${exported(decrypted)}\nEND\n;;`,
      `  *) cat <<'END'\n${exported(isGiven ? encrypted : {})}\nEND\n;;`,
    );
  }

  function answering(...cases: readonly string[]): void {
    rmSync(asked, { force: true });
    const script = ["#!/bin/sh", `echo "$*" >>'${asked}'`, 'case "$*" in', ...cases, "esac"];
    writeFileSync(join(folder, "pulumi"), script.join("\n"));
    chmodSync(join(folder, "pulumi"), 0o755);
  }

  for (const type of ["pulumi-nodejs:dynamic/linkerd:", "linkerd-multicluster:engine:"])
    it(`of another program comes from the last health check, with the program's kubeconfigs (${type})`, async () => {
      pulumi(
        { type: `${type}Mirrors`, inputs: { ...mirrors, identities: { east: "uid-of-east" } } },
        { type: `${type}ClusterIdentity`, inputs: { cluster: "west", uid: "uid-of-west" } },
        { type: `${type}Health`, inputs: { mesh: JSON.stringify(checked) } },
      );
      const { mesh, sources, identities } = await stackMesh(at, variables);
      deepEqual(mesh, seen);
      deepEqual(identities, { east: "uid-of-east", west: "uid-of-west" });
      const { args, before } = sources.get("east") ?? {};
      deepEqual([args?.links, before?.revision], [[link()], 1]);
      equal(givenKubeconfig(given), "current-context: west");
    });

  it("costs no decryption if the program gave no kubeconfigs", async () => {
    isGiven = false;
    pulumi({ type: "linkerd-multicluster:engine:Mirrors", inputs: mirrors });
    await stackMesh(at, variables);
    deepEqual(decryptions(), []);
    isGiven = true;
    pulumi({ type: "other:index:Cluster", inputs: mirrors });
    await rejects(stackMesh(at, variables), /has no mesh/);
    deepEqual(decryptions(), []);
  });

  it("costs one decryption for as long as the kubeconfigs stay", async () => {
    ciphertext = "v1:other";
    pulumi({ type: "linkerd-multicluster:engine:Mirrors", inputs: mirrors });
    for (let times = 0; times < 2; times++) await stackMesh(at, variables);
    deepEqual(decryptions(), ["--show-secrets"]);
    ciphertext = "v1:newer";
    pulumi({ type: "linkerd-multicluster:engine:Mirrors", inputs: mirrors });
    await stackMesh(at, variables);
    deepEqual(decryptions(), ["--show-secrets"]);
  });

  it("is decrypted where Pulumi lists it without a value, and nothing else is", async () => {
    const listed = {
      "linkerd-multicluster:clusters": { secret: true },
      "linkerd-multicluster:links": { value: '[{"source":"east","target":"west"}]' },
      "linkerd-multicluster:trust": { secret: true },
      "linkerd-multicluster:charts": { secret: true },
      "other:key": { secret: true },
    };
    const value = JSON.stringify({ value: '{"east":{},"west":{"kubeconfig":"./west"}}' });
    answering(
      `  "config get"*) echo '${value}' ;;`,
      `  config*) echo '${JSON.stringify(listed)}' ;;`,
      `  *) exit 1 ;;`,
    );
    const mesh = await meshOf(at, variables);
    deepEqual(mesh.clusters["west"], { context: "west", kubeconfig: "./west", folder });
    deepEqual(decryptions(), ["config get linkerd-multicluster:clusters"]);
  });

  for (const { manage, others } of [
    { manage: "mirrors", others: [] },
    { manage: "links", others: ["linkerd-multicluster:engine:LinkTarget"] },
    { manage: "all", others: ["linkerd-multicluster:index:TrustRoot"] },
  ])
    it(`of another program comes from its mirrors if no run has come to its end: ${manage}`, async () => {
      const types = others.map((type) => ({ type, inputs: {} }));
      pulumi({ type: "linkerd-multicluster:engine:Mirrors", inputs: mirrors }, ...types);
      const links = [{ link: link(), mirroring: "pulumi" }];
      deepEqual(await meshOf(at, variables), { ...seen, manage, links });
    });

  for (const { what, keys, isLost } of [
    { what: "its last link", keys: { manage: "mirrors" }, isLost: true },
    {
      what: "no link that this program mirrors",
      keys: {
        manage: "links",
        links: [{ source: "east", target: "west", mirroring: "controller" }],
      },
      isLost: false,
    },
  ])
    it(`has a source that has lost ${what}, as long as its mirrors are in state`, async () => {
      const file = join(folder, "Pulumi.prod.yaml");
      const all = { clusters: { east: {}, west: {} }, ...keys };
      const config = Object.entries(all).map(([key, value]) => [
        `linkerd-multicluster:${key}`,
        value,
      ]);
      writeFileSync(file, JSON.stringify({ config: Object.fromEntries(config) as object }));
      writeFileSync(join(folder, "Pulumi.yaml"), "name: linkerd-multicluster\nruntime: nodejs\n");
      pulumi({ type: "linkerd-multicluster:engine:Mirrors", inputs: mirrors });
      const { sources, mesh } = await stackMesh(at, variables);
      equal((await stackMesh({ folder, configFile: file }, variables)).stack, "prod");
      equal(mesh.stack, "*/linkerd-multicluster/prod");
      rmSync(file);
      const { args, before } = sources.get("east") ?? {};
      deepEqual([[...sources.keys()], args?.links, before?.revision], [["east"], [], 1]);
      deepEqual(
        [args?.allowDeletions, args?.controllerLinks],
        isLost ? [true, undefined] : [undefined, ["west"]],
      );
    });

  it("has its config in a file elsewhere for every command of Pulumi's CLI", () => {
    const location = locationOf({ ...at, configFile: "/etc/mesh.yaml" }, { PULUMI_STACK: "dev" });
    const chosen = { PULUMI_STACK: "dev", PULUMI_OPTION_CONFIG_FILE: "/etc/mesh.yaml" };
    deepEqual(location, { folder, stack: "prod", variables: chosen });
    deepEqual(locationOf({ folder }, chosen), { folder, stack: "dev", variables: chosen });
  });

  it("of another program is missing before the first update", async () => {
    pulumi();
    await rejects(meshOf(at, variables), ({ message }: Error) => {
      match(
        message,
        /^Stack prod in .* has no mesh: .* Write the config .*, run pulumi up .*, or choose another stack/,
      );
      return true;
    });
  });
});
