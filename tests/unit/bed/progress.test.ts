import { deepEqual } from "node:assert/strict";

import { progress } from "../../bed/build.ts";

it("building: at most every ten seconds, it says how many packages and minutes are left", () => {
  const said: string[] = [];
  let now = 0;
  const onLine = progress(
    300,
    (text) => said.push(text),
    () => now,
  );
  onLine("go: downloading example.com/module v1.0.0");
  for (let compiled = 1; compiled <= 100; compiled += 1) {
    now += 400;
    onLine(`example.com/module/package${compiled}`);
  }
  deepEqual(said, [
    "  25 of 300 packages, about 2 min left\n",
    "  50 of 300 packages, about 2 min left\n",
    "  75 of 300 packages, about 2 min left\n",
    "  100 of 300 packages, about 2 min left\n",
  ]);
});
