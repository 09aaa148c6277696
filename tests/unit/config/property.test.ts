import { ok } from "node:assert/strict";
import fc from "fast-check";
import { repeated } from "../../reliability/effort.ts";
import { sections } from "../../../config/keys.ts";
import { parseConfig } from "../../../config/parse.ts";

/** JSON with a preference for the words that mean something here, so as to get past the first check. */
const word = fc.constantFrom(
  ...Object.values(sections).flatMap(({ keys }) => Object.keys(keys)),
  ...["west", "east", "mesh", "mirrors", "controller", "50%", "192.0.2.1", "In", "__proto__", ""],
);

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(word, fc.boolean(), fc.integer(), fc.constant(null), fc.jsonValue({ maxDepth: 1 })),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(word, tie("json"), { maxKeys: 5 }),
  ),
}));

const end = fc.constantFrom("west", "east", "north");
const some = <T>(value: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary: value }, json);
const linkShaped = fc.record(
  {
    source: some(end),
    target: some(end),
    headless: some(fc.boolean()),
    gateway: some(fc.constant(false)),
    selector: some(fc.constant({})),
  },
  { requiredKeys: [] },
);
const configShaped = fc.record(
  {
    clusters: some(fc.dictionary(end, some(fc.constant(null)))),
    links: some(fc.array(some(linkShaped), { maxLength: 4 })),
    linkDefaults: some(linkShaped),
    topology: some(fc.oneof(fc.constant("mesh"), fc.record({ hub: end }))),
    manage: some(fc.constantFrom("all", "links", "mirrors")),
  },
  { requiredKeys: [] },
);

describe("stack config: any JSON value", () => {
  it("gives a config or sentences, and never throws", () => {
    const verdicts = new Set<string>();
    fc.assert(
      fc.property(fc.oneof(json, configShaped), (raw) => {
        const parsed = parseConfig(raw);
        verdicts.add(Object.keys(parsed).join());
        if ("config" in parsed) return parsed.config.clusters.size > 0;
        const { mistakes } = parsed;
        return (
          mistakes.length > 0 &&
          mistakes.every((mistake) => /^linkerd-multicluster.*\.$/s.test(mistake))
        );
      }),
      { numRuns: repeated(400) },
    );
    ok(verdicts.has("config") && verdicts.has("mistakes"), "both outcomes were seen");
  });

  it("the same config gives the same answer, and is left as it was", () => {
    fc.assert(
      fc.property(configShaped, (raw) => {
        const before = JSON.stringify(raw);
        const [one, two] = [parseConfig(raw), parseConfig(raw)];
        return JSON.stringify(one) === JSON.stringify(two) && JSON.stringify(raw) === before;
      }),
    );
  });
});
