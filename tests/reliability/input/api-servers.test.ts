import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Answer } from "../../simulation/answering-dispatcher.ts";
import type { Fault, Seen } from "../../simulation/faults.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { putServices, scale } from "../../simulation/contents.ts";
import {
  exported,
  gatewayService,
  headless,
  linkObject,
  member,
} from "../../unit/fixtures/objects.ts";
import { count, repeated } from "../effort.ts";
import { hostile, type Json, jsonOf, mutate } from "./hostile.ts";

let first: Promise<Mesh> | undefined;

async function settled(): Promise<Mesh> {
  first ??= settle();
  return (await first).copy();
}

async function settle(): Promise<Mesh> {
  const mesh = new Mesh(["east", "west", "north"], {
    clusters: { east: {}, west: {}, north: {} },
    links: [
      { source: "east", target: "west", headless: true },
      { source: "east", target: "north" },
    ],
  });
  const [east, west, north] = [mesh.server("east"), mesh.server("west"), mesh.server("north")];
  putServices(east, member("shop/bb"));
  for (const target of ["west", "north"]) east.put("links", linkObject(target, {}));
  putServices(west, gatewayService("west"), exported("shop/web", { annotations: { team: "a" } }));
  putServices(west, headless("shop/db"), member("shop/bb"), exported("shop/other"));
  scale(west, "db", 2);
  putServices(north, gatewayService("north"), exported("shop/good"));
  equal((await mesh.up()).failure, undefined);
  for (const server of mesh.servers.values()) server.journal.length = 0;
  return mesh;
}

/** Changes the items of a list in place, or returns another answer. */
type Alter = (plural: string, items: Json[]) => { readonly answer: Json } | undefined;

/** Returns what a run says if that cluster answers with changed lists. */
async function run(mesh: Mesh, cluster: string, alter: Alter): Promise<readonly string[]> {
  const refused: string[] = [];
  const plan =
    (name: string) =>
    ({ method, path }: Seen): Fault | undefined => {
      if (method === "GET")
        return name === cluster ? { alter: (answer) => altered(answer, path, alter) } : undefined;
      if (!/^[-\w/.?=&%]+$/.test(path)) refused.push(path);
      const noted = (answer: Answer) => {
        if ([400, 422].includes(answer.status)) refused.push(answer.body);
        return answer;
      };
      return { alter: noted };
    };
  const { failure = "", lines, steps } = await mesh.up(plan);
  deepEqual(refused, [], "what was written, Kubernetes would refuse");
  const shown = JSON.stringify([steps, [...mesh.engine.state]]);
  ok(!unprintable.test(shown), `not printable: ${shown}`);
  const said = [...failure.split("\n"), ...lines];
  for (const sentence of said) ok(!unprintable.test(sentence) && sentence.length < 4_000, sentence);
  return said;
}

const unprintable = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

function altered(answer: Answer, path: string, alter: Alter): Answer {
  // The answer for a kind that isn't served is a text.
  if (answer.status !== 200) return answer;
  const list = JSON.parse(answer.body) as { readonly items?: Json[] };
  if (list.items === undefined) return answer;
  const other = alter(/(\w+)\?/.exec(path)?.[1] ?? "", list.items);
  return { ...answer, body: jsonOf(other === undefined ? list : other.answer) };
}

const plurals = ["services", "endpoints", "namespaces", "links", "statefulsets"] as const;
const names = fc.constantFrom<Json>(
  ...["web/x@evil,admin@north", "a@b", "a,b", "../x", "web ", "Web", "web.x", "", "1web", null, 7],
  ..."x".repeat(64).split(" "),
);
const mutation = fc.record({
  plural: fc.constantFrom(...plurals, "services", "endpoints"),
  item: fc.nat(),
  at: fc.nat(),
  how: fc.constantFrom("replace", "replace", "replace", "item", "remove", "add", "answer", "many"),
  key: fc.constantFrom("name", "__proto__", "a b", "namespace", "labels", "annotations", "ports"),
  value: fc.oneof({ weight: 4, arbitrary: hostile }, names),
});
const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });

function mutated(all: typeof mutations extends fc.Arbitrary<infer All> ? All : never): Alter {
  return (plural, items) => {
    for (const { item, how, value, ...rest } of all.filter((each) => each.plural === plural)) {
      const index = item % Math.max(1, items.length);
      if (how === "answer") return { answer: value };
      if (how === "item") items[index] = value;
      else if (how === "many")
        items.push(...new Array<Json>(jsonOf(value).length > 500 ? 1 : 300).fill(value));
      else mutate(items[index], { ...rest, how, value });
    }
    return undefined;
  };
}

describe("bad input from API servers", () => {
  it("any answer of a target leads to sentences and no malformed write, and other links continue", async () => {
    await fc.assert(
      fc.asyncProperty(mutations, async (all) => {
        count("inputs");
        const mesh = await settled();
        putServices(mesh.server("north"), exported("shop/new"));
        const said = await run(mesh, "west", mutated(all));
        // A valid new name means that the former Service is gone, which may stop a run.
        ok(
          mesh.server("east").get("services", "shop/new-north") !== undefined ||
            said.some((sentence) => /would delete|same cluster|another cluster/.test(sentence)),
        );
      }),
      { numRuns: repeated(100) },
    );
  });

  it("any answer of a source leads to sentences and no malformed write", async () => {
    await fc.assert(
      fc.asyncProperty(mutations, async (all) => {
        count("inputs");
        const mesh = await settled();
        putServices(mesh.server("west"), exported("shop/new"));
        await run(mesh, "east", mutated(all));
      }),
      { numRuns: repeated(150) },
    );
  });
});
