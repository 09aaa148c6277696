import { deepEqual, equal, match, ok } from "node:assert/strict";
import { globSync } from "node:fs";
import engine from "../../../engine/package.json" with { type: "json" };
import program from "../../../package.json" with { type: "json" };
import nodes from "../../../scripts/node/package.json" with { type: "json" };
import { parse } from "yaml";
import * as z from "zod";
import { charts } from "../../../config/keys/chart-keys.ts";
import { root, text } from "./pages.ts";

type Versions = Readonly<Record<string, string>>;

interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const lockfile = JSON.parse(text("package-lock.json")) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const downloaded = Object.entries(lockfile.packages)
  .filter(([place, { link = false }]) => place.includes("node_modules/") && !link)
  .map(([place, locked]) => ({ name: place.split("node_modules/").at(-1) ?? place, ...locked }));

/** These licences only demand that a notice is kept. */
const allowed = [
  ...["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC"],
  ...["MIT", "PSF-2.0", "Python-2.0", "Unlicense"],
];

/** The licences of these packages were reviewed by hand. */
const reviewed: Readonly<Record<string, string>> = {
  // It is a list of licence names, which the program never reads.
  "spdx-exceptions": "CC-BY-3.0",
  // Its file LICENSE is that of the MIT licence.
  "@logdna/tail-file": "SEE LICENSE IN LICENSE",
  // Its package.json names MIT in the old list `licenses`, which the lockfile lacks.
  format: "none",
};

/** `(BSD-3-Clause AND Apache-2.0)` is allowed if each part is, `(X OR MIT)` if one part is. */
function isAllowed(license: string): boolean {
  const choices = license.replaceAll(/[()]/g, "").split(" OR ");
  return choices.some((choice) => choice.split(" AND ").every((each) => allowed.includes(each)));
}

describe("supply chain: dependencies", () => {
  it("have exact versions", () => {
    const entries = [program, engine, nodes].flatMap((manifest) =>
      Object.entries<unknown>(manifest),
    );
    const all = entries.filter(([key]) => /^(dev|optional)?dependencies$|^overrides$/i.test(key));
    for (const [, versions] of all)
      for (const version of Object.values(versions as Versions))
        match(version, /^(\d+\.\d+\.\d+(-[\w.]+)?|file:scripts\/node)$/);
  });

  it("are locked to their content, without the host of a registry", () => {
    ok(downloaded.length > 100);
    for (const { name, integrity = "", resolved } of downloaded) {
      match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/, name);
      equal(resolved, undefined, name);
    }
    match(text(".npmrc"), /omit-lockfile-registry-resolved=true/);
    ok(!/registry *=|:\/\/|_auth|always-auth/i.test(text(".npmrc")));
  });

  it("have licences that allow their use here", () => {
    const others = downloaded.filter(
      ({ name, license = "none" }) => !isAllowed(license) && reviewed[name] !== license,
    );
    deepEqual(
      others.map(({ name, license = "none" }) => `${name}: ${license}`),
      [],
    );
  });

  it("run no code when npm 11 installs them", () => {
    const scripted = downloaded.filter((each) => each.hasInstallScript).map(({ name }) => name);
    deepEqual(
      program.allowScripts,
      Object.fromEntries(scripted.sort().map((name) => [name, false])),
    );
  });
});

/** Returns the matches of a pattern in the files of the examples, each after its file. */
function inExamples(pattern: RegExp): string[] {
  const files = globSync("examples/**/{Dockerfile,*.yaml,*.yml,*.sh,*.md}", { cwd: root });
  return (
    files
      // The demo has Linkerd's own manifests, and its nodes run no image.
      .filter((file) => !file.startsWith("examples/demo/"))
      .flatMap((file) =>
        [...text(file).matchAll(pattern)].map(([, name = ""]) => `${file} ${name}`),
      )
  );
}

describe("supply chain: examples", () => {
  it("use images of a version or digest, and never pipe a download into a shell", () => {
    const images = inExamples(
      /(?:^\s*(?:- )?image: *|--image[ =]|_IMAGE:-)["']?([\w./-]+(?:[:@][\w.:-]+)?)/gm,
    );
    ok(images.length >= 6);
    const isPinned = /(@sha256:[0-9a-f]{64}|:v?\d+\.\d+[\w.-]*)$/;
    deepEqual(
      images.filter((image) => !isPinned.test(image)),
      [],
    );
    deepEqual(inExamples(/(\b(?:curl|wget)\b[^\n]*\|\s*(?:ba|z)?sh\b)/g), []);
  });

  it("use the Pulumi CLI of the SDK's version", () => {
    const used = inExamples(/(?:pulumi\/pulumi(?:-nodejs)?:|pulumi-version: *)([\d.]+)/g);
    ok(used.length >= 6);
    const sdk = program.dependencies["@pulumi/pulumi"];
    deepEqual(
      used.filter((each) => !each.endsWith(` ${sdk}`)),
      [],
    );
  });
});

it("supply chain: docs/reference/requirements.md lists the versions that the tests run", () => {
  const rows = text("docs/reference/requirements.md").replaceAll(/ +/g, " ");
  const pinned = (name: string) =>
    new RegExp(`${name} v(\\S+)`).exec(text("tests/bed/tools/go.mod"))?.[1] ?? "";
  const pulumi = pinned("pulumi/pkg/v3");
  const { requiredPulumiVersion } = z
    .looseObject({ requiredPulumiVersion: z.string() })
    .parse(parse(text("Pulumi.yaml")));
  equal(requiredPulumiVersion, `>=${pulumi}`);
  const node = /"node": ">=([\d.]+)"/.exec(text("package.json"))?.[1] ?? "";
  const [, minor = "", patch = ""] = charts.keys.version.default.split(".");
  for (const row of [
    `| Pulumi's CLI | ${pulumi} and later | ${pulumi};`,
    `| Node.js | ${node} and later | ${node}`,
    `${pinned("k8s.io/kubernetes")} in every run`,
    `edge-26.${minor}.${patch},`,
  ])
    ok(rows.includes(row), row);
});
