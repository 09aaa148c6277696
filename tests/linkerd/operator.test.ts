import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type Bed, startBed, until } from "../bed/bed.ts";
import { pathOf } from "../e2e/access-clusters.ts";
import { type Manifest, manifestsOf } from "../unit/examples/files.ts";
import { parseAllDocuments } from "yaml";

const variable = "OPERATOR_CRDS";
const folder = process.env[variable] ?? "";

/** Says why the operator's definitions are missing. It is empty if they exist. */
const lacking = existsSync(join(folder, "pulumi.com_stacks.yaml"))
  ? ""
  : `, skipped: ${variable} names no folder with the CRDs of the Pulumi Kubernetes Operator, its deploy/crds`;

describe(`examples/operator, validated by an API server with the operator's CRDs${lacking}`, function () {
  this.timeout("20m");
  let bed: Bed<"hub"> | undefined;

  before(async function () {
    if (lacking !== "") return this.skip();
    bed = await startBed({ clusters: ["hub"], runs: "nothing" });
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml")))
      for (const document of parseAllDocuments(readFileSync(join(folder, file), "utf8")))
        await install(document.toJS() as Manifest);
    await send({ apiVersion: "v1", kind: "Namespace", metadata: { name: "mesh" } });
  });
  after(() => bed?.stop());

  it("has only valid manifests, without an unknown field", async () => {
    const refused: unknown[] = [];
    const manifests = manifestsOf().filter(({ kind }) => kind !== "Namespace");
    for (const manifest of manifests) {
      const { code, body } = await send(manifest, "?dryRun=All&fieldValidation=Strict");
      if (code !== 201) refused.push({ name: manifest.metadata.name, code, body });
    }
    assert.deepEqual(refused, []);
    assert.ok(manifests.length > 8);
  });

  it("would fail with a field that the operator doesn't know", async () => {
    const [stack] = manifestsOf().filter(({ kind }) => kind === "Stack");
    assert.ok(stack);
    const mistaken = { ...stack, spec: { ...stack.spec, resyncSeconds: 60 } };
    const { code } = await send(mistaken, "?dryRun=All&fieldValidation=Strict");
    assert.equal(code, 400);
  });

  async function send(manifest: Manifest, query = "") {
    assert.ok(bed);
    return bed.clusters.hub.request("POST", `${pathOf(manifest)}${query}`, manifest);
  }

  async function install(definition: Manifest): Promise<void> {
    const path = pathOf(definition);
    assert.equal((await send(definition)).code, 201);
    await until(`${definition.metadata.name} established`, [], async () => {
      const { body } = await (bed as Bed<"hub">).clusters.hub.request(
        "GET",
        `${path}/${definition.metadata.name}`,
      );
      return JSON.stringify(body).includes('"type":"Established"') ? true : undefined;
    });
  }
});
