import { deepEqual, equal } from "node:assert/strict";
import { text } from "../docs/pages.ts";
import { downloaded, type Locked, manifestOf, nameOf } from "./lockfile.ts";

const folders = ["", "engine/"] as const;

/** Each puts no duty on who runs the program but to keep its notice. */
const allowed = [
  ...["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC"],
  ...["MIT", "PSF-2.0", "Python-2.0", "Unlicense"],
];

/** What was looked at by hand, with why it is well. */
const lookedAt: Readonly<Record<string, string>> = {
  // A list of licence names, of which the program reads none.
  "spdx-exceptions": "CC-BY-3.0",
  // Its file LICENSE is that of the MIT licence.
  "@logdna/tail-file": "SEE LICENSE IN LICENSE",
};

/** `(BSD-3-Clause AND Apache-2.0)` is allowed if each of them is, `(X OR MIT)` if one of them is. */
function isAllowed(license: string): boolean {
  return license
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((each) => allowed.includes(each)));
}

const places = (of: (each: Locked, place: string) => boolean): string[] =>
  [...downloaded()].filter(([place, each]) => of(each, place)).map(([place]) => place);

describe("supply chain: dependencies", () => {
  for (const folder of folders)
    it(`of ${folder}package.json have exact versions from the registry`, () => {
      const { dependencies, devDependencies, optionalDependencies, peerDependencies, overrides } =
        manifestOf(folder);
      const all = [
        ...[dependencies, devDependencies, optionalDependencies, peerDependencies, overrides],
      ].flatMap((versions) => Object.entries(versions));
      deepEqual(
        all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
        [],
      );
      equal(all.length > 0, true);
    });

  it("that the program needs to run are few", () => {
    const direct = folders.flatMap((folder) => Object.keys(manifestOf(folder).dependencies));
    deepEqual([...new Set(direct)].sort(), [
      "@bomb.sh/tab",
      "@hpcc-js/wasm-graphviz",
      "@pulumi/command",
      "@pulumi/kubernetes",
      "@pulumi/pulumi",
      "@pulumi/tls",
      "cli-table3",
      "commander",
      "leven",
      "p-limit",
      "prom-client",
      "undici",
      "yaml",
      "zod",
    ]);
  });

  it("are locked, each to its content", () => {
    equal(downloaded().size > 100, true);
    deepEqual(
      places(({ integrity = "" }) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)),
      [],
    );
  });

  it("are locked without a host, so that every registry will do, and none but the user's", () => {
    deepEqual(
      places(({ resolved }) => resolved !== undefined),
      [],
    );
    const npmrc = text(".npmrc");
    equal(/registry *=|:\/\/|_auth|always-auth/i.test(npmrc), false);
    equal(npmrc.includes("omit-lockfile-registry-resolved=true"), true);
  });

  it("have licences that allow their use here", () => {
    const others = [...downloaded()].filter(([place, { license = "none" }]) => {
      return !isAllowed(license) && lookedAt[nameOf(place)] !== license;
    });
    deepEqual(
      others.map(([place, { license }]) => `${place}: ${license ?? "none"}`),
      [],
    );
  });

  it("run no code when npm 11 installs them, but for Node itself", () => {
    const scripted = places(({ hasInstallScript }) => hasInstallScript).map(nameOf);
    deepEqual(
      manifestOf("").allowScripts,
      Object.fromEntries([...new Set(scripted)].sort().map((name) => [name, name === "node"])),
    );
  });
});
