import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { prometheusAt, type Sample } from "../../../cli/traffic/prometheus.ts";
import { prometheusesOf } from "../../../cli/traffic/sources.ts";
import { trafficOf } from "../../../cli/traffic/traffic.ts";
import { trafficTable } from "../../../cli/views/traffic-table.ts";
import { factsOf, link, mirror } from "./made-facts.ts";

const facts = factsOf({
  links: [link("east", "west"), link("east", "north", { mode: "flat" })],
  mirrors: [
    mirror("east", "west", "shop/web-west"),
    mirror("east", "west", "shop/docs-west"),
    mirror("east", "west", "shop/new-west", { verdict: "create" }),
    mirror("east", "west", "shop/nginx-svc-west", { kind: "headless" }),
    mirror("east", "west", "linkerd-multicluster/ping-west", { kind: "probe" }),
    mirror("east", "north", "shop/vault-north"),
    mirror("east", "federated", "shop/api-federated"),
    mirror("south", "west", "shop/web-west"),
  ],
});

/** Requests in five minutes, as proxies count them. */
function requests(name: string, value: number, labels: Sample["labels"] = {}): Sample {
  return { labels: { parent_namespace: "shop", parent_name: name, ...labels }, value };
}

function latencies(name: string, buckets: Readonly<Record<string, number>>): readonly Sample[] {
  const authority = `${name}.shop.svc.cluster.local:80`;
  return Object.entries(buckets).map(([le, value]) => ({ labels: { authority, le }, value }));
}

const east = (counted: readonly Sample[], times: readonly Sample[] = []) =>
  trafficOf(
    facts,
    new Map([["east", (asked) => Promise.resolve(/latency/.test(asked) ? times : counted)]]),
  );

describe("traffic", () => {
  it("is the requests of each mirror, and their sum for each link", async () => {
    const found = await east([
      requests("web-west", 270, { http_status: "200" }),
      requests("web-west", 30, { http_status: "503" }),
      requests("vault-north", 300, { http_status: "404" }),
      requests("web", 900, { http_status: "500" }),
      requests("ping-west", 900, { parent_namespace: "linkerd-multicluster", http_status: "200" }),
    ]);
    deepEqual(
      found.map(({ source, part, mirror: key, requestsPerSecond, successRate }) => [
        ...[source, part, key, requestsPerSecond, successRate],
      ]),
      [
        ["east", "west", undefined, 1, 0.9],
        ["east", "west", "shop/web-west", 1, 0.9],
        ["east", "west", "shop/docs-west", 0, undefined],
        ["east", "north", undefined, 1, 1],
        ["east", "north", "shop/vault-north", 1, 1],
        ["east", "federated", undefined, 0, undefined],
        ["east", "federated", "shop/api-federated", 0, undefined],
      ],
    );
  });

  it("is what others' routes send to a mirror too, and what it is asked for itself only once", async () => {
    const backend = { backend_namespace: "shop", backend_name: "web-west", http_status: "200" };
    const [sum] = await east([
      requests("web-west", 30, { error: "LOAD_SHED" }),
      requests("web-west", 60, { http_status: "200" }),
      requests("web-west", 60, backend),
      requests("cart", 210, backend),
    ]);
    deepEqual([sum?.requestsPerSecond, sum?.successRate], [1, 0.9]);
  });

  it("counts as failed what linkerd viz does", async () => {
    for (const [labels, successRate] of [
      [{ http_status: "499" }, 1],
      [{ http_status: "500" }, 0],
      [{ error: "FAIL_FAST" }, 0],
      [{ grpc_status: "OK" }, 1],
      [{ grpc_status: "NOT_FOUND" }, 0],
    ] as const) {
      const [sum] = await east([requests("web-west", 1, labels)]);
      equal(sum?.successRate, successRate, JSON.stringify(labels));
    }
  });

  it("interpolates latencies within their buckets, also of a whole link", async () => {
    const counted = [requests("web-west", 200), requests("docs-west", 200)];
    const found = await east(counted, [
      ...latencies("web-west", { "10": 0, "20": 100, "50": 100, "+Inf": 100 }),
      ...latencies("docs-west", { "10": 0, "20": 0, "50": 96, "+Inf": 100 }),
      ...latencies("web", { "10": 900, "+Inf": 900 }),
    ]);
    const [sum, web, docs] = found.map(({ p50, p95, p99 }) => [p50, p95, p99]);
    deepEqual(web, [15, 19.5, 19.9]);
    // The last bucket has no end.
    deepEqual(docs, [20 + (30 * 50) / 96, 20 + (30 * 95) / 96, 50]);
    deepEqual(sum, [20, 20 + (30 * 90) / 96, 50]);
  });

  it("is an error that says what to do, if Prometheus has none of these metrics", async () => {
    await rejects(
      east([]),
      /no requests of Linkerd's proxies in east in 5 minutes: let it scrape them/,
    );
  });

  it("is a table with the most failures first, which names mirrors without requests", async () => {
    const found = await east(
      [
        requests("docs-west", 300, { http_status: "200" }),
        requests("web-west", 3, { http_status: "200" }),
        requests("web-west", 3, { error: "FAIL_FAST" }),
        requests("vault-north", 600, { http_status: "200" }),
      ],
      latencies("docs-west", { "5": 300, "+Inf": 300 }),
    );
    equal(
      trafficTable(found),
      `  TRAFFIC, 5 MINUTES  REQUESTS/S  SUCCESS   P50   P95   P99
  east → west         1.02        99.02 %   3 ms  5 ms  5 ms
    shop/web-west     0.02        50.00 %   -     -     -
    shop/docs-west    1.00        100.00 %  3 ms  5 ms  5 ms
  east → north        2.00        100.00 %  -     -     -
    shop/vault-north  2.00        100.00 %  -     -     -
  east → federated    0.00        -         -     -     -
  no requests for east/shop/api-federated: if they have clients, check that Prometheus scrapes the clients' proxies
`,
    );
  });
});

