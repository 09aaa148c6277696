import { deepEqual } from "node:assert/strict";
import type { InstalledArgs, Remembering } from "../../../engine/credentials/installed.ts";
import { installations } from "../../../engine/providers/stateless.ts";

const memory = { installed: { west: ["Linkerd with its CRDs in linkerd"] }, kept: {}, keys: [] };
const args: InstalledArgs = {
  wanted: {},
  keys: [],
  areKeysExported: false,
  leaving: {},
  clusters: ["west"],
  revoked: [],
  links: [],
  live: [],
};

it("what a stack has installed is remembered when its resource is replaced, which Pulumi checks again as a new one", async () => {
  const checked = async (olds: Remembering) => (await installations.check(olds, args)).inputs;
  deepEqual(await checked({}), {});
  deepEqual(await checked({ memory }), { memory });
  deepEqual(await checked({}), { memory });
});
