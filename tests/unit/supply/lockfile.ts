import * as z from "zod";
import { text } from "../docs/pages.ts";

const versions = z.record(z.string(), z.string()).default({});

const manifest = z.looseObject({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
  peerDependencies: versions,
  overrides: versions,
  allowScripts: z.record(z.string(), z.boolean()).default({}),
});

const locked = z.looseObject({
  version: z.string().optional(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().default(false),
  link: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
});

export type Locked = z.output<typeof locked>;

const lockfile = z.looseObject({ packages: z.record(z.string(), locked) });

export function manifestOf(folder: "" | "engine/"): z.output<typeof manifest> {
  return manifest.parse(JSON.parse(text(`${folder}package.json`)));
}

/** What is downloaded from the registry, by its place in node_modules. */
export function downloaded(): ReadonlyMap<string, Locked> {
  const { packages } = lockfile.parse(JSON.parse(text("package-lock.json")));
  const own = ["", "engine"];
  return new Map(
    Object.entries(packages).filter(([place, { link }]) => !own.includes(place) && !link),
  );
}

export function nameOf(place: string): string {
  return place.split("node_modules/").at(-1) ?? place;
}
