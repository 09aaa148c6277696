import type { DemoBed } from "./bed.ts";
import type { Pulumi } from "./pulumi.ts";
import type { Scenario } from "./scenario.ts";
import type { Screen } from "./screen.ts";

/** What one needs to know to go on by hand. */
export function farewell(
  screen: Screen,
  bed: DemoBed,
  pulumi: Pulumi,
  { worthALook }: Scenario,
): void {
  screen.step(
    "Now it is yours",
    "Everything stays up. In a shell, in this folder, paste these lines:",
  );
  screen.output("");
  for (const [name, value] of Object.entries({ ...bed.settings, ...pulumi.settings })) {
    screen.output(`export ${name}=${quoted(value)}`);
  }
  screen.output(`export PATH=${bed.path.map(quoted).join(":")}:"$PATH"`);
  screen.remark("Look around, if you have kubectl:");
  screen.command(...worthALook);
  screen.remark("Change something, see what would come of it, do it, and undo it all:");
  screen.command("pulumi preview --diff", "pulumi up", "pulumi destroy");
  screen.remark("When you have seen enough, this removes everything, clusters and files:");
  screen.command("npm run bed -- down");
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
