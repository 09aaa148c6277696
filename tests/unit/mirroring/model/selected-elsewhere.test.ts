import { deepEqual, ok } from "node:assert/strict";
import { linkDefaults } from "../../../../engine/mirroring/model/link-settings.ts";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import {
  elsewhereIn,
  selectedElsewhere,
} from "../../../../engine/mirroring/model/selected-elsewhere.ts";

const flat: Partial<LinkSpec> = { gateway: false, selector: {} };

function link(source: string, target: string, more: Partial<LinkSpec> = {}): LinkSpec {
  // Each with selectors of its own, as links of a config may have.
  return { ...structuredClone(linkDefaults), source, target, ...more };
}

describe("what other links of the stack mirror from the targets of a source", () => {
  const into = (source: string, all: readonly LinkSpec[]) =>
    selectedElsewhere(
      all.filter((each) => each.source === source),
      all,
    );

  it("is what a gateway link selects, for a flat link to the same target, and not the reverse", () => {
    const all = [link("east", "west", flat), link("north", "west")];
    const { selector } = linkDefaults;
    deepEqual(into("east", all), [{ selector, targets: ["west"] }]);
    deepEqual(into("north", all), []);
  });

  it("does not concern links to other targets", () => {
    deepEqual(into("east", [link("east", "west", flat), link("west", "north")]), []);
  });

  it("is what other sources have join, of the targets and of the source itself", () => {
    const federatedServiceSelector = { matchLabels: { "example.com/union": "yes" } };
    const other = (target: string) => link("north", target, { federatedServiceSelector });
    deepEqual(into("east", [link("east", "west"), other("west"), other("east")]), [
      { selector: federatedServiceSelector, targets: ["west", "east"] },
    ]);
  });

  it("is by cluster", () => {
    const [selector, other] = [{ matchLabels: { a: "1" } }, { matchLabels: { b: "2" } }];
    const entries = [
      { selector, targets: ["west", "east"] },
      { selector: other, targets: ["west"] },
    ];
    deepEqual(elsewhereIn(entries, "west"), [selector, other]);
    deepEqual(elsewhereIn(entries, "east"), [selector]);
  });

  it("leaves out what a link without a gateway could never mirror", () => {
    const all = [link("east", "west", flat), link("north", "west", { gateway: false })];
    deepEqual(into("east", all), []);
  });

  it("is nothing in a full mesh of equal links, and one entry for each source in one of two kinds", () => {
    const names = Array.from({ length: 20 }, (_, index) => `cluster-${index}`);
    const mesh = (more: (target: string, source: string) => Partial<LinkSpec>) =>
      names.flatMap((source) =>
        names
          .filter((target) => target !== source)
          .map((target) => link(source, target, more(target, source))),
      );
    const equal = mesh(() => ({}));
    for (const name of names) deepEqual(into(name, equal), []);
    const half = names.slice(10);
    const mixed = mesh((_, source) => (half.includes(source) ? flat : {}));
    for (const name of names) {
      const found = into(name, mixed);
      deepEqual(
        found.map(({ targets }) => targets.length),
        half.includes(name) ? [19] : [],
      );
      ok(JSON.stringify(found).length < 400);
    }
  });
});
