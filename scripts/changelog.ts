import { UserError } from "@linkerd-multicluster/engine/base";

/** Moves the unreleased changes under a new version. @throws UserError if there are none */
export function released(changelog: string, version: string, date: string): string {
  if (changelog.includes(`\n## ${version} `))
    throw new UserError(`CHANGELOG.md has a section ${version} already.`);
  if (notesOf(changelog, "Unreleased") === "")
    throw new UserError(
      "CHANGELOG.md has nothing under Unreleased, so there is nothing to release.",
    );
  return changelog.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} - ${date}\n`);
}

/** Returns the text under a version's heading. @throws UserError if there is no such heading */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((each) => each.split(/\s/, 1)[0] === version);
  if (section === undefined) throw new UserError(`CHANGELOG.md has no section ${version}.`);
  return section.slice(section.indexOf("\n")).trim();
}
