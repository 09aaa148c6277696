import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { encodings } from "../unit/kubernetes/quoted-secrets.ts";

/** Secrets by what they are, each long enough not to occur by chance. */
export type Canaries = Readonly<Record<string, string>>;

/** Says which secret is in which form at which place: `token of west in base64, in state/x.json`. */
export class Search {
  readonly #forms: readonly (readonly [string, string])[];

  constructor(canaries: Canaries) {
    this.#forms = Object.entries(canaries).flatMap(([what, secret]) =>
      // What is encoded with something before it has ends that are not the secret's.
      encodings.map(([form, encode]) => [`${what} ${form}`, core(encode(secret))] as const),
    );
    const vague = this.#forms.filter(([, { length }]) => length < 12);
    if (vague.length > 0) throw new Error(`too short to be looked for: ${vague.join("; ")}`);
  }

  inText(place: string, text: string): string[] {
    const searched = letters(text);
    return this.#forms
      .filter(([, form]) => searched.includes(form))
      .map(([what]) => `${what}, in ${place}`);
  }

  /** In every file of a folder, its name included. */
  async inFolder(folder: string): Promise<string[]> {
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const found = files
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return this.inText(relative(folder, path), `${path} ${await readFile(path, "latin1")}`);
      });
    return (await Promise.all(found)).flat();
  }
}

function core(encoded: string): string {
  return letters(encoded).slice(6, -6);
}

/** However it is split, escaped or written in capitals. */
function letters(text: string): string {
  return text
    .replaceAll(/\\+[nrt]/g, "")
    .replaceAll(/[^a-z0-9]/gi, "")
    .toLowerCase();
}
