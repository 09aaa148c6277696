import { Command } from "commander";
import { addCheck, addGather, addVerify, addWatch } from "./commands/actions.ts";
import { programName } from "./commands/options.ts";
import { addExplain, addMap, addStatus, addWhatIf } from "./commands/views.ts";
import { UserError } from "@linkerd-multicluster/engine/kubernetes";

export function commandLine(version = ""): Command {
  const program = new Command(programName)
    .description(
      "Inspect the mesh of a linkerd-multicluster stack. Only watch and verify write anything.",
    )
    .version(version)
    .showHelpAfterError("(run with --help for usage)")
    .showSuggestionAfterError()
    .addHelpText("after", about);
  const all = [addStatus, addExplain, addVerify, addMap, addWhatIf, addCheck, addWatch, addGather];
  for (const add of all) add(program);
  addRemovedDiff(program);
  return program;
}

/** Scripts that still call it get the replacement instead of "unknown command". */
function addRemovedDiff(program: Command): void {
  program
    .command("diff", { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .helpOption(false)
    .action(() => {
      throw new UserError(
        "diff has been removed: use pulumi preview --diff for changes since the last update, and pulumi stack history for past updates.",
      );
    });
}

const about = `
Stack: --stack and --cwd; else the stack that Pulumi has selected in this folder; else those listed
in ~/.config/linkerd-multicluster/stacks.yaml. "linkerd check" uses only that file.

With this program on PATH, "linkerd clusters ..." and "kubectl linkerd clusters ..." run it, and
"linkerd check" includes its checks.

Exit codes: 0 ok; 1 problems found, or the Service not found; 2 the command itself failed.
Colors: on a terminal, unless NO_COLOR is set.

Completion for bash, zsh and fish:
  source <(${programName} complete bash)`;
