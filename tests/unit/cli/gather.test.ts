import { deepEqual, equal, ok } from "node:assert/strict";
import { annotation, label } from "../../../engine/model/vocabulary.ts";
import { redacted } from "../../../cli/gather.ts";
import { explain } from "../../../cli/views/explain.ts";
import { explanationText } from "../../../cli/views/explanation-text.ts";
import { type Facts, printableTexts } from "../../../cli/facts/facts.ts";
import { written } from "../../../cli/output.ts";
import { statusOf, statusTable } from "../../../cli/views/status.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { serverWith } from "../../simulation/contents.ts";
import { endpoints, exported, exporting, pods } from "../fixtures/objects.ts";
import { Mesh } from "./mesh.ts";

describe("a support bundle", () => {
  let facts: Facts;
  before(async () => {
    facts = await (await new Mesh().up()).facts();
  });

  it("names annotations and labels that differ, without their values", async () => {
    const mesh = await new Mesh().up();
    const selector = { matchExpressions: [{ key: "team", operator: "Exists" }] } as const;
    mesh.configure("west", { selector, copiedMetadata: ["*"] });
    const metadata = {
      annotations: { "example.com/key": "canary-1; label e: canary-2" },
      labels: { team: "canary-3", [label.exported]: "true" },
    };
    const { west, east } = mesh.clusters;
    ok(west !== undefined);
    mesh.clusters.west = serverWith(
      exporting("west", [exported("shop/web", metadata)], {
        endpoints: [endpoints("shop/web", [pods([""])])],
      }),
    );
    const client = await east.client();
    const key = { namespace: "shop", name: "web-west" };
    const live = await client.get(resources.endpoints, key);
    const labels = { ...live.metadata.labels, [label.cluster]: "west" };
    const annotations = { [annotation.remoteName]: "canary-4" };
    const changed = { ...live, metadata: { ...live.metadata, labels, annotations } };
    await client.replace(resources.endpoints, changed);
    const bundle = redacted(await mesh.facts());
    const text = JSON.stringify(bundle) + statusTable(statusOf(bundle));
    ok(!text.includes("canary"), /.{80}canary.{20}/.exec(text)?.[0]);
    const { fields = [] } = bundle.mirrors.find(({ mirror }) => mirror === "shop/web-west") ?? {};
    deepEqual(
      fields.filter((field) => /team|key|svc-fq-name/.test(field)),
      [
        "label team",
        "annotation example.com/key",
        "endpoints label team",
        "endpoints annotation mirror.linkerd.io/remote-svc-fq-name (set by linkerd-multicluster)",
      ],
    );
  });

  it("keeps the keys of selectors, and values for Linkerd's keys alone", () => {
    const exports = "mirror.linkerd.io/exported=true";
    const selectors = {
      mirror: `${exports},team=canary,!gone`,
      discovery: "tier in (canary,b),app.kubernetes.io/part-of notin (canary),there",
      federated: "mirror.linkerd.io/federated in (member,b)",
    };
    const links = facts.links.map((each) => ({ ...each, selectors }));
    deepEqual(redacted({ ...facts, links }).links[0]?.selectors, {
      mirror: `${exports},team=…,!gone`,
      discovery: "tier in …,app.kubernetes.io/part-of notin …,there",
      federated: "mirror.linkerd.io/federated in (member,b)",
    });
  });

  it("leaves out user names and passwords in URLs", () => {
    const why = "https://user:canary@host refuses";
    const next = facts.next.map((each) => ({ ...each, unknown: why }));
    const text = JSON.stringify(redacted({ ...facts, next }));
    ok(!text.includes("canary"), text);
    ok(text.includes("https://…@host refuses"));
  });

  it("keeps all other facts", () => {
    deepEqual(JSON.parse(JSON.stringify(redacted(facts))), JSON.parse(JSON.stringify(facts)));
  });
});

describe("control characters", () => {
  const escapes = "\u001B]0;owned\u0007\u001B[2J\u009B31m\u202E";

  it("are replaced in everything that clusters return", async () => {
    const mesh = await new Mesh().up();
    const client = await mesh.clusters.east.client();
    const key = { namespace: "shop", name: "bb-federated" };
    const live = await client.get(resources.services, key);
    const { annotations = {} } = live.metadata;
    const members = `${annotations[annotation.remoteMembers] ?? ""},x@other${escapes}`;
    await client.replace(resources.services, {
      ...live,
      metadata: {
        ...live.metadata,
        annotations: { ...annotations, [annotation.remoteMembers]: members },
      },
    });
    const facts = await mesh.facts();
    const { members: named = [] } = facts.mirrors.find(({ kind }) => kind === "federated") ?? {};
    ok(named.some((each) => each.startsWith("x@other?")));
    const texts = [
      written(facts, "json", () => ""),
      written(facts, "yaml", () => ""),
      statusTable(statusOf(facts)),
      explanationText(explain(facts, "shop/bb")),
    ];
    for (const text of texts) equal(/[\p{Cc}\p{Cf}]/u.test(text.replaceAll("\n", "")), false);
  });

  it("are replaced in a bundle from somebody else", () => {
    equal(/\\u001b|\u202E/.test(JSON.stringify(printableTexts({ [escapes]: [escapes] }))), false);
  });
});
