import assert from "node:assert/strict";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import process from "node:process";

import { type Config, newStack, type PulumiStack, repository } from "../../bed/stack.ts";
import { discovered, service } from "./objects.ts";
import { bedWithGateway, create, type SharedBed } from "./shared-bed.ts";
import { servicesIn } from "./view.ts";

const namespace = "policies";
const owned = (label: string, value: string) => ({
  matchLabels: { [`mirror.linkerd.io/${label}`]: value },
  matchExpressions: [{ key: "owner", operator: "Exists" }],
});
const link = {
  source: "east",
  target: "west",
  maxDeletions: 10,
  selector: owned("exported", "true"),
  remoteDiscoverySelector: owned("exported", "remote-discovery"),
  federatedServiceSelector: owned("federated", "member"),
};

/** The real engine asks the pack of examples/policies before it writes. */
describe("a policy pack", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: PulumiStack;
  let pack: string;

  before(async () => {
    shared = await bedWithGateway(namespace);
    await create(shared.kube.west, [webService("web")]);
    stack = await newStack(shared.bed, "policies", {});
    pack = await install(shared.bed.folder);
  });

  it("reports every violation by link or mirror, and stops the run", async () => {
    const { selector, federatedServiceSelector, ...others } = link;
    const flat = { ...others, gateway: false, maxDeletions: "10%" };
    const rules = {
      "exports-have-owners": { label: "owner" },
      "no-forbidden-links": { forbidden: [{ source: "ea*", target: "west" }] },
      "no-private-ports": { ports: [80] },
    };
    const { code, text } = await run(["up", "--yes", "--skip-preview"], [flat], rules);
    assert.notEqual(code, 0);
    for (const sentence of [
      "link from east to west: its federatedServiceSelector must demand the label owner",
      "link from east to west: Services of west must not appear in east",
      "link from east to west: a flat link is not allowed between them",
      "link from east to west: maxDeletions must be a number of at most 10",
      "east/policies/web-west: port 80 is private",
    ])
      assert.ok(text.includes(sentence), text);
    assert.deepEqual(await servicesIn(shared.kube.east, namespace), []);
  });

  it("accepts a mesh without violations, whose saved plan does what it shows or nothing", async () => {
    const plan = join(pack, "plan.json");
    // It selects nothing, so nothing of it lacks an owner.
    const unfederated = { ...link, federatedServiceSelector: {} };
    const previewed = await run(["preview", "--diff", "--save-plan", plan], [unfederated]);
    assert.equal(previewed.code, 0, previewed.text);
    assert.match(previewed.text, /policies\/web-west *: ".* mirror of web/);
    await create(shared.kube.west, [webService("late")]);
    const up = ["up", "--yes", "--skip-preview", "--plan", plan];
    const { code, text } = await run(up, [unfederated]);
    assert.notEqual(code, 0);
    assert.match(text, /violates plan/);
    assert.deepEqual(await servicesIn(shared.kube.east, namespace), []);
  });

  async function run(words: readonly string[], links: readonly Config[], rules: Config = {}) {
    await stack.configure({ manage: "mirrors", clusters: { west: {}, east: {} }, links });
    const file = join(pack, "own.json");
    await writeFile(file, JSON.stringify(rules));
    const PATH = [join(pack, "bin"), ...shared.bed.path, process.env["PATH"]].join(delimiter);
    return stack.run([...words, "--policy-pack", pack, "--policy-pack-config", file], {
      variables: { PATH, PULUMI_EXPERIMENTAL: "1" },
    });
  }
});

const webService = (name: string) =>
  service(
    `${namespace}/${name}`,
    { labels: { ...discovered, owner: "shop" } },
    { ports: [{ name: "http", port: 80 }] },
  );

/**
 * Copies the pack, with a runtime of the bed's own: no registry has the program by which Pulumi starts packs of Node.
 * Like that program, this runtime runs the SDK's own entry point.
 */
async function install(folder: string): Promise<string> {
  const pack = join(folder, "policies");
  await cp(join(repository, "examples/policies"), pack, { recursive: true });
  await symlink(join(repository, "node_modules"), join(pack, "node_modules"));
  const settings = await readFile(join(pack, "PulumiPolicy.yaml"), "utf8");
  await writeFile(join(pack, "PulumiPolicy.yaml"), settings.replace(/name: nodejs/, "name: bed"));
  const require = createRequire(import.meta.url);
  const entry = require.resolve("@pulumi/pulumi/cmd/run-policy-pack");
  await mkdir(join(pack, "bin"));
  await writeFile(
    join(pack, "bin/pulumi-analyzer-policy-bed"),
    `#!/bin/sh\nexec ${process.execPath} ${entry} "$@"\n`,
    { mode: 0o755 },
  );
  return pack;
}
