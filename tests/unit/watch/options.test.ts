import { deepEqual, throws } from "node:assert/strict";

import { optionsIn } from "../../../bin/watch.ts";

describe("options of the watch", () => {
  it("have defaults", () => {
    deepEqual(optionsIn([]), { help: false, output: "text", resync: 600_000 });
    deepEqual(optionsIn(["-s", "dev", "-o", "json", "--resync", "1h30m", "--config-file", "c"]), {
      ...{ help: false, output: "json", resync: 5_400_000, stack: "dev", configFile: "c" },
    });
  });

  it("are refused in a sentence", () => {
    throws(() => optionsIn(["--output", "table"]), {
      message: '--output is "table"; it must be text or json.',
    });
    for (const resync of ["often", "59s", "-5m"])
      throws(() => optionsIn([`--resync=${resync}`]), /it must be a duration of a minute or more/);
    throws(() => optionsIn(["--stak"]), /^Error: Unknown option '--stak'. Usage: npm run watch/);
  });
});
