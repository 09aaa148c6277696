import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { access, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";

import { execa } from "execa";

import { textsIn } from "../../../examples/demo/recording.ts";
import { until } from "../../bed/bed.ts";
import { isSoak } from "../../reliability/effort.ts";

/** These need a bed of their own each, so only `npm run soak -- tests/e2e/mesh/demo.test.ts` runs them. */
const soaked = isSoak ? it : () => undefined;
const repository = join(import.meta.dirname, "..", "..", "..");

describe("npm run demo", function () {
  // Building the programs of the bed takes minutes, once on a machine.
  this.timeout("20m");

  it("creates, changes and deletes the StatefulSet's mirrors, and leaves nothing behind", async () => {
    const { code, stdout, pid } = await finished(start());
    assert.equal(code, 0, stdout);
    const step = stepsOf(stdout);

    const preview = step("Preview the changes");
    assert.match(preview, /default\/nginx-svc-west *: .*3 pods/);
    assert.match(preview, /shop\/web-west/);
    assert.match(preview, /payments\/ledger: "MissingNamespace: /);
    assert.match(preview, /east → west: \+6, 1 not mirrored \(\+ default\/nginx-set-0-west, /);
    assert.doesNotMatch(preview, /metrics/);

    const mirrored = step("Look at east");
    assert.deepEqual(clusterIps(mirrored), [false, false, false, true]);
    assert.match(mirrored, /hostname: nginx-set-2/);
    assertResolved(mirrored, "nginx-set-0-west", "nginx-set-0.nginx-svc-west.default");

    const previewAgain = step("Preview the change on east");
    assert.match(previewAgain, /\+ default\/nginx-set-1-west\W+action: ".*missing/);
    assert.deepEqual(
      [...new Set(previewAgain.match(/(default|shop)\/[\w-]+/g))].sort(),
      [1, 3, 4].map((pod) => `default/nginx-set-${pod}-west`).concat("default/nginx-svc-west"),
    );

    const scaled = step("Apply it");
    assert.deepEqual(clusterIps(scaled), [false, false, false, false, false, true]);
    assert.match(scaled, /hostname: nginx-set-4/);
    assertResolved(scaled, "nginx-set-4-west", "nginx-set-4.nginx-svc-west.default");

    assert.deepEqual(clusterIps(step("Take it all down")), []);
    const picture = await readFile(join(repository, "docs", "images", "demo.svg"), "utf8");
    const recorded = lasting(textsIn(picture).join("\n"));
    assert.ok(lasting(stdout).includes(recorded), `Run "npm run record".\n${recorded}\n${stdout}`);
    assert.doesNotMatch(stdout, /warning|error|\[urn=urn:/);
    assert.ok(!stdout.includes("\u001b"), "colors outside of a terminal");
    await assert.rejects(access(join(repository, "Pulumi.demo.yaml")), { code: "ENOENT" });
    assert.deepEqual(await foldersOf(pid), []);
  });

  soaked(
    "shows a federated Service come, lose a member and go, where the links lead to",
    async () => {
      const { code, stdout } = await finished(start("federated"));
      assert.equal(code, 0, stdout);
      const step = stepsOf(stdout);

      assert.match(step("Preview the changes"), /Service of bb@east, bb@north, local bb:/);
      const [west, ...others] = step("Look at west").split("East and north have none");
      assert.match(west ?? "", /remote-discovery: bb@east,bb@north\n/);
      assert.match(west ?? "", /local-discovery: bb\n/);
      assertResolved(west ?? "", "bb-federated", "bb-federated.mc-demo");
      assert.doesNotMatch(others.join(""), /bb-federated/);

      const preview = step("Preview the change on west");
      assert.match(preview, /remote-discovery: ".*bb@east,bb@north.* → .*bb@east.*"/);
      assert.match(preview, /~ 1 to update/);
      assert.match(preview, /west: federated Services ~1 \(~ mc-demo\/bb-federated\)/);
      assert.match(step("Apply it"), /remote-discovery: bb@east\n/);
      assert.doesNotMatch(step("Take it all down"), /bb-federated/);
    },
  );

  soaked("ends in one sentence and leaves nothing behind when it is interrupted", async () => {
    const demo = start();
    const ended = finished(demo);
    await printed(demo, "$ pulumi up");
    assert.equal((await foldersOf(demo.pid)).length, 1);
    demo.kill("SIGINT");
    const { code, stderr, pid } = await ended;
    assert.equal(code, 1);
    assert.match(stderr, /^\s*Interrupted: .*\n$/);
    assert.deepEqual(await foldersOf(pid), []);
  });

  soaked("keeps everything with --keep, until it is interrupted", async () => {
    const demo = start("statefulset", "--keep");
    const ended = finished(demo);
    const text = await printed(demo, "$ pulumi destroy");
    const lines = [...text.matchAll(/^ *(export .*)$/gm)].map(([, line]) => line);
    lines.push("pulumi preview --expect-no-changes");
    await execa("sh", ["-e", "-c", lines.join("\n")], { cwd: repository });
    demo.kill("SIGINT");
    const { code, pid } = await ended;
    assert.equal(code, 1);
    assert.deepEqual(await foldersOf(pid), []);
  });

  it("lists the scenarios when asked for an unknown one", async () => {
    const { code, stderr } = await finished(start("canary"));
    assert.equal(code, 1);
    assert.match(stderr, /^\s*There is no scenario "canary": choose .*statefulset.*\.\n$/);
  });
});

type Demo = ChildProcessByStdio<null, Readable, Readable>;

function start(...options: readonly string[]): Demo {
  return spawn(process.execPath, [join(repository, "scripts", "demo.ts"), ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Waits until the demo has printed these words, and returns all that it has printed. */
async function printed(demo: Demo, words: string): Promise<string> {
  let text = "";
  demo.stdout.on("data", (chunk) => (text += String(chunk)));
  await until(words, [], () => Promise.resolve(text.includes(words) || undefined), 300);
  return text;
}

async function finished(demo: Demo) {
  let [stdout, stderr] = ["", ""];
  demo.stdout.on("data", (chunk) => (stdout += String(chunk)));
  demo.stderr.on("data", (chunk) => (stderr += String(chunk)));
  const [code] = (await once(demo, "close")) as [number | null];
  return { code, stdout, stderr, pid: demo.pid };
}

function stepsOf(text: string): (title: string) => string {
  const steps = text.split(/^\d+\. /m);
  return (title) => steps.find((step) => step.startsWith(`${title}\n`)) ?? assert.fail(text);
}

/** Removes what differs from run to run, or only by the width of the screen. */
function lasting(text: string): string {
  return text
    .replaceAll(/^\d+\. /gm, "")
    .replaceAll(/\d+(?:\.\d+){3}/g, "<address>")
    .replaceAll(/\b\d+(?:\.\d+)?s\b/g, "<time>")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Returns for each mirror of nginx in a list of Services whether it is headless. */
function clusterIps(text: string): boolean[] {
  return [...text.matchAll(/nginx-\S+-west +ClusterIP +(\S+)/g)].map(([, ip]) => ip === "None");
}

/** Asserts that the name resolves to the ClusterIP in the list of Services. */
function assertResolved(text: string, service: string, name: string): void {
  const [, ip = ""] = new RegExp(` ${service} +ClusterIP +([\\d.]+) `).exec(text) ?? [];
  assert.notEqual(ip, "", text);
  assert.ok(text.includes(`${name}.svc.cluster.local\n   ${ip}\n`), text);
}

async function foldersOf(pid: number | undefined): Promise<string[]> {
  const prefix = `linkerd-multicluster-bed-${pid ?? ""}-`;
  return (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
}
