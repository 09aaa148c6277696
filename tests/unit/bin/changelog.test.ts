import assert from "node:assert/strict";
import { notesOf, released } from "../../../scripts/changelog.ts";

const changelog =
  "# Changelog\n\n## Unreleased\n\n- A thing.\n\n## 0.1.0 - 2026-01-02\n\n- The first.\n";

describe("the changelog of a release", () => {
  const text = released(changelog, "0.2.0", "2026-03-04");

  it("moves unreleased changes under the version and its date", () => {
    assert.match(text, /^## Unreleased\n\n## 0\.2\.0 - 2026-03-04\n\n- A thing\.$/m);
    assert.deepEqual(
      ["0.2.0", "0.1.0", "Unreleased"].map((version) => notesOf(text, version)),
      ["- A thing.", "- The first.", ""],
    );
    assert.throws(() => notesOf(changelog, "0.1"), /has no section 0\.1\./);
  });

  it("is refused for a version that was released, or without unreleased changes", () => {
    assert.throws(() => released(changelog, "0.1.0", "2026-03-04"), /has a section 0\.1\.0/);
    assert.throws(() => released(text, "0.3.0", "2026-03-05"), /nothing under Unreleased/);
  });
});
