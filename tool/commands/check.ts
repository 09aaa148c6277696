import { type Command, Option } from "commander";
import type { CheckOptions } from "../check.ts";
import { examples, formatOption, stackCommand, wait } from "./options.ts";

export function addCheck(program: Command): void {
  const command = stackCommand(program, "check", "checks the live mesh")
    .addOption(formatOption())
    .option("--wait <duration>", "time for the mesh to get in order, as 30s; seconds too", wait, 0)
    .addHelpText(
      "after",
      examples(
        ["check", "checks by cluster and by link; exit code 1 if there are errors"],
        ["check --wait 30s --output json", "for a pipeline"],
      ),
    )
    .action(async (options: CheckOptions) => {
      const { check } = await import("../check.ts");
      await check(options);
    });
  // What `linkerd check` passes on to its extensions (getExtensionCheckFlags in linkerd2).
  for (const flag of ["api-addr", "context", "as", "as-group", "kubeconfig", "linkerd-namespace"])
    command.addOption(new Option(`--${flag} <value>`).hideHelp());
  for (const flag of ["verbose", "proxy"])
    command.addOption(new Option(`--${flag} [value]`).hideHelp());
  command.addOption(new Option("-n, --namespace <value>").hideHelp());
}
