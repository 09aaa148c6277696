import { deepEqual, equal, match } from "node:assert/strict";
import { answerIn, requestsText } from "../../../tool/answers.ts";
import { clientPod, echoMirror, mirrorsToAsk } from "../../../tool/probe.ts";
import { factsOf, link, mirror } from "./facts.ts";

/** What the client's pod writes, as its script does. */
const message = (result: string, metrics: string, text: string) =>
  `${result}\n--8<--\n${metrics}\n--8<--\n${text}`;

const outbound = (more: string) =>
  `tcp_open_total{direction="outbound",peer="dst",target_addr="203.0.113.1:4143",tls="true",${more}} 1`;

describe("verify --request", () => {
  it("asks one mirror of each link, or that of a Service, but none of single pods or of several clusters", () => {
    const facts = factsOf({
      links: [link("east", "west"), link("east", "north")],
      mirrors: [
        mirror("east", "west", "shop/db-0-west", { kind: "endpoint" }),
        mirror("east", "west", "shop/coming-west", { verdict: "create" }),
        mirror("east", "west", "shop/web-west"),
        mirror("east", "west", "shop/api-west"),
        mirror("east", "federated", "shop/bb-federated", { kind: "federated" }),
      ],
    });
    const asked = (service?: string) =>
      mirrorsToAsk(facts, service).map((each) => [each.link.target, each.mirror?.mirror]);
    deepEqual(asked(), [
      ["west", "shop/web-west"],
      ["north", undefined],
    ]);
    deepEqual(asked("shop/api")[0], ["west", "shop/api-west"]);
    deepEqual(asked("shop/api-west")[0], ["west", "shop/api-west"]);
  });

  it("has a pod that a namespace with the profile restricted takes, and that ends", () => {
    const args = { name: "x", namespace: "shop", image: "curl:1", seconds: 60 };
    const { metadata, spec } = clientPod(args, "http://web/", { limit: 55, retries: 0 });
    equal(metadata.annotations["linkerd.io/inject"], "enabled");
    equal(spec.activeDeadlineSeconds, 60);
    equal(spec.automountServiceAccountToken, false);
    // As words of their own, which no shell reads.
    deepEqual((spec.containers[0] as { command?: string[] }).command?.slice(-3), [
      ...["http://web/", "55", "0"],
    ]);
  });

  it("reads who has answered, how soon, and to whom the client's proxy has connected", () => {
    const metrics = [
      outbound(`server_id="policy.linkerd"`),
      outbound(`server_id="gateway.west",dst_target_cluster="west"`),
    ].join("\n");
    const answer = answerIn(message("200 0.012345 ", metrics, "hello"));
    deepEqual(answer, {
      ...{ answered: true, status: 200, milliseconds: 12 },
      connected: { identity: "gateway.west", address: "203.0.113.1:4143", cluster: "west" },
    });
    const asked = { source: "east", target: "west", service: "shop/web-west", port: 80 };
    match(
      requestsText({ version: 1, answers: [{ ...asked, ...answer }] }),
      /east <- west: shop\/web-west:80: 200 in 12 ms\n +connected to gateway\.west \(203\.0\.113\.1:4143, for west\)\n/,
    );
  });

  it("tells an answer of the other side from a proxy's, and from none", () => {
    deepEqual(answerIn(message("404 0.01 ", "", "nothing here")), {
      ...{ answered: true, status: 404, milliseconds: 10 },
    });
    deepEqual(answerIn(message("502 0.01 connect timed out after 1s", "", "")), {
      ...{ answered: false, status: 502, milliseconds: 10 },
      why: "a proxy answers 502: connect timed out after 1s",
    });
    const refused = answerIn(message("000 0.00 ", "", "curl: (7) Failed to connect"));
    deepEqual(refused, { answered: false, why: "curl: (7) Failed to connect" });
    deepEqual(answerIn(""), { answered: false, why: "the pod said nothing" });
  });

  it("reads by whom an echo workload was asked, in JSON or as plain headers", () => {
    const seen = (text: string) => answerIn(message("200 0.01 ", "", text)).seen;
    deepEqual(seen(`{"headers":{"l5d-client-id":"gateway.west","x":1}}`), {
      identity: "gateway.west",
    });
    deepEqual(
      seen("L5d-Client-Id: gateway.west\nForwarded: by=a;for=other;host=b, by=c;for=client.shop\n"),
      { identity: "gateway.west", client: "client.shop" },
    );
    equal(seen("hello"), undefined);
  });

  it("leads to an echo workload as a mirror does, without being one", () => {
    const at = { addresses: ["203.0.113.1"], port: 4143, identity: "gw.west" };
    const west = link("east", "west", { gateway: { state: "open", ...at } });
    const own = { name: "echo", namespace: "shop" };
    const behind = echoMirror(west, own, 80, "c.local");
    equal(behind.service.metadata.name, "echo-west");
    equal("mirror.linkerd.io/mirrored-service" in behind.service.metadata.labels, false);
    deepEqual(behind.endpoints?.metadata.annotations, {
      "mirror.linkerd.io/remote-svc-fq-name": "echo.shop.svc.c.local",
      "mirror.linkerd.io/remote-gateway-identity": "gw.west",
    });
    deepEqual(behind.endpoints.subsets[0]?.ports[0]?.port, 4143);
    const flat = echoMirror(link("east", "north", { mode: "flat" }), own, 80, "c.local");
    equal(flat.endpoints, undefined);
    const { labels } = flat.service.metadata;
    equal(labels["multicluster.linkerd.io/remote-discovery" as keyof typeof labels], "north");
    equal(labels["multicluster.linkerd.io/remote-service" as keyof typeof labels], "echo");
  });
});
