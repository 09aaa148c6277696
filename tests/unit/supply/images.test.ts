import { deepEqual, equal } from "node:assert/strict";
import { globSync } from "node:fs";
import { root, text } from "../docs/pages.ts";

/** Files that a walk-through has somebody run or apply. */
const files = globSync("examples/**/*.{yaml,yml,sh,md}", { cwd: root });

/** `image: x` of a manifest, `--image x` of a command, `X_IMAGE:-x` of a script. */
const image = /(?:^\s*(?:- )?image: *|--image[ =]|_IMAGE:-)["']?([\w./-]+(?:[:@][\w.:-]+)?)/gm;

/** A tag with at least two numbers, which is of one release, or a digest. */
function isPinned(name: string): boolean {
  return /@sha256:[0-9a-f]{64}$/.test(name) || /:v?\d+\.\d+[\w.-]*$/.test(name);
}

describe("supply chain: images of the examples", () => {
  const found = files.flatMap((file) =>
    [...text(file).matchAll(image)].map(([, name = ""]) => `${file} ${name}`),
  );

  it("are of a version, or pinned by digest", () => {
    deepEqual(
      found.filter((each) => !isPinned(each)),
      [],
    );
    equal(found.length >= 6, true);
  });

  it("and their programs are not downloaded and run in one command", () => {
    const isPiped = /\b(curl|wget)\b[^\n]*\|\s*(ba|z)?sh\b/;
    deepEqual(
      files.filter((file) => isPiped.test(text(file))),
      [],
    );
  });
});
