/** `npm run screenshots`: the pictures of the docs, from a mesh like the demo's on real clusters. */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  connect,
  type Kubernetes,
  processEnvironment,
  resources,
} from "@linkerd-multicluster/engine/kubernetes";
import { label } from "@linkerd-multicluster/engine/mirroring";
import { execa } from "execa";
import { chromium } from "playwright-core";
import { makeGateway, makeNamespaces, makeStatefulSet } from "../../demo/make.ts";
import { startBed } from "../../testbed/bed.ts";
import { environment } from "../../testbed/pulumi.ts";
import { newStack, repository } from "../../testbed/stack.ts";
import { browserPath, noBrowser } from "./browser.ts";

const pictures = join(repository, "docs", "images");
const most = 150_000;
const ports = [{ name: "http", port: 80 }];
const exported = { [label.exported]: "true" };
const flat = { [label.exported]: "remote-discovery" };
const member = { [label.federated]: "member" };

const executablePath = await browserPath();
if (executablePath === undefined) throw new Error(`There is ${noBrowser}.`);
const folder = await mkdtemp(join(tmpdir(), "screenshots-"));
const page = join(folder, "map.html");
await drawDemo();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
for (const [name, address, scheme] of [
  ["map", "", "light"],
  ["map-link", "#link/0", "dark"],
] as const) {
  const viewport = { width: 1280, height: 720 };
  const context = await browser.newContext({ colorScheme: scheme, viewport });
  const tab = await context.newPage();
  await tab.goto(pathToFileURL(page).href + address);
  const path = join(pictures, `${name}.png`);
  await tab.screenshot({ path });
  const { size } = await stat(path);
  process.stdout.write(`${path}: ${size} bytes\n`);
  if (size > most) throw new Error(`${path} has more than ${most} bytes.`);
}
await browser.close();
await rm(folder, { recursive: true });

/** Three clusters after an `up`, in which somebody has deleted a mirror and exported one more Service. */
async function drawDemo(): Promise<void> {
  const bed = await startBed({ clusters: ["west", "east", "north"] });
  try {
    const variables = environment(bed);
    const kube = { environment: { ...processEnvironment(), variables } };
    const [west, east, north] = await Promise.all([
      connect({ context: "west" }, "west", kube),
      connect({ context: "east" }, "east", kube),
      connect({ context: "north" }, "north", kube),
    ]);
    for (const cluster of [west, east, north]) await makeNamespaces(cluster, "shop", "mc-demo");
    await makeNamespaces(west, "payments", "data");
    await makeNamespaces(east, "data");
    await makeGateway(west, "192.0.2.10");
    await makeGateway(east, "192.0.2.20");
    await services(west, exported, "shop/web", "shop/cart", "shop/search", "payments/ledger");
    await services(east, exported, "shop/images", "shop/stock");
    await services(north, flat, "shop/recommendations");
    for (const cluster of [west, east, north]) await services(cluster, member, "mc-demo/bb");
    const set = { namespace: "data", name: "db", ports, labels: exported };
    await makeStatefulSet(west, set, { name: "db-set", replicas: 3 });
    const stack = await newStack(bed, "demo", {
      clusters: { west: {}, east: {}, north: {} },
      links: [
        { source: "east", target: "west", headless: true },
        { source: "west", target: "east" },
        { source: "east", target: "north", gateway: false },
        { source: "north", target: "west" },
      ],
      manage: "mirrors",
    });
    const { code, text } = await stack.run(["up", "--yes", "--skip-preview"]);
    if (code !== 0) throw new Error(text);
    await services(west, exported, "shop/checkout");
    await east.remove(resources.services, { namespace: "shop", name: "web-west" });
    const cwd = join(bed.folder, "stacks", "demo");
    const program = join(repository, "bin", "linkerd-clusters.mjs");
    await execa("node", [program, "map", "--preview", "--to", page], { cwd, env: variables });
  } finally {
    await bed.stop();
  }
}

/** Services alone: pods without Linkerd's proxy beside mirrors would be found. */
async function services(
  cluster: Kubernetes,
  labels: Readonly<Record<string, string>>,
  ...keys: readonly string[]
): Promise<void> {
  for (const key of keys) {
    const [namespace = "", name = ""] = key.split("/");
    const service = { metadata: { namespace, name, labels }, spec: { ports } };
    await cluster.create(resources.services, service);
  }
}
