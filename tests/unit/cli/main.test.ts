import { deepEqual, rejects } from "node:assert/strict";
import { called, watchOptions } from "./options.ts";

describe("the command line", () => {
  it("sets defaults", async () => {
    deepEqual((await called(["check"])).options, { output: "table", wait: 0 });
    deepEqual((await called(["status"])).options, { output: "table" });
    deepEqual((await called(["map"])).options, { output: "html" });
    deepEqual((await called(["verify", "--image", "curl"])).options, {
      output: "table",
      image: "curl",
      timeout: 60_000,
    });
    deepEqual(await watchOptions([]), { output: "text", resync: 600_000 });
  });

  it("parses options, with durations in Go's syntax", async () => {
    deepEqual(
      await called(["check", "-s", "dev", "-o", "json", "--wait", "30", "--cwd", "/mesh"]),
      {
        command: "check",
        args: [],
        options: { stack: "dev", output: "json", wait: 30_000, cwd: "/mesh" },
      },
    );
    deepEqual(await called(["explain", "shop/web", "--from", "bundle"]), {
      command: "explain",
      args: ["shop/web"],
      options: { output: "table", from: "bundle" },
    });
    const { resync, output, configFile } = await watchOptions(
      "-o json --resync 1h30m --config-file c".split(" "),
    );
    deepEqual([resync, output, configFile], [5_400_000, "json", "c"]);
  });

  it("takes a Prometheus for each source", async () => {
    const { options } = await called(["status", "--traffic", "east=http://a", "--traffic", "b"]);
    deepEqual(options["traffic"], ["east=http://a", "b"]);
  });

  it("takes the output and the timeout of linkerd check", async () => {
    const { options } = await called(["check", "-o", "short", "--timeout", "5s"]);
    deepEqual(options, { output: "short", wait: 0, timeout: 5_000 });
  });

  it("accepts the options that linkerd check passes to its extensions", async () => {
    const passed =
      "check --as-group=[] --linkerd-namespace=linkerd --verbose=false --proxy=false --wait=5m0s --context=west --kubeconfig=/k --output=json";
    const call = await called(passed.split(" "));
    deepEqual([call.options["output"], call.options["wait"]], ["json", 300_000]);
  });

  it("listens on an IP and a port only", async () => {
    deepEqual((await watchOptions(["--listen=127.0.0.1:9464"])).listen, {
      host: "127.0.0.1",
      port: 9464,
    });
    deepEqual((await watchOptions(["--listen=[::]:1"])).listen, { host: "::", port: 1 });
    for (const listen of ["9464", ":9464", "localhost:9464", "::1:9464", "1.2.3.4:65536", "[x]:1"])
      await rejects(
        watchOptions(["--listen", listen]),
        /must be an IP and a port, such as 127\.0\.0\.1/,
      );
  });

  it("rejects an unknown or invalid option, and says what is valid", async () => {
    for (const [words, why] of [
      [["check", "--output", "xml"], /argument 'xml' is invalid/],
      [["check", "--wait", "long"], /must be a duration/],
      [["check", "--stak"], /unknown option '--stak'/],
      [["watch", "--output", "table"], /argument 'table' is invalid/],
      [["watch", "--resync=59s"], /duration of a minute or more/],
      [["watch", "--resync=-5m"], /duration of a minute or more/],
      [["map", "--output", "table"], /argument 'table' is invalid/],
      [["whatif", "--lose", "west", "--lose", "east"], /Only one loss can be named/],
      [["verify"], /required option '--image/],
      [["stats"], /unknown command 'stats'/],
    ] as const)
      await rejects(called(words), why);
  });
});
