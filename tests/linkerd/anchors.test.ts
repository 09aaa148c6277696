import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";

import { stringify } from "yaml";

import type { HealthReport } from "@linkerd-multicluster/engine/health";
import { type Bed, startBed, until } from "../bed/bed.ts";
import { linkerdImages } from "../bed/nodes/linkerd.ts";
import type { Config } from "../bed/stack.ts";
import { blocksIn, type Clone, cloneFor } from "../e2e/typed-page.ts";
import { authority, issuerUnder } from "../unit/trust/certificates.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { chartsFolder } from "./real-plugins.ts";
import { assertNoneFailed, Stream, summaryOf, tallyOf } from "./traffic/stream.ts";
import {
  addDeployment,
  addService,
  addShop,
  discovered,
  exported,
  streamsFolder,
} from "./traffic/workloads.ts";

const lacking = await lackingForMesh("helm", "step");

type Name = "west" | "east";
const names = ["west", "east"] as const;
const shop = "--namespace shop";
const multicluster = "--namespace linkerd-multicluster";
const gateway = `deployment/linkerd-gateway ${multicluster}`;
const published = "linkerd-control-plane --repo https://helm.linkerd.io/edge --version 2026.8.3";

const page = blocksIn("docs/guides/anchors.md").filter(({ language }) => language === "sh");
const [compare = "", joined = "", give = "", restart = "", gateways = ""] = page.map(({ body }) =>
  body.replace(published, `${chartsFolder}/linkerd-control-plane`),
);
const tree = blocksIn("docs/guides/troubleshoot.md").map(({ body }) => body);
const gatewayPods = tree.find((body) => body.includes("app=linkerd-gateway")) ?? "";

interface Fault {
  readonly inject: string | ((bed: Bed<Name>) => Promise<unknown>);
  readonly repair: string | ((bed: Bed<Name>) => Promise<unknown>);
  /** The checks of the question that have × then. */
  readonly check: string;
}

const chain = "type filter hook prerouting priority -300; tcp dport { 4143, 4191 } drop;";

/** The questions of the tree at which these faults end. Each fault is the only one. */
const questions: Readonly<Record<string, Fault>> = {
  "Do the mirrors exist?": {
    inject: `kubectl --context east ${shop} delete service web-west`,
    repair: "pulumi up --stack prod",
    check: "mirrors-in-order",
  },
  "has it an address": {
    inject: `kubectl --context west scale ${gateway} --replicas 0`,
    repair: `kubectl --context west scale ${gateway} --replicas 1`,
    check: "gateway-alive",
  },
  "does `east` reach it?": {
    inject: (bed) =>
      bed
        .node("west")
        .run(["nft", "-f", "-"], `table inet faults {\nchain input { ${chain} }\n}\n`),
    repair: (bed) => bed.node("west").run(["nft", "delete", "table", "inet", "faults"]),
    check: "gateway-alive",
  },
  "can `east` watch `west`?": {
    inject: `kubectl --context west ${multicluster} delete secrets --all`,
    repair: "pulumi up --stack prod --refresh",
    check: "credentials-work",
  },
};

