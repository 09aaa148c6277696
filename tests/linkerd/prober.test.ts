import assert from "node:assert/strict";
import { execa } from "execa";
import { type Bed, startBed, until } from "../bed/bed.ts";
import { linkerdImages } from "../bed/nodes/linkerd.ts";
import { environment } from "../bed/pulumi.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { proberImage } from "./prober-image.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { chartsFolder } from "./real-plugins.ts";

const lacking = await lackingForMesh("linkerd");
const prober = "bed.local/mesh-watch:1";
const green = /Status check results are √/;
const gateway = "deployment/linkerd-gateway";

/** Linkerd's guide on federated Services shows these, and below each the linked clusters. */
const ofGuide = [
  "Link CRD exists",
  "Link resources are valid\n\t* west",
  "remote cluster access credentials are valid\n\t* west",
  "clusters share trust anchors\n\t* west",
  "service mirror controller has required permissions\n\t* west",
  "service mirror controllers are running\n\t* west",
];

/** Each test continues from the one before. */
describe(`Linkerd's own checks of a mesh that this program mirrors${skipNoteOf(lacking)}`, function () {
  this.timeout("40m");

  let bed: Bed<"west" | "east"> | undefined;
  let stack: PulumiStack;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    const images = [...(await linkerdImages(chartsFolder)), proberImage(prober)];
    bed = await startBed({ clusters: ["west", "east"], runs: "nodes", nodes: { images } });
    const { west, east } = bed.clusters;
    for (const cluster of [west, east]) await clusters.addNamespace(cluster, "shop");
    await clusters.addService(west, "shop", "web", {
      labels: { "mirror.linkerd.io/exported": "true" },
    });
    // Linkerd's controller takes the endpoints of a mirror away whose Service has none.
    await clusters.post(west, clusters.inNamespace("shop", "endpoints"), {
      metadata: { name: "web" },
      subsets: [{ addresses: [{ ip: "192.0.2.9" }], ports: [{ name: "http", port: 8080 }] }],
    });
    stack = await newStack(bed, "prober", config({}));
    await up();
  });
  after(() => bed?.stop());

  it("fail without a prober, as the reference says, and the table of gateways is empty", async () => {
    const { stdout } = await linkerd("multicluster", "check", "--wait=10s");
    assert.match(stdout, /× service mirror controllers are running/);
    assert.match(stdout, /× service mirror controller has required permissions/);
    assert.doesNotMatch(stdout, /× probe services/);
    assert.doesNotMatch((await linkerd("multicluster", "gateways")).stdout, /west/);
  });

  it("pass with one, and the table has the gateway", async () => {
    await stack.configure(config({ prober }));
    await up();
    const row = await until("the gateway", [], () => aliveIs("True"));
    assert.match(row, /^west +True +1 +\d+ms$/);
    for (const words of [["check"], ["multicluster", "check"]]) {
      const { stdout, exitCode } = await linkerd(...words, "--wait=60s");
      assert.match(stdout, green);
      assert.equal(exitCode, 0);
      for (const each of ofGuide) assert.ok(stdout.includes(`√ ${each}\n`), each);
    }
  });

  it("show a gateway as down and as back within seconds, and so does linkerd-clusters", async () => {
    await kubectl("west", "scale", gateway, "--replicas=0");
    await kubectl("west", "wait", "--for=delete", "pod", "-l=app=linkerd-gateway");
    const down = await seconds(() => aliveIs("False"));
    assert.match(await statusOfLink(), /down/);
    await kubectl("west", "scale", gateway, "--replicas=1");
    await kubectl("west", "rollout", "status", gateway);
    const back = await seconds(() => aliveIs("True"));
    console.log(`      down after ${down} s, back after ${back} s`);
    // A quiet machine needs three to eight seconds, and one that also does other things some more.
    assert.ok(down <= 20 && back <= 20, `${down} s, ${back} s`);
    assert.match(await statusOfLink(), /alive in \d+ ms/);
  });

  it("pass while the link goes to Linkerd's controller and back, and print the same", async () => {
    const shown = [];
    for (const link of [{ mirroring: "controller" }, { prober }]) {
      await stack.configure(config(link));
      await up();
      const row = await until("the gateway", [], () => aliveIs("True"));
      const names = await kubectl("east", "get", "deployments", "--output=name");
      assert.equal(/prober-west/.test(names), "prober" in link);
      assert.equal(/controller-west/.test(names), "mirroring" in link);
      const checks = [];
      for (const words of [["check"], ["multicluster", "check"]])
        checks.push((await linkerd(...words, "--wait=60s")).stdout);
      for (const check of checks) assert.match(check, green);
      shown.push([row.replace(/ +\d+ms$/, " 0ms"), ...checks].join("\n"));
    }
    assert.equal(shown[1], shown[0]);
    assert.ok(await clusters.serviceIn(theBed().clusters.east, "shop", "web-west"));
  });

  function theBed() {
    if (bed === undefined) throw new Error("there is no bed");
    return bed;
  }

  const up = () => stack.pulumi("up", "--yes", "--skip-preview");
  const linkerd = (...words: readonly string[]) =>
    execa("linkerd", ["--context=east", ...words], { env: environment(theBed()), reject: false });
  async function kubectl(cluster: "west" | "east", ...words: readonly string[]) {
    const where = [`--context=${cluster}`, "--namespace=linkerd-multicluster"];
    const env = environment(theBed());
    return (await execa("kubectl", [...where, ...words, ...timeoutOf(words)], { env })).stdout;
  }

  /** Returns the row of the gateway, if it is alive or not. */
  async function aliveIs(alive: "True" | "False"): Promise<string | undefined> {
    const { stdout } = await linkerd("multicluster", "gateways");
    return stdout
      .split("\n")
      .map((line) => line.trim())
      .find((line) => new RegExp(`^west +${alive}`).test(line));
  }

  async function seconds(look: () => Promise<string | undefined>): Promise<number> {
    const begun = Date.now();
    await until("the gateway", [], look);
    return Math.round((Date.now() - begun) / 100) / 10;
  }

  async function statusOfLink(): Promise<string> {
    const env = { ...environment(theBed()), ...stack.settings };
    const words = ["cli/linkerd-clusters.mjs", "status"];
    return (await execa(process.execPath, words, { env, reject: false })).stdout;
  }
});

function timeoutOf([verb]: readonly string[]): readonly string[] {
  return verb === "rollout" || verb === "wait" ? ["--timeout=180s"] : [];
}

function config(link: Config): Config {
  return {
    manage: "all",
    clusters: { west: {}, east: { gateway: false } },
    links: [{ source: "east", target: "west", ...link }],
    charts: { source: chartsFolder },
  };
}
