import { deepEqual, equal, match, ok } from "node:assert/strict";

import type { Answer } from "../../simulation/answering-dispatcher.ts";
import type { Admission, Stored } from "../../simulation/api-server.ts";
import { type FaultPlans, type Mesh, renewToken } from "../../simulation/mesh.ts";
import { mergedWith } from "../../simulation/objects.ts";
import { trespasses, writesTo } from "../../simulation/outcome.ts";
import { count } from "../effort.ts";
import { type Cell, expectCell, expectRecovery } from "./cell.ts";
import { type ClusterFault, refusal } from "./faults.ts";
import { phases } from "./phases.ts";
import { changed } from "./mesh.ts";

const none: ClusterFault = () => undefined;

/** A problem of one source that affects a part of its mirrors. */
type Matter = Pick<Cell, "end" | "sentence"> & Partial<Cell>;

const matters: Readonly<Record<string, Matter>> = {
  "lets nobody create Services": {
    fault: ({ method }) => (method === "POST" ? refusedTo("create") : undefined),
    path: /\/services/,
    except: /(new|tool|queue)-/,
    end: "failed",
    sentence: /does not let user ci create Service .*; grant create on services in namespace/,
  },
  "lets nobody update Services": {
    fault: ({ method }) => (method === "PUT" ? refusedTo("update") : undefined),
    // Endpoints are not written if the Service could not be.
    path: /\/services/,
    except: /(kept|web|cart|db)-/,
    end: "failed",
    sentence: /does not let user ci update Service .*; grant update on services in namespace/,
  },
  "begins to delete a namespace during the run": {
    fault: refusal(403, "Forbidden", { causes: ["NamespaceTerminating"] }),
    path: /\/namespaces\/labs\//,
    except: /labs/,
    end: "failed",
    sentence: /cluster east refuses to create Service labs\/tool-west.*run again/,
  },
  "is deleting a namespace": {
    // This stays in the namespace as long as it has a finalizer.
    spoil: (mesh) => {
      const metadata = { namespace: "labs", name: "held", finalizers: ["example.com/hold"] };
      mesh.server("east").put("configmaps", { metadata });
      mesh.server("east").delete("namespaces", "labs");
    },
    repair: (mesh) => {
      mesh.server("east").edit("configmaps", "labs/held", { metadata: { finalizers: [] } });
    },
    except: /labs/,
    end: "told",
    sentence: /labs\/tool is not mirrored .*labs/,
  },
  "has a webhook that does not answer": {
    spoil: admitting(({ metadata: { name } }) =>
      name === "new-west"
        ? { status: 500, message: 'failed calling webhook "policy": no endpoints available' }
        : undefined,
    ),
    repair: admittingAll,
    except: /new-west/,
    end: "failed",
    patience: 9_000,
    sentence: /failed to create Service shop\/new-west \(status 500\) .*failed calling webhook/,
  },
  "has a finalizer on a mirror that has to be replaced": {
    spoil: holding("shop/queue-west"),
    repair: releasing("shop/queue-west"),
    except: /queue-/,
    end: "failed",
    waits: 4_800,
    patience: 5_000,
    sentence:
      /Service shop\/queue-west on east must be replaced, but a finalizer keeps it: remove the finalizer and run again/,
  },
  "has another client that changes a mirror before each update": {
    fault: (_request, at, mesh) => ({
      delay: () => {
        touch(mesh, at, String((touches += 1)));
        return Promise.resolve();
      },
    }),
    repair: (mesh) => {
      touch(mesh, "east", null);
    },
    path: /kept-west/,
    except: /kept-west/,
    end: "failed",
    sentence:
      /shop\/kept-west in cluster east was changed by another client before this update.*run again/,
  },
};

