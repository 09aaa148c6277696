import assert from "node:assert/strict";

import { notesOf, released } from "../../../bin/changelog.ts";

const changelog = `# Changelog

## Unreleased

### Added

- A thing.

## 0.1.0 - 2026-01-02

- The first.
`;

describe("the changelog of a release", () => {
  it("has what was unreleased under the version and its date, and an empty section for what comes", () => {
    const text = released(changelog, "0.2.0", "2026-03-04");
    assert.match(text, /^## Unreleased\n\n## 0\.2\.0 - 2026-03-04\n\n### Added$/m);
    assert.equal(notesOf(text, "0.2.0"), "### Added\n\n- A thing.");
    assert.equal(notesOf(text, "0.1.0"), "- The first.");
    assert.equal(notesOf(text, "Unreleased"), "");
  });

  it("is refused for a version that was released, or where nothing has changed since", () => {
    assert.throws(
      () => released(changelog, "0.1.0", "2026-03-04"),
      /has a section 0\.1\.0 already/,
    );
    const again = released(changelog, "0.2.0", "2026-03-04");
    assert.throws(() => released(again, "0.3.0", "2026-03-05"), /nothing under Unreleased/);
  });

  it("has no notes of a version that it does not list", () => {
    assert.throws(() => notesOf(changelog, "0.1"), /has no section 0\.1\./);
  });
});
