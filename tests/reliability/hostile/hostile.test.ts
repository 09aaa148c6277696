import { deepEqual, equal, match, ok } from "node:assert/strict";
import { identityOf } from "../../../components/clusters.ts";
import { preflight } from "../../../components/preflight.ts";
import { checkIdentity } from "../../../engine/credentials/cluster-identity.ts";
import { readTarget } from "../../../engine/credentials/target.ts";
import { checkToken } from "../../../engine/credentials/token-check.ts";
import { checkTable } from "../../../cli/check.ts";
import { checkMesh } from "../../../engine/health/check-mesh.ts";
import { observeMesh } from "../../../engine/health/observe-mesh.ts";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import { omitUndefined } from "../../../engine/base/omit-undefined.ts";
import { systemTime } from "../../../engine/kubernetes/client/retry.ts";
import { Clusters } from "../../../engine/reading/clusters.ts";
import { refusedAddress } from "../../../engine/gateway/addresses.ts";
import { type Declared, withWholeLinks } from "../../../engine/model/declared.ts";
import type { MirrorsArgs } from "../../../engine/model/state.ts";
import { type Ended, Mesh } from "../../simulation/mesh.ts";
import { trespasses, writesTo } from "../../simulation/outcome.ts";
import { configOf } from "../../unit/config/table.ts";
import { putServices, scale } from "../../simulation/contents.ts";
import { exported, gatewayService, headless, member } from "../../unit/fixtures/objects.ts";
import { count } from "../effort.ts";
import { falseAnswersOf } from "./false-answers.ts";
import { HostileServer } from "./server.ts";

/** Milliseconds that an operation may take, with the time-outs below. */
const patience = 6_000;

/** Time-outs for servers on this machine, and limits that are quickly reached. */
const options = {
  connections: 4,
  connectTimeout: 1_000,
  requestTimeout: 150,
  listTimeout: 1_000,
  retry: {
    working: { attempts: 2, within: 400 },
    connecting: { attempts: 1, within: 300 },
    backoff: { first: 1, longest: 5 },
  },
  sizeLimits: { answer: 2 ** 20, items: 2_000, list: 2 ** 22 },
  time: systemTime,
};

/** East mirrors from west, which is hostile, and from north, which is not. */
const mesh = new Mesh(["east", "west", "north"], {});

