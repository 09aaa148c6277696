import { join } from "node:path";
import type { FileIn, Image } from "../bed/nodes/images.ts";
import { repository } from "../bed/stack.ts";

/** The prober loads these of `dependencies` in package.json, with all that they need. */
const packages = [
  ...["@bomb.sh/tab", "commander", "prom-client", "tdigest", "bintrees", "@opentelemetry/api"],
  ...["undici", "p-limit", "yocto-queue", "yaml", "zod", "leven", "cli-table3", "string-width"],
  ...["strip-ansi", "ansi-regex", "emoji-regex", "is-fullwidth-code-point"],
];

/** Has what a prober needs of the image in examples/watch. */
export function proberImage(name: string): Image {
  const own = ["package.json", "cli", "config", "engine"];
  const paths = [...own, ...packages.map((each) => `node_modules/${each}`)];
  const files = paths.map((path): [string, FileIn] => [
    `program/${path}`,
    { from: join(repository, path) },
  ]);
  return {
    names: [name],
    files: {
      ...Object.fromEntries(files),
      // Node takes types out of TypeScript only outside of node_modules.
      "program/node_modules/@linkerd-multicluster/engine": { linkTo: "../../engine" },
      "usr/local/bin/node": { from: process.execPath },
    },
    config: { WorkingDir: "/program" },
  };
}
