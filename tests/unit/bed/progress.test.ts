import { deepEqual } from "node:assert/strict";

import { progress } from "../../bed/progress.ts";

it("building: at most every ten seconds, it says how many packages and minutes are left", () => {
  const said: string[] = [];
  let now = 0;
  const { expect, onLine } = progress(
    2,
    (text) => said.push(text),
    () => now,
  );
  expect(100);
  now += 15_000;
  onLine("example.org/other/package");
  expect(200);
  onLine("net/http");
  onLine("go: downloading example.com/module v1.0.0");
  for (let compiled = 1; compiled <= 100; compiled += 1) {
    now += 400;
    onLine(`example.com/module/package${compiled}`);
  }
  deepEqual(said, [
    "  26 of 300 packages, about 2 min left\n",
    "  51 of 300 packages, about 2 min left\n",
    "  76 of 300 packages, about 2 min left\n",
    "  101 of 300 packages, about 2 min left\n",
  ]);
});