describe("a compromised API server", () => {
  const west = new HostileServer(mesh.server("west"));
  const other = new HostileServer(mesh.server("north"));

  before(async () => {
    await other.start();
    mesh.config = {
      clusters: { east: {}, north: {}, west: { kubeconfig: await west.start() } },
      links: [
        { source: "east", target: "west", headless: true, maxMirrors: 20, allowDeletions: true },
        { source: "east", target: "north", headless: true },
      ],
    };
    mesh.server("east").put("namespaces", { metadata: { name: "shop" } });
    for (const name of ["west", "north"]) {
      putServices(mesh.server(name), gatewayService(name), exported("shop/web"));
      putServices(mesh.server(name), headless("shop/db"), member("shop/cart"));
      scale(mesh.server(name), "db", 1);
    }
    // With the usual time-outs, the first run sees everything. A member that it misses would join later, behind the
    // others.
    mesh.options = { time: systemTime };
    equal((await mesh.up()).failure, undefined);
  });

  after(async () => {
    await west.stop();
    await other.stop();
  });

  beforeEach(() => {
    mesh.options = options;
    west.falseAnswer = () => false;
  });

  for (const [name, falseAnswer] of Object.entries(falseAnswersOf(() => other.url)))
    it(`answers with ${name}`, async () => {
      const honest = await mesh.up();
      equal(honest.failure, undefined);
      const before = new Set(mesh.server("east").all("services").keys());
      for (const server of mesh.servers.values()) server.journal.length = 0;
      west.falseAnswer = falseAnswer;
      for (const operation of ["preview", "up"] as const) {
        expectWords(await inTime(mesh[operation]()));
        count("false answers tried");
      }
      const [target, token, first, report] = await inTime(
        Promise.all([observeTarget(), tryToken(), preflights(), health()]),
      );
      for (const said of [target, token, ...first]) ok(isPrintable(said), said);
      equal(report.match(/^Status: /gm)?.length, 1, report);
      for (const line of report.split("\n")) ok(isPrintable(line), line);
      count("false answers tried", 6);
      expectWrites(before);
      // The redirect must not have sent the token to another server.
      deepEqual(other.asked, []);
    });

  it("affects only its own links", async () => {
    equal((await mesh.up()).failure, undefined);
    west.falseAnswer = (_, response) => {
      response.writeHead(200);
      response.end("{}");
      return true;
    };
    putServices(mesh.server("north"), exported("shop/new"));
    await mesh.up();
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

function expectWords({ failure, lines, steps }: Ended): void {
  const state = JSON.stringify([steps, [...mesh.engine.state]]);
  const told = [...(failure?.split("\n") ?? []), ...lines];
  for (const line of told) {
    ok(isPrintable(line), line);
    ok(!/TypeError|RangeError|\bat \S+ \(/.test(line), line);
    ok(line.length < 4_000, `${line.length} characters`);
  }
  ok(!state.includes("token-of-west"));
  // A preview shows the state, and JSON escapes what a terminal obeys.
  ok(!/\\u00[0189]|[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/.test(state), state);
}

/** A run writes only mirrors, no more than the link allows, and none with a forbidden address. */
function expectWrites(before: ReadonlySet<string>): void {
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

const link = { source: "east", target: "west" };
const namespaces = { linkerdNamespace: "linkerd", multiclusterNamespace: "linkerd-multicluster" };

/** Returns what the program knows of the clusters, and how a new process connects. */
function known() {
  const wanted = mesh.wanted().get("east") as unknown as Declared<MirrorsArgs>;
  const { clusters, links } = withWholeLinks(wanted);
  const { west: access = { context: "west" } } = clusters;
  const connecting = mesh.connecting();
  const open = (token?: string) =>
    connect(token === undefined ? access : { ...access, token }, "west", connecting);
  return { clusters, links, access, connecting, open };
}

/** Returns what a link learns about its target. */
async function observeTarget(): Promise<string> {
  const { access, open } = known();
  const client = await open();
  const args = {
    ...link,
    ...namespaces,
    access,
    targetDomain: "cluster.local",
    apiServer: "https://west.example.com",
    rotation: { generation: 1 },
    gateway: { namespace: "linkerd-multicluster", name: "linkerd-gateway" },
  };
  const reading = await readTarget(args, undefined, {
    now: () => new Date(),
    client: () => Promise.resolve(client),
    source: () => Promise.resolve(client),
    lookup: {
      resolve: () => Promise.reject(new Error("no DNS")),
      own: () => Promise.resolve(undefined),
    },
  }).finally(() => client.close());
  return JSON.stringify(reading);
}

/** Returns the error of trying a token. */
async function tryToken(): Promise<string> {
  const { access, open } = known();
  const runner = await open();
  const account = { namespace: "linkerd-multicluster", account: "a", secret: "s", rules: [] };
  const clients = { runner: () => Promise.resolve(runner), bearer: open };
  return checkToken({ target: "west", access, ...account }, { ...clients, polling })
    .then(() => "", messageOf)
    .finally(() => runner.close());
}

const polling = { within: 0, every: 1 };

/** Returns what a stack that manages more than mirrors says first. It must get that far. */
async function preflights(): Promise<readonly string[]> {
  const { clusters, connecting, open: west } = known();
  const open = () => west();
  const said = (["links", "all", "trust"] as const).map(async (manage) => {
    const links = manage === "trust" ? [] : mesh.config.links;
    const config = configOf({ manage, clusters, links });
    const seen = await preflight(config, new Clusters(connecting));
    const { refused, warnings, trust } = seen;
    const wrong = [...refused.keys()];
    for (const [cluster, { context }] of Object.entries(clusters)) {
      const news = { cluster, context, ...omitUndefined(identityOf(cluster, seen)) };
      const judged = await checkIdentity({ uid: `uid-of-${cluster}` }, news, open);
      if (judged.inputs.refused !== undefined) wrong.push(cluster);
    }
    deepEqual(
      wrong.filter((name) => name !== "west"),
      [],
    );
    const whys = [...trust.values()].map((one) => ("why" in one ? one.why : ""));
    return [...refused.values(), ...warnings, ...whys];
  });
  return (await Promise.all(said)).flat();
}

/** Returns the output of `linkerd-clusters check`. */
async function health(): Promise<string> {
  const { clusters, links: all, connecting } = known();
  const links = all.map((each) => ({ link: each, mirroring: "pulumi" as const }));
  const asked = { manage: "links" as const, ...namespaces, clusters, links };
  const report = await checkMesh(asked, polling, (what, now) => observeMesh(what, now, connecting));
  return checkTable(report, true);
}

/** Returns the message of an error that isn't a bug. */
function messageOf(error: unknown): string {
  if (error instanceof TypeError || error instanceof RangeError || !(error instanceof Error))
    throw error;
  return error.message;
}