it("traffic: a table counts the mirrors of a link after the first ten", () => {
  const rows = Array.from({ length: 12 }, (_, index) => ({
    source: "east",
    part: "west",
    mirror: `shop/web${index}-west`,
    requestsPerSecond: 1,
    successRate: index / 12,
  }));
  const sum = { source: "east", part: "west", requestsPerSecond: 12, successRate: 0.5 };
  const lines = trafficTable([sum, ...rows]).split("\n");
  match(lines[2] ?? "", /^ {4}shop\/web0-west +1\.00 +0\.00 %/);
  deepEqual([lines.length, lines[12]], [14, "    and 2 more"]);
});

describe("the Prometheus of --traffic", () => {
  const authorization = "Bearer canary-of-a-token";
  let server: Server;
  let url: URL;
  let answer: readonly [status: number, text: string] = [200, ""];
  /** The connection ends within the answer. */
  let isCut = false;
  const asked: { path?: string | undefined; authorization?: string | undefined }[] = [];

  before(async () => {
    server = createServer(({ url: path, headers }, response) => {
      asked.push({ path, authorization: headers.authorization });
      response.writeHead(answer[0], isCut ? { "content-length": 1000 } : {});
      if (isCut) response.write(answer[1], () => response.destroy());
      else response.end(answer[1]);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/prom/?tenant=mesh`);
  });
  after(() => server.close());

  it("is asked below its path, with the credential of the environment", async () => {
    const value = [1_700_000_000.1, "2.5"];
    const result = [{ metric: { le: "1" }, value }];
    answer = [200, JSON.stringify({ status: "success", data: { resultType: "vector", result } })];
    deepEqual(await prometheusAt(url, authorization)("up{a}"), [
      { labels: { le: "1" }, value: 2.5 },
    ]);
    deepEqual(asked, [{ path: "/prom/api/v1/query?tenant=mesh&query=up%7Ba%7D", authorization }]);
  });

  const html = "<html>canary-of-a-token</html>";
  const failures: readonly (readonly [number, string, RegExp])[] = [
    [401, html, /refuses to answer \(HTTP status 401\): set LINKERD_CLUSTERS_PROMETHEUS_AUTH/],
    [403, html, /refuses to answer \(HTTP status 403\)/],
    [404, html, /doesn't answer as the HTTP API of Prometheus does \(HTTP status 404\): name the/],
    [200, html, /doesn't answer as the HTTP API of Prometheus does \(HTTP status 200\)/],
    [200, `{"data":{"result":[{}]}}`, /doesn't answer as the HTTP API/],
  ];
  for (const [status, text, why] of failures)
    it(`answers ${status} ${text}, which becomes one sentence without a credential`, async () => {
      answer = [status, text];
      await rejects(prometheusAt(url, authorization)("up"), ({ message }: Error) => {
        match(message, why);
        return !/canary|tenant|\n/.test(message);
      });
    });

  it("may break off within an answer, which is one sentence too", async () => {
    [answer, isCut] = [[200, html], true];
    await rejects(prometheusAt(url, authorization)("up"), ({ message }: Error) => {
      match(
        message,
        /^the Prometheus of --traffic, 127\.0\.0\.1:\d+, can't be reached \(\w+\): check/,
      );
      return !message.includes("canary");
    }).finally(() => (isCut = false));
  });

  it("has values that are no numbers, which count as if they were missing", async () => {
    const values = ["NaN", "+Inf", "-Inf", "3"];
    const result = values.map((value) => ({ metric: {}, value: [1, value] }));
    answer = [200, JSON.stringify({ data: { result } })];
    deepEqual(await prometheusAt(url, undefined)("up"), [{ labels: {}, value: 3 }]);
  });

  it("may be unreachable, or have a header that can't be sent", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    await rejects(prometheusAt(new URL(`http://127.0.0.1:${port}/canary`), undefined)("up"), {
      message: `the Prometheus of --traffic, 127.0.0.1:${port}, can't be reached (ECONNREFUSED): check its address and that this machine may connect to it`,
    });
    for (const value of ["Bearer\ncanary", "Bearer canary–"])
      throws(() => prometheusAt(url, value), {
        message:
          "LINKERD_CLUSTERS_PROMETHEUS_AUTHORIZATION has a character that a header can't have, such as the end of a line: set it to one line of ASCII",
      });
  });

  it("belongs to the only source, or to the one that is named", () => {
    deepEqual([...prometheusesOf(["http://prometheus:9090"], facts, {}).keys()], ["east"]);
    const two = { links: [...facts.links, link("south", "west")] };
    const values = ["east=http://one:9090/a=b", "south=https://two"];
    deepEqual([...prometheusesOf(values, two, {}).keys()], ["east", "south"]);
    throws(
      () => prometheusesOf(["east=http://one", "east=http://other"], two, {}),
      /no more than one Prometheus for each source/,
    );
    for (const value of ["http://one", "west=http://one"])
      throws(
        () => prometheusesOf([value], two, {}),
        /say which source's proxies a Prometheus has \(east, south\), as in --traffic east=http/,
      );
  });

  it("is named by a URL without a credential, and no message quotes it", () => {
    for (const [value, why] of [
      ["prometheus:9090", /name the URL of a Prometheus, such as/],
      ["file:///canary", /name the URL of a Prometheus, such as/],
      ["http://canary:canary@prometheus", /set LINKERD_CLUSTERS_PROMETHEUS_AUTHORIZATION to/],
      ["east=http://canary@prometheus", /leave credentials out of the URL/],
    ] as const)
      throws(
        () => prometheusesOf([value], facts, {}),
        ({ message }: Error) => {
          match(message, why);
          ok(!message.includes("canary"));
          return true;
        },
      );
  });
});