/** Types docs/guides/anchors.md, and the tree of docs/guides/troubleshoot.md. Each test continues from the one before. */
describe(`clusters with different trust anchors${skipNoteOf(lacking)}`, function () {
  this.timeout("40m");

  let bed: Bed<Name> | undefined;
  let stream: Stream;
  let clone: Clone;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    const images = await linkerdImages(chartsFolder);
    bed = await startBed({ clusters: names, runs: "nodes", nodes: { images } });
    const { west, east } = bed.clusters;
    // Destinations that are discovered need a flat network.
    await bed.node("east").reachPods(bed.node("west"));
    clone = await cloneFor(bed, "anchors");
    for (const name of names) await installLinkerd(name);
    await mkdir(streamsFolder(east));
    stream = await Stream.create(streamsFolder(east), "client");
    for (const name of names) {
      await addShop(bed.clusters[name]);
      await addDeployment(bed.clusters[name], { name: "web", program: "server" });
    }
    await addService(west, "web", "web", exported);
    await addService(west, "vault", "web", discovered);
    await addService(east, "own", "web", {});
    await addDeployment(east, { name: "client", program: "client" });
    for (const name of names)
      await clone.succeeds(`kubectl --context ${name} ${shop} rollout status deployment`);
    await stream.add({ name: "own", authority: "own.shop.svc.cluster.local" });
    await stream.answered("own");
    await clone.succeeds("npm link");
    await clone.write("Pulumi.prod.yaml", stackFile());
    await clone.succeeds("pulumi stack init prod");
  });
  after(() => bed?.stop());

  it("are linked and mirrored, but the run fails and says why, and so do the page's comparison and requests", async () => {
    const { code, output } = await clone.type("pulumi up --stack prod");
    assert.notEqual(code, 0, output);
    assert.match(output, /have no valid trust anchor in common/);
    assert.match(await clone.succeeds("kubectl --context east get services -A"), /web-west/);
    const [west, east] = await compared();
    assert.ok(west?.length === 1 && east?.length === 1 && west[0] !== east[0]);
    for (const name of ["web-west", "vault-west"]) {
      await stream.add({ name, authority: `${name}.shop.svc.cluster.local` });
      await stream.failed(name);
    }
    const failing = await failedChecks();
    assert.ok(failing.includes("trust-anchors-shared") && failing.includes("issuers-trusted"));
  });

  it("trust each other after the page's four steps, during which their own requests don't fail", async () => {
    const tallies = await stream.during(async () => {
      const anchors = await clone.succeeds(joined);
      assert.equal(anchors.trim().split("\n").length, 2, anchors);
      for (const lines of [give, restart]) await clone.succeeds(lines);
      for (const name of names) {
        for (const namespace of ["linkerd", "shop"])
          await clone.succeeds(
            `kubectl --context ${name} -n ${namespace} rollout status deployment`,
          );
      }
      await clone.succeeds(gateways);
      for (const name of names)
        await clone.succeeds(`kubectl --context ${name} ${multicluster} rollout status deployment`);
    });
    for (const line of summaryOf(tallies)) console.log(`      ${line}`);
    assertNoneFailed(tallies, "web-west", "vault-west");
    assert.deepEqual(await failedChecks(), []);
    const [west, east] = await compared();
    assert.deepEqual(west, east);
    for (const name of ["web-west", "vault-west"]) {
      await stream.settled(name);
      assert.deepEqual([...tallyOf(await stream.next(20), name).clusters.keys()], ["west"]);
    }
    await clone.succeeds("pulumi up --stack prod");
  });

  for (const [question, { inject, repair, check }] of Object.entries(questions))
    it(`end at the question "${question}" if it is answered no`, async () => {
      assert.ok(tree.length > 0);
      await does(inject);
      try {
        await until(`an error of ${check}`, [], async () => {
          return (await failedChecks()).includes(check) || undefined;
        });
        if (question === "has it an address")
          assert.doesNotMatch((await clone.type(gatewayPods)).output, /Running/);
      } finally {
        await does(repair);
      }
      await until("no errors", [], async () => (await failedChecks()).length === 0 || undefined);
      if (question === "has it an address")
        assert.match((await clone.type(gatewayPods)).output, /1\/1|2\/2/);
    });

  async function does(action: Fault["inject"]): Promise<void> {
    if (bed === undefined) throw new Error("there is no bed");
    await (typeof action === "string" ? clone.succeeds(action) : action(bed));
  }

  /** Installs Linkerd as Helm's users do, with an anchor of the cluster's own. */
  async function installLinkerd(name: Name): Promise<void> {
    const anchor = authority();
    const issuer = issuerUnder(anchor);
    const files = { "ca.crt": anchor.pem, "issuer.crt": issuer.pem, "issuer.key": issuer.keyPem };
    for (const [file, text] of Object.entries(files)) await clone.write(`${name}-${file}`, text);
    const values = { gateway: { enabled: name === "west" }, localServiceMirror: { replicas: 0 } };
    await clone.write(`${name}-values.yaml`, stringify(values));
    const own = `--kube-context ${name} --create-namespace`;
    const certificates = `--set-file identityTrustAnchorsPEM=${name}-ca.crt,identity.issuer.tls.crtPEM=${name}-issuer.crt,identity.issuer.tls.keyPEM=${name}-issuer.key`;
    for (const line of [
      `helm install linkerd-crds ${chartsFolder}/linkerd-crds -n linkerd ${own} --set installGatewayAPI=true`,
      `helm install linkerd-control-plane ${chartsFolder}/linkerd-control-plane -n linkerd ${own} ${certificates} --wait`,
      // No registry has the image of the hook, which labels the namespace.
      `helm install linkerd-multicluster --no-hooks ${chartsFolder}/linkerd-multicluster -n linkerd-multicluster ${own} -f ${name}-values.yaml --wait`,
      `kubectl --context ${name} label namespace linkerd-multicluster linkerd.io/extension=multicluster`,
    ])
      await clone.succeeds(line);
  }

  /** Returns the fingerprints of each cluster's anchors, as the page's comparison prints them. */
  async function compared(): Promise<readonly (readonly string[])[]> {
    const output = await clone.succeeds(compare);
    console.log(output);
    return output
      .split(/^(?:west|east)$/m)
      .slice(1)
      .map((each) => each.trim().split("\n"));
  }

  async function failedChecks(): Promise<readonly string[]> {
    const { output } = await clone.type("linkerd-clusters check --stack prod --output json");
    const { groups } = JSON.parse(output) as HealthReport;
    const checks = groups.flatMap((group) => group.checks);
    return checks.filter(({ result }) => result === "error").map(({ id }) => id);
  }
});

function stackFile(): string {
  const config: Config = {
    manage: "links",
    clusters: { west: {}, east: { gateway: false } },
    links: [{ source: "east", target: "west", gatewayProbe: true }],
  };
  const own = Object.entries<unknown>(config).map(
    ([key, value]) => [`linkerd-multicluster:${key}`, value] as const,
  );
  return stringify({ config: Object.fromEntries(own) });
}
