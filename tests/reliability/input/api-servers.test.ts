import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { Clusters } from "../../../engine/mirroring/observe/clusters.ts";
import { carryOut } from "../../../engine/mirroring/reconcile/carry-out.ts";
import { inputsFor } from "../../../engine/mirroring/report/inputs.ts";
import { reconcile } from "../../../engine/mirroring/reconcile/reconcile.ts";
import type { Before, Inputs } from "../../../engine/mirroring/model/state.ts";
import { WantedHere } from "../../../engine/mirroring/reconcile/wanted-here.ts";
import { member } from "../../unit/fixtures/federation.ts";
import { endpoints, exported, headless, pods } from "../../unit/fixtures/objects.ts";
import { argsFor, gatewayService, linkObject } from "../../unit/fixtures/world.ts";
import { count, repeated } from "../effort.ts";
import { refusal } from "./acceptable.ts";
import { hostile, jsonOf } from "./hostile.ts";
import { type Json, JsonCluster, type JsonObject } from "./json-cluster.ts";

const args = argsFor([{ target: "west", headless: true }, "north"], {
  statusIn: "linkerd-multicluster",
});

/** A run's process: it begins without any reading, and asks no DNS. */
class Process extends Clusters {
  readonly #clusters: ReadonlyMap<string, JsonCluster>;

  constructor(clusters: ReadonlyMap<string, JsonCluster>) {
    super();
    this.#clusters = clusters;
  }

  override client(name: string): Promise<Kubernetes> {
    const found = this.#clusters.get(name);
    return found === undefined ? Promise.reject(new Error(`no ${name}`)) : found.client;
  }

  override resolve(): Promise<readonly string[]> {
    return Promise.resolve(["192.0.2.77"]);
  }
}

function json(object: unknown): JsonObject {
  return JSON.parse(JSON.stringify(object)) as JsonObject;
}

function cluster(name: string, services: readonly unknown[]): JsonCluster {
  const made = new JsonCluster(name);
  const namespaces = ["kube-system", "default", "shop", "linkerd-multicluster"];
  made.add(
    "namespaces",
    ...namespaces.map((each) => ({ metadata: { name: each, uid: `${name}-${each}` } })),
  );
  const kubernetes = { metadata: { name: "kubernetes", namespace: "default" }, spec: {} };
  made.add("services", kubernetes, ...services.map(json));
  return made;
}

interface Setting {
  readonly clusters: ReadonlyMap<string, JsonCluster>;
  readonly east: JsonCluster;
  readonly west: JsonCluster;
  readonly north: JsonCluster;
  readonly before: Inputs;
}

let first:
  Promise<{ readonly setting: Setting; readonly resets: readonly (() => void)[] }> | undefined;

/** Links from west and north into east, after a run that had nothing against it. */
async function settled(): Promise<Setting> {
  first ??= settle().then((setting) => ({
    setting,
    resets: [...setting.clusters.values()].map((cluster) => cluster.saved()),
  }));
  const { setting, resets } = await first;
  for (const reset of resets) reset();
  return setting;
}

async function settle(): Promise<Setting> {
  const east = cluster("east", [member("shop/bb")]);
  east.add("links", json(linkObject("west", {})), json(linkObject("north", {})));
  const west = cluster("west", [
    gatewayService("west"),
    ...[exported("shop/web", { annotations: { team: "a" } }), headless("shop/db")],
    ...[member("shop/bb"), exported("shop/other")],
  ]);
  west.add("endpoints", json(endpoints("shop/db", [pods(["db-0", "db-1"])])));
  const set = { serviceName: "db", replicas: 2 };
  west.add("statefulsets", { metadata: { name: "db", namespace: "shop" }, spec: set });
  const north = cluster("north", [gatewayService("north"), exported("shop/good")]);
  const clusters = new Map(Object.entries({ east, west, north }));
  const { inputs } = await run(clusters, {});
  if (inputs === undefined) throw new Error("the first run did nothing");
  return { ...{ clusters, east, west, north }, before: inputs };
}

/** Both halves of a run; what it says, and its inputs where it did anything. */
async function run(
  clusters: ReadonlyMap<string, JsonCluster>,
  before: Before,
): Promise<{ readonly said: readonly string[]; readonly inputs?: Inputs }> {
  const now = new Date();
  const outcome = await reconcile(new Process(clusters), args, before, now);
  const { inputs, mistakes, notes } = inputsFor(before, args, outcome);
  const shown = JSON.stringify(inputs);
  ok(!/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(shown), `not printable: ${shown}`);
  if (mistakes.length > 0) return { said: mistakes };
  const say = () => undefined;
  const failures = await carryOut(new Process(clusters), new WantedHere(), inputs, say, now)
    // As the provider does it: a sentence, if it is one of those that the program throws.
    .catch((error: unknown) => [messageOf(error)]);
  return { said: [...notes, ...failures], inputs };
}

function messageOf(error: unknown): string {
  if (error instanceof Error && error.constructor.name !== "TypeError") return error.message;
  throw error;
}

const plurals = ["services", "endpoints", "namespaces", "links", "statefulsets"] as const;
const names = fc.constantFrom<Json>(
  ...["web/x@evil,admin@north", "a@b", "a,b", "../x", "web ", "Web", "web.x", "", "1web", null, 7],
  ..."x".repeat(64).split(" "),
);
const values = fc.oneof({ weight: 4, arbitrary: hostile }, names);

