import { access, constants, stat } from "node:fs/promises";
import { delimiter, join, sep } from "node:path";

/** Finds a program in KUBEBUILDER_ASSETS or on PATH. */
export async function programOnPath(name: string): Promise<string | undefined> {
  const folders = [
    process.env["KUBEBUILDER_ASSETS"],
    ...(process.env["PATH"] ?? "").split(delimiter),
  ];
  for (const folder of folders) {
    if (folder === undefined || folder === "") continue;
    // npm scripts put node_modules/.bin on PATH: what lies there under these names are launchers that download.
    if (folder.split(sep).includes("node_modules")) continue;
    const candidate = join(folder, name);
    if ((await isFile(candidate)) && (await isExecutable(candidate))) return candidate;
  }
  return undefined;
}

export async function missingOnPath(names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(names.map(programOnPath));
  return names.filter((_, index) => found[index] === undefined);
}

export async function notOnPath(names: readonly string[]): Promise<string[]> {
  return (await missingOnPath(names)).map((name) => `${name} is not on PATH`);
}

export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
