import { deepEqual, equal, match } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FailureKind } from "../../../engine/kubernetes/client/failure.ts";
import { allAnswered, verificationText } from "../../../cli/verify/answers.ts";
import { checkTable } from "../../../cli/check.ts";
import { commandLine } from "../../../cli/main.ts";
import { type Facts, undecidedIn } from "../../../cli/facts/facts.ts";
import { statusOf } from "../../../cli/views/status.ts";
import { mirrorsToAsk } from "../../../cli/verify/mirrors-to-ask.ts";
import { serverWith } from "../../simulation/contents.ts";
import { endpoints, exporting, pods, service } from "../fixtures/objects.ts";
import { factsOf } from "./made-facts.ts";
import { Mesh } from "./mesh.ts";

const ready = { endpoints: [endpoints("shop/web", [pods(["", ""])])] };

function refuse(name: "west" | "east", how: FailureKind) {
  return ({ clusters }: Mesh) => {
    const server = clusters[name];
    if (server !== undefined) server.refuse = () => how;
  };
}

/** Returns the facts of the mesh after two runs and something that keeps a third one from deciding about east/west. */
async function factsAfter(happens: (mesh: Mesh) => void): Promise<Facts> {
  const mesh = await (await new Mesh().up()).up();
  happens(mesh);
  return mesh.facts();
}

describe("an undecided link", () => {
  const causes: Readonly<Record<string, { happens: (mesh: Mesh) => void; why: RegExp }>> = {
    "a guard holds it": {
      happens: (mesh) => {
        mesh.configure("west", { maxDeletions: 0 });
        mesh.clusters.west = serverWith(exporting("west", [service("shop/web")], ready));
      },
      why: /link east → west would delete 1 of its 1 mirror on east, and maxDeletions \(0\) allows 0/,
    },
    "its target is unreachable": { happens: refuse("west", "unreachable"), why: /west/ },
    "the kubeconfig lacks another target": {
      happens: ({ clusters }) => {
        delete clusters.north;
      },
      why: /no context north/,
    },
  };
  for (const [what, { happens, why }] of Object.entries(causes))
    it(`keeps its mirrors and fails check with the reason if ${what}`, async () => {
      const facts = await factsAfter(happens);
      const web = facts.mirrors.find(({ mirror }) => mirror === "shop/web-west");
      deepEqual([web?.verdict, web?.service], ["keep", "shop/web"]);
      match(web?.undecided ?? "", why);
      match(checkTable(facts.health), why);
      equal(facts.health.healthy, false);
    });

  it("has no mirrors in the facts if its source can't be read", async () => {
    const { mirrors, health } = await factsAfter(refuse("east", "forbidden"));
    deepEqual(mirrors, []);
    match(checkTable(health), /east/);
  });
});

describe("a command", () => {
  const folder = mkdtempSync(join(tmpdir(), "undecided-"));
  let facts: Facts;
  before(async () => {
    facts = await factsAfter(refuse("west", "unreachable"));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  async function run(of: readonly Facts[], ...words: readonly string[]) {
    const document = { version: 1, stacks: of.map(statusOf) };
    writeFileSync(join(folder, "status.json"), JSON.stringify(document));
    const printed: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    const { exitCode } = process;
    process.stdout.write = (text) => {
      printed.push(String(text));
      return true;
    };
    try {
      await commandLine().parseAsync([...words, "--from", folder], { from: "user" });
      return { code: process.exitCode ?? 0, text: printed.join("") };
    } finally {
      process.stdout.write = write;
      process.exitCode = exitCode;
    }
  }

  const commands = [
    [["status"], /^prod: degraded[^]*Problems[^]*west/],
    [["explain", "shop/web-west"], /west[^]*shop\/web-west \(unchanged\): gateway mirror of web/],
    [["whatif", "--lose", "west"], /east: shop\/web-west: unavailable[^]*undecided: .*west/],
  ] as const;

  const answers = [{ source: "east", part: "west", answered: true }];

  for (const [words, text] of commands)
    it(`${words[0]} shows what is undecided and exits with 1`, async () => {
      const found = await run([facts], ...words);
      deepEqual(found.code, 1);
      match(found.text, text);
    });

  it("verify sends requests to undecided mirrors too, and still fails", () => {
    deepEqual(mirrorsToAsk(facts, {})[0]?.mirror?.mirror, "shop/web-west");
    const found = { version: 1, answers, ...undecidedIn(facts) } as const;
    deepEqual(allAnswered(found), false);
    match(verificationText(found), /undecided: .*west/);
  });

  it("exits with 0 if everything is decided", async () => {
    const decided = await factsAfter(() => undefined);
    for (const [words] of commands) deepEqual((await run([decided], ...words)).code, 0, words[0]);
    deepEqual(allAnswered({ version: 1, answers, ...undecidedIn(decided) }), true);
  });

  it("explain shows only the stacks that have the Service", async () => {
    const decided = await factsAfter(() => undefined);
    const other = factsOf({ stack: "other" });
    const { code, text } = await run([decided, other, decided], "explain", "shop/web");
    deepEqual([code, text.match(/^shop\/web in west$/gm)?.length], [0, 2]);
    match((await run([other, other], "explain", "shop/web")).text, /^No cluster [^\n]+\n$/);
  });
});