const mutation = fc.record({
  plural: fc.constantFrom(...plurals, "services", "endpoints"),
  item: fc.nat(),
  step: fc.nat(),
  how: fc.constantFrom("replace", "replace", "replace", "item", "remove", "add", "answer", "many"),
  key: fc.constantFrom("name", "__proto__", "a b", "namespace", "labels", "annotations", "ports"),
  value: values,
});
type Mutation = typeof mutation extends fc.Arbitrary<infer One> ? One : never;

/** Does something to the JSON that a cluster answers with. */
function mutate(to: JsonCluster, { plural, item, step, how, key, value }: Mutation): void {
  if (how === "answer") {
    to.answers.set(plural, value);
    return;
  }
  const list = to.lists.get(plural) ?? [];
  const index = list.length === 0 ? 0 : item % list.length;
  if (how === "item") list[index] = value;
  const times = jsonOf(value).length > 500 ? 1 : 300;
  if (how === "many") for (let left = times; left > 0; left--) list.push(value);
  const places = mapsIn(list[index]);
  const place = places[step % Math.max(1, places.length)];
  if (place === undefined || how === "item" || how === "many") return;
  const [at, field] = place;
  const isMap = !Array.isArray(at);
  if (how === "remove") Reflect.deleteProperty(at, field);
  else Object.defineProperty(at, isMap && how === "add" ? key : field, ownField(value));
}

function ownField(value: Json) {
  return { value, enumerable: true, configurable: true, writable: true };
}

/** Every map and list in it, with each of its keys. */
function mapsIn(value: Json): (readonly [object, string])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]: [string, Json]) => [
    [value, field] as const,
    ...mapsIn(inner),
  ]);
}

describe("bad input: what API servers say", () => {
  it("a target that answers with anything: sentences, no malformed write, and other links go on", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        count("inputs");
        const { clusters, east, west, north, before } = await settled();
        for (const each of mutations) mutate(west, each);
        north.add("services", json(exported("shop/new")));
        const { said } = await run(clusters, before);
        const refused = east.written.map(refusal).filter((why) => why !== undefined);
        deepEqual(refused, [], "what was written, Kubernetes would refuse");
        // A name that is right, and other than before, is a Service that is gone: that may stop a run.
        const made = east.written.some(({ body }) => nameOf(body) === "new-north");
        ok(
          made ||
            said.some((sentence) => /would delete|same cluster|another cluster/.test(sentence)),
        );
        for (const sentence of said) ok(isPrintable(sentence), sentence);
      }),
      { numRuns: repeated(100) },
    );
  });

  it("a source that answers with anything: sentences, and no malformed write", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        count("inputs");
        const { clusters, east, west, before } = await settled();
        for (const each of mutations) mutate(east, each);
        west.add("services", json(exported("shop/new")));
        const { said } = await run(clusters, before);
        const refused = east.written.map(refusal).filter((why) => why !== undefined);
        deepEqual(refused, [], "what was written, Kubernetes would refuse");
        for (const sentence of said) ok(isPrintable(sentence), sentence);
      }),
      { numRuns: repeated(150) },
    );
  });

  it("an exported Service that is malformed keeps its mirror, its pods' and its membership", async () => {
    const broken: readonly ((service: JsonObject) => void)[] = [
      (service) => delete service.spec,
      (service) => (service.spec = []),
      (service) => ((service.spec as JsonObject).ports = { port: 80 }),
      (service) => ((service.spec as JsonObject).ports = [{ port: "80" }]),
      (service) => ((service.spec as JsonObject).ports = [{ port: 65_536 }]),
      (service) => ((service.metadata as JsonObject).labels = ["exported"]),
      (service) => ((service.metadata as JsonObject).labels = { "a b": "c" }),
      (service) => ((service.metadata as JsonObject).labels = { app: 1 }),
      (service) => ((service.metadata as JsonObject).annotations = "none"),
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...broken), fc.nat({ max: 3 }), async (damage, which) => {
        count("inputs");
        const { clusters, east, west, before } = await settled();
        const services = (west.lists.get("services") ?? []).slice(2) as JsonObject[];
        const service = services[which];
        if (service === undefined) throw new Error("there is no such Service");
        damage(service);
        const { said } = await run(clusters, before);
        deepEqual(
          east.written
            .map(({ method, path }) => `${method} ${path}`)
            .filter((line) => !line.includes("/status")),
          [],
        );
        const name = nameOf(service);
        if (name !== "bb")
          ok(
            said.some((each) => each.includes(`shop/${name}`)),
            said.join("\n"),
          );
      }),
      { numRuns: repeated(40) },
    );
  });

  it("a list with an item that could be anything is no list", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...plurals),
        fc.constantFrom<Json>(
          null,
          1,
          "x",
          [],
          {},
          { metadata: {} },
          { metadata: { name: "a/b" } },
        ),
        async (plural, item) => {
          count("inputs");
          const { clusters, east, west, before } = await settled();
          west.lists.set(plural, [item]);
          await run(clusters, before);
          equal(east.written.filter(({ method }) => method === "DELETE").length, 0);
        },
      ),
      { numRuns: repeated(30) },
    );
  });
});

function nameOf({ metadata }: JsonObject): string {
  return String((metadata as JsonObject | undefined)?.name);
}

function isPrintable(sentence: string): boolean {
  return !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(sentence) && sentence.length < 4_000;
}
