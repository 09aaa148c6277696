import { isIP } from "node:net";
import { parseDuration } from "@linkerd-multicluster/engine/duration";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { WatchOptions } from "../watch/watch.ts";
import { examples, stackCommand } from "./options.ts";
import { stackOf } from "./reading.ts";

export function addWatch(program: Command): void {
  stackCommand(
    program,
    "watch",
    "runs the stack whenever something that its mesh depends on changes",
  )
    .addOption(new Option("-o, --output <format>").choices(["text", "json"]).default("text"))
    .option("--resync <duration>", "how often to preview everything", resync, 600_000)
    .option("--listen <address>", "where to serve metrics, as 127.0.0.1:9464", address)
    .addHelpText("after", examples(["watch --stack prod --listen 127.0.0.1:9464", "until ended"]))
    .action(async (options: WatchOptions) => {
      const { watch } = await import("../watch/watch.ts");
      await watch(await stackOf(options), options);
    });
}

function resync(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds < 60_000)
    throw new InvalidArgumentError("It must be a duration of a minute or more, as 10m or 1h30m.");
  return milliseconds;
}

/** Reads `127.0.0.1:9464` or `[::1]:9464`. Without an IP nobody would know who is let in. */
function address(listen: string): { readonly host: string; readonly port: number } {
  const { bracketed, plain, port } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:]+)):(?<port>\d{1,5})$/.exec(listen)?.groups ?? {};
  const host = bracketed ?? plain ?? "";
  if (isIP(host) !== (bracketed === undefined ? 4 : 6) || Number(port) > 65_535)
    throw new InvalidArgumentError("It must be an IP and a port, as 127.0.0.1:9464 or [::]:9464.");
  return { host, port: Number(port) };
}
