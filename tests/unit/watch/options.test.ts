import { deepEqual, throws } from "node:assert/strict";

import { optionsIn } from "../../../bin/watch.ts";

describe("options of the watch", () => {
  it("have defaults", () => {
    deepEqual(optionsIn([]), { help: false, output: "text", resync: 600_000 });
    deepEqual(optionsIn(["-s", "dev", "-o", "json", "--resync", "1h30m", "--config-file", "c"]), {
      ...{ help: false, output: "json", resync: 5_400_000, stack: "dev", configFile: "c" },
    });
  });

  it("take an address to listen on, with an IP, so that it is clear who is let in", () => {
    deepEqual(optionsIn([]).listen, undefined);
    deepEqual(optionsIn(["--listen=127.0.0.1:9464"]).listen, { host: "127.0.0.1", port: 9464 });
    deepEqual(optionsIn(["--listen=[::]:1"]).listen, { host: "::", port: 1 });
    for (const listen of ["9464", ":9464", "localhost:9464", "::1:9464", "1.2.3.4:65536", "[x]:1"])
      throws(() => optionsIn(["--listen", listen]), {
        message: `--listen is "${listen}"; it must be an IP and a port, as 127.0.0.1:9464 or [::]:9464.`,
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
