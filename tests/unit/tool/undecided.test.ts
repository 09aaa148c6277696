import { deepEqual, match } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FailureKind } from "../../../engine/kubernetes/client/failure.ts";
import { reportTable } from "../../../engine/health/report.ts";
import { allAnswered, verificationOf, verificationText } from "../../../tool/answers.ts";
import { commandLine } from "../../../tool/command-line.ts";
import type { Facts } from "../../../tool/facts.ts";
import { statusOf } from "../../../tool/status.ts";
import { mirrorsToAsk } from "../../../tool/verify.ts";
import { serverWith } from "../../simulation/contents.ts";
import { cluster, endpoints, exported, exporting, pods, service } from "../fixtures/objects.ts";
import { Mesh } from "./mesh.ts";

/** What keeps the run from deciding about the link east/west after a first run. */
interface Situation {
  readonly name: string;
  readonly happens: (mesh: Mesh) => void;
  readonly why: RegExp;
  /** Whether the mirrors can still be read. */
  readonly isSourceRead: boolean;
}

function refuse({ clusters: { west } }: Mesh, how: FailureKind): void {
  if (west !== undefined) west.refuse = () => how;
}

const ready = { endpoints: [endpoints("shop/web", [pods(["", ""])])] };

const situations: readonly Situation[] = [
  {
    name: "a guard holds it",
    happens: (mesh) => {
      mesh.configure("west", { maxDeletions: 0 });
      mesh.clusters.west = serverWith(exporting("west", [service("shop/web")], ready));
    },
    why: /link east\/west would delete 1 of its 1 mirror on east, and maxDeletions \(0\) allows 0/,
    isSourceRead: true,
  },
  {
    name: "its target is unreachable",
    happens: (mesh) => {
      refuse(mesh, "unreachable");
    },
    why: /cluster west can't be reached|west.*(?:does not respond|ECONN|reset|unreachable)/,
    isSourceRead: true,
  },
  {
    name: "its target's credentials are refused",
    happens: (mesh) => {
      refuse(mesh, "forbidden");
    },
    why: /west/,
    isSourceRead: true,
  },
  {
    name: "its target is another cluster than before",
    happens: (mesh) => {
      const other = cluster("west", { services: [exported("shop/web")] });
      mesh.clusters.west = serverWith({ ...other, identity: "another" });
    },
    why: /west .*another/,
    isSourceRead: true,
  },
  {
    name: "its gateway is not known",
    happens: (mesh) => {
      const services = [exported("shop/web"), exported("payments/ledger")];
      mesh.clusters.west = serverWith(cluster("west", { services, ...ready }));
    },
    why: /gateway/,
    isSourceRead: true,
  },
  {
    name: "its source is refused",
    happens: (mesh) => {
      mesh.clusters.east.refuse = () => "forbidden";
    },
    why: /east/,
    isSourceRead: false,
  },
];

describe("what could not be decided", () => {
  const folder = mkdtempSync(join(tmpdir(), "undecided-"));
  after(() => {
    rmSync(folder, { recursive: true });
  });

  /** What a command prints of the facts, and how it exits. */
  async function command(facts: Facts, ...words: readonly string[]) {
    writeFileSync(
      join(folder, "status.json"),
      JSON.stringify({ version: 1, stacks: [statusOf(facts)] }),
    );
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

  for (const { name, happens, why, isSourceRead } of situations)
    describe(`because ${name}`, () => {
      let facts: Facts;
      before(async () => {
        const mesh = await (await new Mesh().up()).up();
        happens(mesh);
        facts = await mesh.facts();
      });

      it("is among the facts, with the mirrors that are there", () => {
        const mirrors = facts.mirrors.flatMap(({ mirror, verdict, service, undecided = "" }) =>
          mirror === "shop/web-west" ? [[verdict, service, why.test(undecided)]] : [],
        );
        deepEqual(mirrors, isSourceRead ? [["keep", "shop/web", true]] : []);
      });

      it("is a finding of check", () => {
        const { health } = facts;
        match(reportTable(health), why);
        deepEqual(health.healthy, false);
      });

      it("is said by status", async () => {
        const { code, text } = await command(facts, "status");
        deepEqual(code, 1);
        match(text, /^prod: DEGRADED/);
        match(text.split("Problems")[1] ?? "", why);
      });

      for (const asked of ["shop/web", "shop/web-west"])
        it(`is said by explain ${asked}`, async () => {
          const { code, text } = await command(facts, "explain", asked);
          deepEqual(code, 1);
          match(text, why);
          if (isSourceRead) match(text, /shop\/web-west \(unchanged\): gateway mirror of web/);
        });

      it("is said by whatif, which counts the mirrors that are there", async () => {
        const { code, text } = await command(facts, "whatif", "--lose", "west");
        deepEqual(code, 1);
        match(text, why);
        if (isSourceRead) match(text, /east: shop\/web-west: unavailable/);
      });

      it("is said by verify, which asks the mirrors that are there", () => {
        const [asked] = mirrorsToAsk(facts, undefined);
        deepEqual(asked?.mirror?.mirror, isSourceRead ? "shop/web-west" : undefined);
        const found = verificationOf(facts, [{ source: "east", part: "west", answered: true }]);
        deepEqual(allAnswered(found), false);
        match(verificationText(found), why);
      });
    });

  it("is nothing where everything could be", async () => {
    const facts = await (await (await new Mesh().up()).up()).facts();
    deepEqual(
      [
        facts.mirrors.filter(({ undecided }) => undecided !== undefined),
        (await command(facts, "status")).code,
        (await command(facts, "explain", "shop/web")).code,
        (await command(facts, "whatif", "--lose", "west")).code,
        allAnswered(verificationOf(facts, [{ source: "east", part: "west", answered: true }])),
      ],
      [[], 0, 0, 0, true],
    );
  });
});
