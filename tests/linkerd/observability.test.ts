import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import type { Documents } from "../../cli/documents.ts";
import { prometheusAt } from "../../cli/traffic/prometheus.ts";
import { type Bed, startBed, until } from "../bed/bed.ts";
import { linkerdImages } from "../bed/nodes/linkerd.ts";
import { environment } from "../bed/pulumi.ts";
import { type Config, newStack, type PulumiStack, repository } from "../bed/stack.ts";
import { observabilityImages, observabilityPrograms } from "./observability-images.ts";
import { proberImage } from "./prober-image.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { chartsFolder } from "./real-plugins.ts";
import { authorityOf } from "./traffic/asking.ts";
import { type Result, Stream, type Target } from "./traffic/stream.ts";
import {
  addAccount,
  addDeployment,
  addService,
  addShop,
  discovered,
  exported,
  member,
  streamsFolder,
} from "./traffic/workloads.ts";

const lacking = await lackingForMesh("linkerd", ...observabilityPrograms);
const prober = "bed.local/mesh-watch:1";
const names = ["west", "east"] as const;
const files = join(repository, "examples/prometheus");

/** Clients ask these all the time. */
const targets: readonly Target[] = [
  ...["web-west", "vault-west", "api-federated"].map((name) => {
    return { name, authority: authorityOf(name) };
  }),
  { name: "flaky", authority: authorityOf("web-west"), path: "/flaky" },
];

/** `status --traffic` looks back this many seconds. */
const window = 300;

