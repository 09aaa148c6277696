import { Command } from "commander";
import { addCheck, addGather, addVerify, addWatch } from "./commands/actions.ts";
import { programName } from "./commands/options.ts";
import { addExplain, addMap, addStatus, addWhatIf } from "./commands/views.ts";

/** The command line of the program, with all of its commands. */
export function commandLine(version = ""): Command {
  const program = new Command(programName)
    .description(
      "Looks at the mesh of a linkerd-multicluster stack. Only watch and verify write anything.",
    )
    .version(version)
    .showHelpAfterError("(--help shows what there is)")
    .showSuggestionAfterError()
    .addHelpText("after", about);
  const all = [addStatus, addExplain, addVerify, addMap, addWhatIf, addCheck, addWatch, addGather];
  for (const add of all) add(program);
  addRemovedDiff(program);
  return program;
}

/** Scripts that still call it get a sentence instead of an unknown command. */
function addRemovedDiff(program: Command): void {
  program
    .command("diff", { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .helpOption(false)
    .action(() => {
      throw new Error(
        "The command diff has been removed: use pulumi preview --diff for what is not as the last update left it, and pulumi stack history for past updates.",
      );
    });
}

const about = `
Which stack: --stack and --cwd, else the one of this folder as Pulumi has it, else those that
~/.config/linkerd-multicluster/stacks.yaml lists. Within "linkerd check": only those.

With this program on PATH, "linkerd clusters ..." is the same, "linkerd check" asks it too, and
"kubectl linkerd clusters ..." is the same by the name kubectl-linkerd-clusters.

Exit codes: 0 fine; 1 something is not in order or not there; 2 the command could not do its work.
Colors: on a terminal, unless NO_COLOR is set.

Completion, for bash, zsh and fish:
  source <(${programName} complete bash)`;
