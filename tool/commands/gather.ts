import type { Command } from "commander";
import type { Said } from "../stacks.ts";
import { examples, stackCommand } from "./options.ts";
import { stackOf } from "./reading.ts";

interface GatherOptions extends Said {
  readonly to?: string;
}

export function addGather(program: Command): void {
  stackCommand(program, "gather", "writes a folder for a bug report, without secrets")
    .option("--to <folder>", "a new folder; linkerd-clusters-<time>")
    .addHelpText(
      "after",
      examples(
        ["gather --to bundle", "what the commands know, redacted"],
        ["explain shop/web --from bundle", "what they say of it, wherever that is read"],
      ),
    )
    .action(async ({ to, ...options }: GatherOptions) => {
      const { gather } = await import("../gather.ts");
      process.stdout.write(await gather(await stackOf(options), to, process.env, new Date()));
    });
}