/** Each test continues from the one before. */
describe(`what Prometheus and Linkerd-Viz say of mirrors${skipNoteOf(lacking)}`, function () {
  this.timeout("40m");

  let bed: Bed<"west" | "east"> | undefined;
  let stack: PulumiStack;
  let stream: Stream;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    const linkerds = await linkerdImages(chartsFolder);
    const version = linkerds[0]?.names[0]?.replace(/.*:/, "") ?? "";
    const images = [...linkerds, proberImage(prober), ...(await observabilityImages(version))];
    bed = await startBed({ clusters: names, runs: "nodes", nodes: { images } });
    const { west, east } = bed.clusters;
    await mkdir(streamsFolder(east));
    stream = await Stream.create(streamsFolder(east), "client");
    await bed.node("east").reachPods(bed.node("west"));
    for (const cluster of [west, east]) await addShop(cluster);
    stack = await newStack(bed, "observed", config());
    await up();
    for (const cluster of [west, east]) {
      await addDeployment(cluster, { name: "web", program: "server" });
      await addService(cluster, "api", "web", member);
    }
    for (const [name, labels] of [
      ["web", exported],
      ["silent", exported],
      ["vault", discovered],
    ] as const)
      await addService(west, name, "web", labels);
    await addAccount(east, "client");
    await addDeployment(east, { name: "client", program: "client", account: "client" });
    // With shorter intervals, fewer requests are missing before the first and after the last of them.
    const manifests = await readFile(join(files, "prometheus.yaml"), "utf8");
    await kubectlWith(manifests.replace(/(scrape_\w+): 10s/g, "$1: 2s"), "apply", "--filename=-");
    for (const cluster of names) await rolledOut(cluster, "shop");
    await up();
  });
  after(() => bed?.stop());

  it("needs the policy of the example for gateways and probers, and for nothing else", async () => {
    await rolledOut("east", "monitoring");
    const query = await prometheus();
    const isUp = async (job: string, value: number) => {
      const seen = await query(`up{job="${job}"}`);
      return (seen.length > 0 && seen.every((each) => each.value === value)) || undefined;
    };
    await until("metrics that are refused", [], () => isUp("linkerd-multicluster", 0), 180);
    await kubectl("apply", `--filename=${join(files, "policy.yaml")}`);
    await until("metrics of probers", [], () => isUp("linkerd-multicluster", 1), 180);
    await until("metrics of all proxies", [], () => isUp("linkerd-proxy", 1), 180);
    const [alive] = await query(`gateway_alive{target_cluster_name="west"}`);
    assert.equal(alive?.value, 1);
  });

  it("status --traffic says what clients counted, within 5 %", async () => {
    const query = await prometheus();
    const began = Date.now();
    for (const target of targets) await stream.add(target);
    const isOver = () => Promise.resolve(Date.now() - began > 120_000 || undefined);
    await until("two minutes of requests", [], isOver, 150);
    for (const { name } of targets) await stream.remove(name);
    const ended = Date.now() / 1000;
    const scraped = `min(timestamp(up{job="linkerd-proxy"})) > bool ${ended + 12}`;
    await until("the last requests", [], async () => (await query(scraped))[0]?.value || undefined);
    const { stdout } = await status("json");
    console.log((await status("table")).stdout);
    const sent = await results();
    const { traffic = [] } = (JSON.parse(stdout) as Documents["status"]).stacks[0] ?? {};
    for (const [mirror, ...names] of [
      ["shop/web-west", "web-west", "flaky"],
      ["shop/vault-west", "vault-west"],
      ["shop/api-federated", "api-federated"],
    ] as const) {
      const own = sent.filter(({ target }) => names.some((name) => name === target));
      const share = own.filter(({ problem }) => problem === undefined).length / own.length;
      const found = traffic.find((each) => each.mirror === mirror);
      const { requestsPerSecond = 0, successRate = 0, p50 = 0, p95 = 0, p99 = 0 } = found ?? {};
      const says = `${mirror}: ${requestsPerSecond * window} of ${own.length}, success ${successRate} of ${share}`;
      console.log(`      ${says}`);
      assert.ok(own.length > 200, says);
      assert.ok(Math.abs((requestsPerSecond * window) / own.length - 1) < 0.05, says);
      assert.ok(Math.abs(successRate - share) < 0.05, says);
      assert.ok(0 < p50 && p50 <= p95 && p95 <= p99, `${p50} ${p95} ${p99}`);
    }
    const silent = traffic.find(({ mirror }) => mirror === "shop/silent-west");
    assert.deepEqual(silent, { ...silent, requestsPerSecond: 0 });
  });

  it("all panels about proxies have data, those of Linkerd's dashboard for multicluster too", async () => {
    const query = await prometheus();
    const linkerds = await readFile(join(chartsFolder, "../dashboards/multicluster.json"), "utf8");
    const ours = await readFile(join(repository, "examples/watch/dashboard.json"), "utf8");
    const all = [...expressionsIn(linkerds), ...expressionsIn(ours)].filter((each) =>
      /response_|request_/.test(each),
    );
    assert.ok(all.length > 15);
    for (const target of targets) await stream.add(target);
    // Some ask for requests without TLS, of which there are none.
    for (const each of all.filter((each) => !each.includes('tls!="true"')))
      await until(each, [], async () => {
        const values = await query(each);
        return values.some(({ value }) => Number.isFinite(value)) || undefined;
      });
  });

  it("Linkerd-Viz is installed beside and passes its check, and its API knows mirrors", async () => {
    const { stdout: manifests } = await linkerd("viz", "install");
    await kubectlWith(manifests, "apply", "--filename=-");
    await rolledOut("east", "linkerd-viz");
    const check = await linkerd("viz", "check", "--wait=120s");
    assert.match(check.stdout, /Status check results are √/);
    const within = ["--namespace=shop", "--output=json"];
    for (const words of [
      ["stat", "service/web-west", ...within],
      ["stat", "deployment/client", "--to=service/web-west", ...within],
      ["stat-outbound", "deployment/client", ...within],
    ])
      await until(
        words.join(" "),
        [],
        async () => {
          const { stdout } = await linkerd("viz", ...words);
          return /"success(Rate)?": ?0\.[67]/.test(stdout) || undefined;
        },
        120,
      );
  });

  it("a gateway that is down shows as failures, although no request reaches an endpoint", async () => {
    const gateway = ["--namespace=linkerd-multicluster", "scale", "deployment/linkerd-gateway"];
    await kubectlOf("west", ...gateway, "--replicas=0");
    const query = await prometheus();
    const failing = `sum(rate(outbound_http_route_request_statuses_total{parent_name="web-west",error!=""}[1m]))`;
    await until("failures", [], async () => (await query(failing))[0]?.value || undefined, 120);
    assert.match((await status("table")).stdout, /down/);
  });

  function theBed() {
    if (bed === undefined) throw new Error("there is no bed");
    return bed;
  }

  const up = () => stack.pulumi("up", "--yes", "--skip-preview");
  const linkerd = (...words: readonly string[]) =>
    execa("linkerd", [...words, "--context=east"], { env: environment(theBed()), reject: false });
  const kubectl = (...words: readonly string[]) => kubectlOf("east", ...words);
  async function kubectlOf(cluster: "west" | "east", ...words: readonly string[]) {
    const env = environment(theBed());
    return (await execa("kubectl", [`--context=${cluster}`, ...words], { env })).stdout;
  }
  async function kubectlWith(input: string, ...words: readonly string[]) {
    const env = environment(theBed());
    await execa("kubectl", ["--context=east", ...words], { env, input });
  }
  const rolledOut = (cluster: "west" | "east", namespace: string) => {
    const words = ["rollout", "status", "deployment", `--namespace=${namespace}`];
    return kubectlOf(cluster, ...words, "--timeout=180s");
  };

  async function address(): Promise<string> {
    const words = ["get", "service", "prometheus", "--namespace=monitoring"];
    return `http://${await kubectl(...words, "--output=jsonpath={.spec.clusterIP}")}:9090`;
  }

  async function results(): Promise<readonly Result[]> {
    const lines = (await readFile(stream.resultsFile, "utf8")).trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Result);
  }

  const prometheus = async () => prometheusAt(new URL(await address()), undefined);

  async function status(output: "json" | "table") {
    const words = ["status", "--traffic", await address(), "--output", output];
    const env = { ...environment(theBed()), ...stack.settings };
    const program = join(repository, "cli/linkerd-clusters.mjs");
    return execa(process.execPath, [program, ...words], { env, reject: false });
  }
});

/** Lists the expressions of a dashboard's panels, with values for its variables. */
function expressionsIn(dashboard: string): readonly string[] {
  return [...dashboard.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, text = ""]) =>
    (JSON.parse(text) as string)
      .replaceAll("$__rate_interval", "1m")
      .replaceAll("$cluster", "west")
      .replaceAll("$target", "west|federated"),
  );
}

function config(): Config {
  return {
    manage: "all",
    clusters: { west: {}, east: { gateway: false } },
    links: [{ source: "east", target: "west", prober }],
    charts: { source: chartsFolder },
  };
}
