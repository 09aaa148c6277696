import { deepEqual, equal, match } from "node:assert/strict";
import type { FailureKind } from "../../../engine/kubernetes/client/failure.ts";
import { environmentNotes } from "../../../engine/mirroring/decide/policies/environment.ts";
import type { Reason } from "../../../engine/model/reasons.ts";
import { putServices, serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { cluster, exported, exporting, service } from "../fixtures/objects.ts";

const ports = Array.from({ length: 100 }, (_, n) => ({ name: `port-${n}`, port: n + 60_000 }));
/** The variables of 20 of these fit into the environment of a pod. */
const exports = Array.from({ length: 26 }, (_, n) =>
  exported(`shop/${"web-".repeat(13)}${n + 100}`, {}, { ports }),
);

/** So many fill the environment too. */
const own = Array.from({ length: 20 }, (_, n) =>
  service(`shop/${"own-".repeat(14)}${n}`, {}, { ports }),
);

/** Returns how many mirrors exist after an update, and the note about the environment in the next preview. */
async function after(
  given: {
    readonly exports?: number;
    /** The value of `enableServiceLinks` of each pod. */
    readonly pods?: readonly (boolean | undefined)[];
    readonly isDisabled?: boolean;
    readonly refuse?: FailureKind;
    readonly isFull?: boolean;
  } = {},
) {
  const { pods = [], isDisabled = true, refuse, isFull = false } = given;
  const source = serverWith(cluster("east", { namespaces: ["shop"] }));
  const target = serverWith(exporting("west", exports.slice(0, given.exports)));
  if (isFull) putServices(source, ...own);
  for (const [n, enableServiceLinks] of pods.entries()) {
    const metadata = { namespace: "shop", name: `pod-${n}` };
    source.put("pods", { metadata, spec: { enableServiceLinks } });
  }
  source.refuse = (request) => (request === "list pods" ? refuse : undefined);
  const clusters = { west: {}, east: isDisabled ? { serviceLinksDisabled: true } : {} };
  const mesh = Mesh.of([source, target], { clusters });
  const { failure } = await mesh.up();
  const { lines } = await mesh.preview();
  const notes = lines.filter((line) => line.includes("environment of each pod there"));
  const mirrors = [...source.all("services").keys()].filter((key) => key.endsWith("-west"));
  return {
    failure,
    mirrors: mirrors.length,
    note: notes.filter((line) => !line.includes("→")).join(),
  };
}

describe("the environment of a namespace's pods", () => {
  it("is named in a preview from half of its limit on", async () => {
    deepEqual(await after({ exports: 10, isDisabled: false }), {
      failure: undefined,
      mirrors: 10,
      note: "",
    });
    const { mirrors, note } = await after({ exports: 11, isDisabled: false });
    equal(mirrors, 11);
    match(
      note,
      /^east: the Services in namespace shop add 5\d\d,\d{3} bytes to the environment of each pod there, and beyond 1,048,576 bytes mirrors are skipped: spread mirrors over more namespaces with mirrorNamespaces, or set enableServiceLinks: false in all pods there and serviceLinksDisabled on cluster east$/,
    );
  });

  it("is named only where this program has mirrors, or would have them", () => {
    const skip = { verdict: "skip", part: "west", mirror: "web-west", sentence: "" } as const;
    const notes = (reason: Reason) =>
      environmentNotes(
        [{ ...skip, key: "shop/web-west", origin: "shop/web", reason }],
        cluster("east", { services: own }),
      ).length;
    deepEqual([notes("NoPorts"), notes("TooManyMirrors")], [0, 1]);
  });

  it("has a limit, unless the source's pods have no service links", async () => {
    equal((await after({ isDisabled: false, pods: [false] })).mirrors, 20);
    const all = { failure: undefined, mirrors: 26, note: "" };
    deepEqual(await after(), all);
    deepEqual(await after({ pods: [false, false] }), all);
    deepEqual(await after({ pods: [false], isFull: true }), all);
  });

  it("keeps its limit while a pod has service links", async () => {
    const { failure, mirrors, note } = await after({ pods: [false, true, undefined] });
    deepEqual([failure, mirrors], [undefined, 20]);
    match(
      note,
      /despite serviceLinksDisabled on cluster east, because not all pods there set enableServiceLinks: false: set it in shop\/pod-1, shop\/pod-2$/,
    );
  });

  it("isn't checked with a runner that may not list pods, which a note says", async () => {
    const { failure, mirrors, note } = await after({ pods: [true], refuse: "forbidden" });
    deepEqual([failure, mirrors], [undefined, 26]);
    match(note, /because the runner may not list pods there: grant that/);
  });

  it("leaves everything as it is if the pods can't be read for another reason", async () => {
    equal((await after({ refuse: "server" })).mirrors, 0);
  });
});
