import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { createInterface } from "node:readline";

import { execa } from "execa";

import { type Bed, startBed, until } from "../bed/bed.ts";
import { lackingForNodes } from "../bed/nodes/kit.ts";
import { environment } from "../bed/pulumi.ts";

const lacking = await lackingForNodes();
const skipNote = lacking.length === 0 ? "" : `, skipped: ${lacking.join("; ")}`;
const settings = ["vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops"];

describe(`the test bed's nodes${skipNote}`, function () {
  this.timeout("20m");

  let bed: Bed<"west" | "east"> | undefined;
  let settingsBefore: readonly string[] = [];

  before(async function () {
    if (lacking.length > 0) return this.skip();
    settingsBefore = await settingsOfMachine();
    bed = await startBed({ clusters: ["west", "east"], runs: "nodes" });
    await kubectl(
      "west",
      "create",
      "deployment",
      "web",
      "--image=bed.local/nginx:1",
      "--replicas=2",
    );
    await kubectl("west", "expose", "deployment", "web", "--port=80", "--type=LoadBalancer");
    for (const cluster of ["west", "east"] as const)
      await kubectl(cluster, "run", "curl", "--image=bed.local/curl:1", ...idle);
  });
  after(() => bed?.stop());

  it("run pods that resolve each other's names and have logs", async () => {
    assert.match(await curl("west", "http://web.default.svc.cluster.local"), /Welcome to nginx!/);
    assert.match(await kubectl("west", "logs", "deployment/coredns", "-n=kube-system"), /CoreDNS/);
  });

  it("let pods of another cluster reach load balancers, but no pods or Services", async () => {
    const [service, pod] = await Promise.all([
      kubectl("west", "get", "service", "web", "-o=jsonpath={.spec.clusterIP}"),
      kubectl("west", "get", "pods", "-l=app=web", "-o=jsonpath={.items[0].status.podIP}"),
    ]);
    assert.match(await curl("east", `http://${theBed().node("west").balancer}`), /Welcome/);
    for (const address of [service, pod]) await assert.rejects(curl("east", `http://${address}`));
  });

  it("have no route out, and leave the machine's settings unchanged", async () => {
    assert.doesNotMatch(await theBed().node("west").run(["ip", "route"]), /default/);
    const { stdout } = await execa("ip", ["route", "get", "10.100.0.1"]);
    assert.match(stdout, / via 10\.250\.0\.11 dev nodes /);
    assert.deepEqual(await settingsOfMachine(), settingsBefore);
  });

  it("leave nothing behind when their process is killed", async () => {
    await bed?.stop();
    const owner = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [folder] = (await once(createInterface(owner.stdout), "line")) as [string];
    assert.ok((await leftOf(folder)).length > 0);
    owner.kill("SIGKILL");
    await until(
      "the end of the nodes",
      [],
      async () => (await leftOf(folder)).length === 0 || undefined,
    );
    assert.equal(networkInterfaces()["nodes"], undefined);
  });

  function theBed(): Bed<"west" | "east"> {
    if (bed === undefined) throw new Error("there is no bed");
    return bed;
  }

  async function kubectl(cluster: "west" | "east", ...words: readonly string[]): Promise<string> {
    const env = environment(theBed());
    return (await execa("kubectl", [`--context=${cluster}`, ...words], { env })).stdout;
  }

  /** Waits for the pods, and sends a request from the pod curl. */
  async function curl(cluster: "west" | "east", url: string): Promise<string> {
    for (const name of ["pod/curl", ...(cluster === "west" ? ["deployment/web"] : [])]) {
      const condition = name.startsWith("pod") ? "Ready" : "Available";
      await kubectl(cluster, "wait", `--for=condition=${condition}`, name, "--timeout=90s");
    }
    return kubectl(cluster, "exec", "curl", "--", "curl", "-sSf", "--max-time", "3", url);
  }
});

const idle = ["--command", "--", "sleep", "infinity"];

const program = `
  import { startBed } from ${JSON.stringify(import.meta.resolve("../bed/bed.ts"))};
  const bed = await startBed({ clusters: ["west"], runs: "nodes" });
  console.log(bed.folder);
  setInterval(() => undefined, 1000);
`;

async function settingsOfMachine(): Promise<readonly string[]> {
  return Promise.all(settings.map((name) => readFile(`/proc/sys/${name}`, "utf8")));
}

/** Returns processes, mounts and control groups that name the bed's folder. */
async function leftOf(folder: string): Promise<readonly string[]> {
  const name = folder.replace(/.*\//, "");
  const words = ["ps -A -ww -o args=", "cat /proc/mounts", "find /sys/fs/cgroup -type d"];
  const lists = await Promise.all(
    words.map((each) => execa("sh", ["-c", each], { reject: false })),
  );
  return lists.flatMap(({ stdout }) => stdout.split("\n").filter((line) => line.includes(name)));
}
