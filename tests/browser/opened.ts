import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { htmlOf } from "../../tool/map/html.ts";
import { layoutOf } from "../../tool/map/layout.ts";
import type { Picture } from "../../tool/map/picture.ts";
import { browserPath, noBrowser } from "./browser.ts";

/** A page of a mesh in a browser, and what the browser says of it. */
interface Opened {
  readonly page: Page;
  /** Errors, warnings and requests of anything but the file itself. */
  readonly complaints: readonly string[];
}

type Open = (
  picture: Picture,
  look?: { readonly address?: string; readonly scheme?: "light" | "dark" },
) => Promise<Opened>;

/** Starts a browser before the tests of a suite and ends it after them; skips them where there is none. */
export function browsing(): Open {
  let browser: Browser | undefined;
  let folder = "";
  let files = 0;
  before(async function () {
    const executablePath = await browserPath();
    if (executablePath === undefined) {
      process.stdout.write(`skipped: ${noBrowser}\n`);
      this.skip();
    }
    folder = await mkdtemp(join(tmpdir(), "map-"));
    // Root has no sandbox.
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  });
  afterEach(async () => {
    await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
  });
  after(async () => {
    await browser?.close();
    if (folder !== "") await rm(folder, { recursive: true });
  });
  return async (picture, { address = "", scheme = "light" } = {}) => {
    if (browser === undefined) throw new Error("The browser has not been started.");
    const file = join(folder, `${(files += 1)}.html`);
    const layout = picture.clusters.length > 20 ? undefined : await layoutOf(picture);
    await writeFile(file, htmlOf(picture, layout));
    const viewport = { width: 1440, height: 900 };
    const context = await browser.newContext({ colorScheme: scheme, viewport });
    const page = await context.newPage();
    const url = pathToFileURL(file).href;
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (request.url().split("#")[0] !== url) complaints.push(`asks for ${request.url()}`);
    });
    await page.goto(url + address);
    return { page, complaints };
  };
}
