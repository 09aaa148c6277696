import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { locationOf } from "../../../cli/pulumi.ts";
import { meshOf, stackMesh } from "../../../cli/stack-mesh.ts";
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
  after(() => {
    rmSync(folder, { recursive: true });
  });

  /** Puts a `pulumi` on PATH whose stack has these resources, and a config without a mesh. */
  function pulumi(
    ...resources: readonly { readonly type: string; readonly inputs: object }[]
  ): void {
    const encrypted = { kubeconfigs: { ciphertext: "v1:canary" } };
    const decrypted = {
      kubeconfigs: { plaintext: JSON.stringify({ [given]: "current-context: west" }) },
    };
    const exported = (secrets: object) =>
      JSON.stringify({
        deployment: {
          resources: resources.map(({ type, inputs }) => ({
            type,
            urn: type,
            inputs: { ...inputs, ...secrets },
          })),
        },
      });
    const script = [
      "#!/bin/sh",
      'case "$*" in',
      "  *config*) echo '{}' ;;",
      `  *show-secrets*) cat <<'END'\n${exported(decrypted)}\nEND\n;;`,
      `  *) cat <<'END'\n${exported(encrypted)}\nEND\n;;`,
      "esac",
    ];
    writeFileSync(join(folder, "pulumi"), script.join("\n"));
    chmodSync(join(folder, "pulumi"), 0o755);
  }

  for (const type of ["pulumi-nodejs:dynamic/linkerd:", "linkerd-multicluster:engine:"])
    it(`of another program comes from the last health check, with the program's kubeconfigs (${type})`, async () => {
      pulumi(
        { type: `${type}Mirrors`, inputs: mirrors },
        { type: `${type}Health`, inputs: { mesh: JSON.stringify(checked) } },
      );
      const { mesh, sources } = await stackMesh(at, variables);
      deepEqual(mesh, checked);
      const { args, before } = sources.get("east") ?? {};
      deepEqual([args?.links, before?.revision], [[link()], 1]);
      equal(givenKubeconfig(given), "current-context: west");
    });

  it("of another program comes from its mirrors with manage: mirrors", async () => {
    pulumi({ type: "linkerd-multicluster:engine:Mirrors", inputs: mirrors });
    const links = [{ link: link(), mirroring: "pulumi" }];
    deepEqual(await meshOf(at, variables), { ...checked, manage: "mirrors", links });
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
      match(message, /^Stack prod in .* has no mesh: .* Run pulumi up, or choose another stack/);
      return true;
    });
  });
});
