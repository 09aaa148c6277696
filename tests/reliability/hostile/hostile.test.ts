import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readTarget } from "../../../engine/credentials/target.ts";
import { checkToken } from "../../../engine/credentials/token-check.ts";
import { reportTable } from "../../../engine/health/report.ts";
import { checkMesh } from "../../../engine/health/run.ts";
import { observeMesh } from "../../../engine/health/observe/observe.ts";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import { openClusters } from "../../../engine/kubernetes/preflight.ts";
import { refusedAddress } from "../../../engine/mirroring/model/gateway-addresses.ts";
import { processEnvironment } from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { trespasses, writesTo } from "../../simulation/outcome.ts";
import { noOpenssl } from "../../unit/kubernetes/certificate.ts";
import { count } from "../effort.ts";
import { HostileMesh, type Told } from "./mesh.ts";
import { falseAnswersOf } from "./false-answers.ts";
import { HostileServer } from "./server.ts";

/** Milliseconds that an operation may take here, where calls are given 400 and lists a second. */
const patience = 6_000;

describe(`an API server that has been taken over${noOpenssl ? " (skipped: no openssl on PATH)" : ""}`, () => {
  let other: HostileServer;
  let mesh: HostileMesh;

  before(async function () {
    if (noOpenssl) return this.skip();
    mesh = await HostileMesh.start();
    other = await HostileServer.start(mesh.server("north"), "other");
  });

  after(async () => {
    if (noOpenssl) return;
    await mesh.stop();
    await other.stop();
  });

  beforeEach(() => {
    mesh.west.falseAnswer = () => false;
    mesh.west.asked.length = 0;
  });

  // The address of the other server is known only once it runs.
  for (const name of Object.keys(falseAnswersOf("")))
    it(`answers with ${name}`, async () => {
      const honest = await mesh.run("up");
      equal(honest.failure, undefined);
      const before = new Set(mesh.server("east").all("services").keys());
      for (const server of mesh.servers.values()) server.journal.length = 0;
      const falseAnswer = falseAnswersOf(other.url)[name];
      ok(falseAnswer !== undefined);
      mesh.west.falseAnswer = falseAnswer;
      for (const operation of ["preview", "up"] as const) {
        const told = await inTime(mesh.run(operation));
        expectWords(told);
        count("falseAnswers told");
      }
      const [target, token, mistakes, report] = await inTime(
        Promise.all([observeTarget(mesh), tryToken(mesh), preflight(mesh), health(mesh)]),
      );
      for (const said of [target, token, ...mistakes]) ok(isPrintable(said), said);
      equal(report.match(/^Status: /gm)?.length, 1, report);
      for (const line of report.split("\n")) ok(isPrintable(line), line);
      count("falseAnswers told", 4);
      expectWrites(mesh, before);
      // Nobody else has been told the token.
      deepEqual(other.asked, []);
    });

  it("affects its own links alone", async () => {
    equal((await mesh.run("up")).failure, undefined);
    mesh.west.falseAnswer = (_, response) => {
      response.writeHead(200);
      response.end("{}");
      return true;
    };
    mesh.server("north").put("services", {
      metadata: {
        namespace: "shop",
        name: "new",
        labels: { "mirror.linkerd.io/exported": "true" },
      },
      spec: { ports: [{ name: "http", port: 80 }] },
    });
    await mesh.run("up");
    ok(mesh.server("east").get("services", "shop/new-north") !== undefined);
    ok(mesh.server("east").get("services", "shop/web-west") !== undefined);
  });
});

async function inTime<T>(work: Promise<T>): Promise<T> {
  const start = performance.now();
  const done = await work;
  const took = performance.now() - start;
  ok(took < patience, `it took ${Math.round(took)} ms`);
  return done;
}

function isPrintable(text: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) && !text.includes("token-of-west");
}

