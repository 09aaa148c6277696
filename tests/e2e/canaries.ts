import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { encodings } from "../unit/kubernetes/quoted-secrets.ts";

/** Secrets by name. Each is too long to occur by chance. */
export type Canaries = Readonly<Record<string, string>>;

/** Reports secrets with their form and place: `token of west in base64, in state/x.json`. */
export class Search {
  readonly #forms: readonly (readonly [string, string])[];

  constructor(canaries: Canaries) {
    this.#forms = Object.entries(canaries).flatMap(([what, secret]) =>
      // A secret that is encoded together with other text has different ends.
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

  /** Searches all files of a folder, and their names. */
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

/** Returns the letters and digits, however the text is split, escaped or capitalized. */
function letters(text: string): string {
  return text
    .replaceAll(/\\+[nrt]/g, "")
    .replaceAll(/[^a-z0-9]/gi, "")
    .toLowerCase();
}

/** Returns the unique part of a PEM block. All keys of a kind begin alike. */
export function middleOf(pem: string): string {
  return pem.replaceAll(/-----[A-Z ]+-----|\s/g, "").slice(48, -12);
}