describe("a source that", () => {
  for (const [what, matter] of Object.entries(matters))
    it(`${what}: all else is done, and the run says it once`, () =>
      expectCell({
        phase: "while it writes",
        at: "east",
        fault: none,
        lasts: "for good",
        ...matter,
      }));

  it("renews the runner's token during the run: it continues with the new one", async () => {
    let isRenewed = false;
    const fault: ClusterFault = (_request, at, mesh) => {
      if (isRenewed) return undefined;
      isRenewed = true;
      const delay = () => {
        mesh.server(at).token = "fresh";
        renewToken(at, "fresh");
        return Promise.resolve();
      };
      return { delay };
    };
    await expectCell({
      phase: "while it writes",
      at: "east",
      fault,
      lasts: "for good",
      end: "done",
    });
  });

  it("has mirrors that somebody else has just deleted: the run succeeds", async () => {
    for (const phase of ["while it deletes", "while it destroys"] as const)
      await expectCell({
        fault: ({ path }, at, mesh) => ({
          delay: () => {
            const [, namespace = "", plural = "", name = ""] =
              /namespaces\/([^/]+)\/([^/]+)\/([^/?]+)/.exec(path) ?? [];
            mesh.server(at).delete(plural, `${namespace}/${name}`);
            return Promise.resolve();
          },
        }),
        phase,
        at: "east",
        lasts: "for good",
        end: "done",
      });
  });

  for (const operation of ["up", "destroy"] as const)
    it(`has a finalizer that holds up a deletion of pulumi ${operation}: the run doesn't wait or retry`, async () => {
      const mesh = await changed();
      const east = mesh.server("east");
      holding("shop/old-west")(mesh);
      const ended = await mesh[operation]();
      equal(ended.failure, undefined);
      equal(ended.waited, 0);
      ok(east.get("services", "shop/old-west")?.metadata.deletionTimestamp);
      east.journal.length = 0;
      equal((await mesh[operation]()).failure, undefined);
      deepEqual(writesTo(east), []);
      releasing("shop/old-west")(mesh);
      await expectRecovery({}, { operation }, mesh);
      count("faults tried");
    });

  const fighters: Readonly<Record<string, (mesh: Mesh) => void>> = {
    "a webhook that changes what is the program's": admitting((object) =>
      object.metadata.name === "kept-west" ? (mergedWith(object, theirs) as Stored) : undefined,
    ),
    "a controller that puts its own version back": () => undefined,
  };
  for (const [who, spoil] of Object.entries(fighters))
    it(`has ${who}: each run writes once, says that it does so again, and finishes the rest`, async () => {
      const mesh = await changed();
      spoil(mesh);
      const putBack = (answer: Answer) => {
        mesh.server("east").edit("services", "shop/kept-west", theirs);
        return answer;
      };
      const plans: FaultPlans = (cluster) => (request) => {
        const isIt = request.method === "PUT" && request.path.includes("services/kept-west");
        return cluster === "east" && isIt ? { alter: putBack } : undefined;
      };
      for (const run of ["first", "second", "third"]) {
        mesh.server("east").journal.length = 0;
        const ended = await mesh.up(plans);
        equal(ended.failure, undefined, run);
        deepEqual(trespasses(mesh.server("east")), []);
        const writes = writesTo(mesh.server("east")).filter((write) => write.includes("kept-west"));
        ok(writes.length <= 1, writes.join());
        if (run === "third") deepEqual(writesTo(mesh.server("east")), writes);
        count("faults tried");
      }
      match(JSON.stringify((await mesh.preview()).steps), /\(again\)/);
      mesh.server("east").admission.length = 0;
      await expectRecovery({}, phases["while it writes"], mesh);
    });
});

function refusedTo(verb: string) {
  const message = `services is forbidden: User "ci" cannot ${verb} resource "services" in API group ""`;
  return {
    answer: { status: 403, body: JSON.stringify({ kind: "Status", reason: "Forbidden", message }) },
  };
}

/** Lets the source east store what `admit` returns, or the unchanged object for undefined. */
function admitting(admit: (object: Stored) => ReturnType<Admission> | undefined) {
  return (mesh: Mesh): void => {
    mesh.server("east").admission.push((_verb, object) => admit(object) ?? object);
  };
}

function admittingAll(mesh: Mesh): void {
  mesh.server("east").admission.length = 0;
}

function holding(key: string, finalizers: readonly string[] = ["example.com/hold"]) {
  return (mesh: Mesh): void => {
    mesh.server("east").edit("services", key, { metadata: { finalizers } });
  };
}

function releasing(key: string) {
  return holding(key, []);
}

/** Another program wants the mirror to be like this. */
const theirs = {
  spec: { ports: [{ name: "theirs", port: 7, protocol: "TCP", targetPort: 7 }] },
};

let touches = 0;

function touch(mesh: Mesh, at: string, touched: string | null): void {
  mesh.server(at).edit("services", "shop/kept-west", { metadata: { annotations: { touched } } });
}