function expectWords({ failure, lines, state }: Told): void {
  const told = [...(failure?.split("\n") ?? []), ...lines];
  for (const line of told) {
    ok(isPrintable(line), line);
    ok(!/TypeError|RangeError|\bat \S+ \(/.test(line), line);
    ok(line.length < 4_000, `${line.length} characters`);
  }
  ok(!state.includes("token-of-west"));
  // As a preview shows it, and JSON has no other way to write what a terminal obeys.
  ok(!/\\u00[0189]|[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/.test(state), state);
}

/** Nothing but mirrors is written, no more than the link may have, and none that leads to where it must not. */
function expectWrites(mesh: HostileMesh, before: ReadonlySet<string>): void {
  const east = mesh.server("east");
  for (const server of mesh.servers.values()) deepEqual(trespasses(server), []);
  for (const name of ["west", "north"]) deepEqual(writesTo(mesh.server(name)), []);
  for (const line of writesTo(east)) match(line, /^\w+ (services|endpoints) shop\/[a-z0-9-]+$/);
  deepEqual(
    [...before].filter((key) => !east.all("services").has(key)),
    [],
  );
  const mirrors = [...east.all("services").keys()].filter((key) => key.endsWith("-west"));
  ok(mirrors.length <= 20, `${mirrors.length} mirrors`);
  for (const [key, service] of east.all("services")) {
    const members = service.metadata.annotations?.["multicluster.linkerd.io/remote-discovery"];
    if (members !== undefined) equal(members, "cart@west,cart@north", key);
  }
  for (const [key, { subsets = [] }] of east.all("endpoints") as ReadonlyMap<string, Addressed>)
    if (key.endsWith("web-west"))
      for (const { ip } of subsets.flatMap(({ addresses = [] }) => addresses))
        equal(refusedAddress(ip), undefined, key);
}

interface Addressed {
  readonly subsets?: readonly { readonly addresses?: readonly { readonly ip: string }[] }[];
}

/** What a link is told of its target, as text. */
async function observeTarget(mesh: HostileMesh): Promise<string> {
  const access = mesh.args.clusters["west"] ?? { context: "west" };
  const client = await connect(access, "west", mesh.connecting);
  try {
    const reading = await readTarget(
      {
        ...{ source: "east", target: "west", access, targetDomain: "cluster.local" },
        ...{ apiServer: "https://west.example.com", rotation: { generation: 1 } },
        ...{ linkerdNamespace: "linkerd", multiclusterNamespace: "linkerd-multicluster" },
        gateway: { namespace: "linkerd-multicluster", name: "linkerd-gateway" },
      },
      undefined,
      {
        client: () => Promise.resolve(client),
        now: () => new Date(),
        environment: processEnvironment(),
      },
    );
    return JSON.stringify(reading);
  } finally {
    await client.close();
  }
}

/** What comes of trying a token, as a sentence. */
async function tryToken(mesh: HostileMesh): Promise<string> {
  const access = mesh.args.clusters["west"] ?? { context: "west" };
  const open = (token?: string) =>
    connect(token === undefined ? access : { ...access, token }, "west", mesh.connecting);
  const runner = await open();
  const args = {
    target: "west",
    access,
    namespace: "linkerd-multicluster",
    account: "a",
    secret: "s",
    rules: [],
  };
  try {
    await checkToken(args, {
      runner: () => Promise.resolve(runner),
      bearer: open,
      polling: { within: 0, every: 1 },
    });
    return "";
  } catch (error) {
    return messageOf(error);
  } finally {
    await runner.close();
  }
}

/** The mistakes that a run with Linkerd's resources would begin with. */
async function preflight(mesh: HostileMesh): Promise<readonly string[]> {
  const accesses = new Map(Object.entries(mesh.args.clusters));
  const opened = await openClusters(accesses, (access, name) =>
    connect(access, name, mesh.connecting),
  );
  const whys = [...opened.clusters.values()].flatMap((one) => ("why" in one ? [one.why] : []));
  await opened.close();
  return [...opened.mistakes, ...whys];
}

/** What `npm run check` prints. */
async function health(mesh: HostileMesh): Promise<string> {
  const report = await checkMesh(
    {
      ...{
        manage: "links",
        linkerdNamespace: "linkerd",
        multiclusterNamespace: "linkerd-multicluster",
      },
      clusters: mesh.args.clusters,
      links: mesh.args.links.map((link) => ({ link, mirroring: "pulumi" })),
    },
    { within: 0, every: 1 },
    (asked, now) => observeMesh(asked, now, mesh.connecting),
  );
  return reportTable(report);
}

/** A sentence, and no mistake of the program's own. */
function messageOf(error: unknown): string {
  if (error instanceof TypeError || error instanceof RangeError || !(error instanceof Error))
    throw error;
  return error.message;
}
