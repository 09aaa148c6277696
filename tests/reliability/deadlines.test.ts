import assert from "node:assert/strict";
import { join } from "node:path";
import { Agent, Dispatcher, errors } from "undici";
import { Clusters } from "../../engine/mirroring/observe/clusters.ts";
import { MirrorsProvider } from "../../engine/providers/mirrors.ts";
import { PartialFailure } from "../../engine/providers/contract.ts";
import { argsFor, exporting } from "../unit/fixtures/world.ts";
import { cluster, exported } from "../unit/fixtures/objects.ts";
import { MemoryCluster } from "../unit/fixtures/memory-cluster.ts";
import { type Resource, resources } from "../../engine/kubernetes/objects/resources.ts";
import { withFolder, writeKubeconfig } from "../unit/kubernetes/scripted-cluster.ts";
import { DeadlineClock } from "./deadline-clock.ts";

type Answer = Pick<Dispatcher.ResponseData, "statusCode" | "headers"> & {
  readonly body: AsyncIterable<Buffer>;
};
type Write = (time: DeadlineClock, options: Dispatcher.RequestOptions) => Promise<Answer>;

const never = new Promise<never>(() => undefined);

function answer(body: unknown): Answer {
  return { statusCode: 200, headers: {}, body: bytesOf(Promise.resolve(JSON.stringify(body))) };
}

async function* bytesOf(text: Promise<string>): AsyncGenerator<Buffer> {
  yield Buffer.from(await text);
}

/** What the source's API server does about every write while it goes on answering reads. */
const faults: readonly {
  readonly what: string;
  readonly write: Write;
  /** Longest that a run of so many mirrors may take, in seconds. */
  readonly most: (mirrors: number) => number;
}[] = [
  {
    what: "hangs",
    write: async (time, { headersTimeout }) => {
      await time.sleep(headersTimeout ?? 0);
      throw new errors.HeadersTimeoutError();
    },
    most: () => 125,
  },
  {
    what: "refuses connections",
    write: () => Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" })),
    most: () => 15,
  },
  {
    what: "begins to answer and crawls",
    write: () => Promise.resolve({ statusCode: 200, headers: {}, body: bytesOf(never) }),
    most: () => 125,
  },
  {
    what: "takes 20 s for each write",
    write: async (time, { body }) => {
      await time.sleep(20_000);
      return answer(JSON.parse(typeof body === "string" ? body : ""));
    },
    most: (mirrors) => 120 + mirrors * 0.05 + 60,
  },
];

describe("a run against an API server whose writes", () => {
  for (const { what, write, most } of faults) {
    describe(what, () => {
      for (const mirrors of [10, 10_000]) {
        it(`ends in bounded time with ${mirrors} mirrors, and says little`, async function () {
          this.timeout("2m");
          const { seconds, reasons } = await run(mirrors, write);
          assert.ok(seconds <= most(mirrors), `it takes ${seconds} s`);
          assert.ok(reasons.length <= 5, reasons.join("\n"));
          for (const reason of reasons) assert.ok(reason.length < 1_000, reason);
          if (mirrors === 10_000) {
            const [, count] =
              /: (\d+) mirrors not attempted; the next run/.exec(reasons.join("\n")) ?? [];
            assert.ok(Number(count) > 8_000, JSON.stringify(reasons));
          }
        });
      }
    });
  }
});

/** A run that is to create so many mirrors. */
async function run(mirrors: number, write: Write) {
  const services = Array.from({ length: mirrors }, (_, index) => exported(`shop/web-${index}`));
  const east = new MemoryCluster({
    ...cluster("east", { namespaces: ["shop"] }),
    identity: "uid-of-east",
  });
  const west = new MemoryCluster({ ...exporting("west", services), identity: "uid-of-west" });
  const memories = new Map([
    ["https://east.example.com", east],
    ["https://west.example.com", west],
  ]);
  const time = new DeadlineClock();
  let outcome = { seconds: 0, reasons: [] as readonly string[] };
  await withFolder(async (folder) => {
    const access = async (name: string) => {
      const entries = { cluster: { server: `https://${name}.example.com` }, user: { token: "t" } };
      const kubeconfig = await writeKubeconfig(join(folder, name), name, entries);
      return [name, { context: name, kubeconfig }] as const;
    };
    const accesses = await Promise.all(["east", "west"].map(access));
    const dispatcher = () => new Scripted(memories, time, write);
    const provider = new MirrorsProvider({
      clusters: new Clusters({ time, dispatcher, pageSize: 100_000 }),
      say: () => undefined,
    });
    const args = argsFor([{ target: "west", maxMirrors: mirrors }], {
      clusters: Object.fromEntries(accesses),
    });
    const { inputs, failures } = await provider.check({}, args);
    assert.deepEqual(failures, []);
    assert.ok(typeof inputs.mirrors === "object");
    assert.equal(Object.keys(inputs.mirrors["west"] ?? {}).length, mirrors);
    let failure: unknown;
    const took = await time.measure(async () => {
      failure = await provider.create(inputs).catch((error: unknown) => error);
    });
    const reasons = failure instanceof PartialFailure ? failure.reasons : [];
    outcome = { seconds: took / 1000, reasons };
  });
  return outcome;
}

/** Reads come from a cluster in memory. */
class Scripted extends Agent {
  readonly #memories: ReadonlyMap<string, MemoryCluster>;
  readonly #time: DeadlineClock;
  readonly #write: Write;

  constructor(memories: ReadonlyMap<string, MemoryCluster>, time: DeadlineClock, write: Write) {
    super();
    this.#memories = memories;
    this.#time = time;
    this.#write = write;
  }

  override request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    // Nothing else of the answer is looked at.
    return this.#answer(options) as Promise<Dispatcher.ResponseData>;
  }

  async #answer(options: Dispatcher.RequestOptions): Promise<Answer> {
    const { method, origin, path } = options;
    if (method !== "GET") return this.#write(this.#time, options);
    const plural = path.split("?")[0]?.split("/").at(-1);
    const all: readonly Resource<unknown>[] = Object.values(resources);
    const resource = all.find((each) => each.plural === plural);
    const memory = this.#memories.get(String(origin));
    assert.ok(resource !== undefined && memory !== undefined, path);
    return answer({ kind: `${resource.kind}List`, items: await memory.list(resource) });
  }
}
