import { deepEqual, equal } from "node:assert/strict";
import type { Service, StringMap } from "../../../engine/kubernetes/objects/objects.ts";
import {
  type FederatedClaim,
  type MemberClaim,
  settle,
} from "../../../engine/model/federated-claim.ts";
import { federatedWriter, localMember, managerOf } from "../../../engine/model/marks.ts";
import { annotation, label } from "../../../engine/model/vocabulary.ts";
import { stack } from "../fixtures/marks.ts";
import { http, service } from "../fixtures/objects.ts";

const other = "acme/mesh/other";
const mark = (cluster: string, of = stack) => managerOf(of, cluster);

/** The claim on a member, by default one that this stack no longer wants. */
function member(cluster: string, rest: Partial<MemberClaim> = {}): MemberClaim {
  return {
    cluster,
    stance: "unwanted",
    names: [stack],
    takesUnmarked: false,
    isLeft: false,
    ...rest,
  };
}

const wanted = (cluster: string) => member(cluster, { stance: "wanted" });
const unknown = (cluster: string) => member(cluster, { stance: "unknown" });

function claim(members: MemberClaim[], rest: Partial<FederatedClaim> = {}): FederatedClaim {
  return {
    origin: "demo/bb",
    stacks: [stack],
    members,
    preceding: [],
    narrowing: { ports: new Set(), rules: [] },
    details: { labels: { from: "claim" }, annotations: {}, ports: [http] },
    ...rest,
  };
}

function withoutDetails({ details: _, ...rest }: FederatedClaim): FederatedClaim {
  return rest;
}

/** A federated Service that lists these members and carries the marks of these field managers. */
function live(remote: string | undefined, local: string | undefined, managers: string[]): Service {
  const annotations: StringMap = {
    ...(remote !== undefined && { [annotation.remoteMembers]: remote }),
    ...(local !== undefined && { [annotation.localMember]: local }),
  };
  const labels = { [label.mirrored]: "true", from: "live" };
  const managedFields = managers.map((manager) => ({ manager, operation: "Apply" }));
  return service("demo/bb-federated", { labels, annotations, managedFields });
}

/** What is listed after the write, whose details it has, who has marked it, and whether it is this stack's. */
function settled(of: FederatedClaim, before: Service | undefined) {
  const { mirror, managedFields, isOurs } = settle(of, before);
  return {
    listed: [
      mirror?.annotations[annotation.remoteMembers],
      mirror?.annotations[annotation.localMember],
    ],
    from: mirror?.labels.from,
    marks: managedFields.map(({ manager }) => manager),
    isOurs,
  };
}

describe("a claim on a federated Service", () => {
  it("creates it with the wanted members, marks and details", () => {
    deepEqual(settled(claim([wanted(localMember), wanted("east"), wanted("north")]), undefined), {
      listed: ["bb@east,bb@north", "bb"],
      from: "claim",
      marks: [mark(localMember), mark("east"), mark("north")],
      isOurs: true,
    });
  });

  it("creates none without a member", () => {
    deepEqual(settled(claim([member("east")]), undefined), {
      listed: [undefined, undefined],
      from: undefined,
      marks: [],
      isOurs: false,
    });
    equal(settle(withoutDetails(claim([wanted("east")])), undefined).mirror, undefined);
  });

  const leaving: Record<string, { of: MemberClaim; marks: string[]; stays: boolean }> = {
    "that only this stack has marked leaves": {
      of: member("east"),
      marks: [mark("east")],
      stays: false,
    },
    "that another stack has marked too stays": {
      of: member("east"),
      marks: [mark("east"), mark("east", other)],
      stays: true,
    },
    "without a mark stays": { of: member("east"), marks: [], stays: true },
    "without a mark leaves if the link covers it": {
      of: member("east", { takesUnmarked: true }),
      marks: [],
      stays: false,
    },
    "that a controller may list too stays": {
      of: member("east", { isLeft: true }),
      marks: [mark("east")],
      stays: true,
    },
  };
  for (const [rule, { of, marks, stays }] of Object.entries(leaving))
    it(`loses its mark, and an unwanted member ${rule}`, () => {
      const after = settled(claim([of]), live("bb@east,bb@foreign", undefined, marks));
      deepEqual(after.listed, [stays ? "bb@east,bb@foreign" : "bb@foreign", undefined]);
      deepEqual(
        after.marks,
        marks.filter((manager) => manager !== mark("east")),
      );
      equal(after.isOurs, false);
      const local = { ...of, cluster: localMember };
      const managers = marks.map((manager) => manager.replace("#east", `#${localMember}`));
      const left = settled(claim([local]), live("bb@foreign", "bb", managers));
      deepEqual(left.listed, ["bb@foreign", stays ? "bb" : undefined]);
    });

  it("keeps members that can't be judged, with their marks", () => {
    for (const [cluster, before] of [
      ["east", live("bb@east", undefined, [mark("east")])],
      [localMember, live(undefined, "bb", [mark(localMember)])],
    ] as const) {
      const { listed, marks, isOurs } = settled(claim([unknown(cluster)]), before);
      deepEqual(listed, [
        before.metadata.annotations?.[annotation.remoteMembers],
        before.metadata.annotations?.[annotation.localMember],
      ]);
      deepEqual([marks, isOurs], [[mark(cluster)], true]);
    }
  });

  it("isn't this stack's by a member that can't be judged and isn't both listed and marked", () => {
    for (const [cluster, before] of [
      ["east", live("bb@east", undefined, [])],
      ["east", live("bb@foreign", undefined, [mark("east")])],
      [localMember, live("bb@foreign", "bb", [])],
      [localMember, live("bb@foreign", undefined, [mark(localMember)])],
    ] as const)
      equal(settled(claim([unknown(cluster)]), before).isOurs, false);
  });

  it("keeps the details that are there while the member they come from isn't this stack's", () => {
    const before = live("bb@old,bb@east", undefined, []);
    const of = (rest: Partial<FederatedClaim>) =>
      settled(claim([wanted("east")], rest), before).from;
    equal(of({}), "claim");
    equal(of({ preceding: ["old"] }), "live");
    equal(of({ preceding: ["elsewhere"] }), "claim");
    equal(settled(withoutDetails(claim([wanted("east")])), before).from, "live");
    // The local member comes first, whoever lists it.
    const local = live("bb@old", "bb", [mark(localMember, other)]);
    equal(settled(claim([wanted("east")]), local).from, "live");
    const both = claim([wanted(localMember), wanted("east")], { preceding: ["old"] });
    equal(settled(both, local).from, "claim");
  });

  it("turns a mark of earlier versions into marks of members once every member can be judged", () => {
    const before = live("bb@east,bb@north", undefined, [managerOf(stack)]);
    deepEqual(settled(claim([wanted("east")]), before).marks, [federatedWriter, mark("east")]);
    deepEqual(settled(claim([wanted("east"), unknown("north")]), before).marks, [
      managerOf(stack),
      mark("east"),
    ]);
  });

  it("replaces the mark of an adopted stack on the members that it can judge", () => {
    const names = [stack, other];
    const before = live("bb@east,bb@north", undefined, [mark("east", other), mark("north", other)]);
    const adopting = claim([
      member("east", { stance: "wanted", names }),
      member("north", { stance: "unknown", names }),
    ]);
    deepEqual(settled(adopting, before).marks, [mark("north", other), mark("east")]);
  });
});
