import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import type { Picture } from "../../tool/map/picture.ts";
import { hostileNames, meshOf, renamed } from "../unit/tool/map/meshes.ts";
import { focused, go, hacked, intrude, titles, search, textIn, toEnd } from "./in-page.ts";
import { browsing } from "./opened.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const small = meshOf({ clusters: 3, mirrors: 240, links: "all", preview: true });
const thousands = meshOf({ clusters: 2, mirrors: 10_000, links: "all" });
const hundred = meshOf({ clusters: 100, mirrors: 2_000, links: "hub" });

describe("the page of map, in a browser", () => {
  const open = browsing();

  it("draws every cluster and every link, and asks for nothing", async () => {
    const { page, complaints } = await open(small);
    const lines = await page.locator("#picture a").evaluateAll(titles);
    assert.deepEqual(lines.slice(0, 2), [
      "west to east, by gateway: 40 mirrors, in order, next up +1 ~1 -1",
      "west to north, by gateway: 40 mirrors, 1 not mirrored, in order, next up +1 ~1 -1",
    ]);
    assert.equal(lines.length, 9);
    assert.deepEqual(complaints, []);
  });

  it("shows a link's mirrors, what is not mirrored and why, and what to do", async () => {
    const { page, complaints } = await open(small);
    await page.locator('#picture a[href="#link/4"] rect').click();
    const text = await page.locator("#panel").innerText();
    for (const words of [
      "north to west",
      "the gateway of west fails its probe /ready: check the pods behind it",
      "40 mirrors",
      "team-3/service-3-west",
      "create, now missing",
      "update, now differs (ports: 80/TCP → 80/TCP, 443/TCP)",
      "MissingNamespace",
      "or set createNamespaces on the link",
    ])
      assert.ok(text.includes(words), `${words} is not in ${text}`);
    assert.deepEqual(complaints, []);
  });

  it("shows everywhere that a Service appears", async () => {
    const { page } = await open(small);
    await page.locator("#panel input").fill("shop/cart");
    await page.locator("#panel td a").click();
    const text = await page.locator("#panel").innerText();
    assert.match(text, /Member of federated Services[^]*shop\/cart-federated\s+west\s+east, north/);
  });

  it("searches 5,000 mirrors within 100 ms", async () => {
    const { page } = await open(thousands, { address: "#link/0" });
    const taken = await threadTime(page);
    for (const query of ["service-4", "team-3 service-49", "service-4999", "no such", "east"]) {
      const before = await taken();
      await page.evaluate(search, query);
      const time = (await taken()) - before;
      assert.ok(time < 100, `${query}: ${time} ms`);
    }
    await page.evaluate(search, "team-3 service-49");
    const expected = thousands.links[0]?.mirrors.filter(
      ({ name }) => name.includes("team-3") && name.includes("service-49"),
    );
    assert.equal(await page.locator(".count").first().innerText(), `${expected?.length} of 5,000`);
    await page.locator("#said", { hasText: `${expected?.length} mirrors found` }).waitFor();
  });

  it("holds no more rows than can be seen, down to the last, and sorts by numbers", async () => {
    const { page } = await open(thousands, { address: "#link/0" });
    const rows = page.locator(".scroll").first().locator("tbody tr:not(.gap)");
    await page.locator("th button", { hasText: "Service" }).click();
    assert.match(await rows.first().innerText(), /team-0\/service-0-east/);
    assert.match(await rows.nth(1).innerText(), /team-0\/service-17-east/);
    await page.locator(".scroll").first().evaluate(toEnd);
    await rows.filter({ hasText: "team-16/service-4997-east" }).waitFor();
    assert.ok((await rows.count()) < 60);
  });

  it("is used by the keyboard alone", async () => {
    const { page } = await open(small);
    await page.locator("#as-matrix").focus();
    await page.keyboard.press("Tab");
    const start = await page.evaluate(focused);
    await page.keyboard.press("ArrowDown");
    const next = await page.evaluate(focused);
    assert.notEqual(next, start);
    await page.keyboard.press("Enter");
    await page.locator("#panel .back").waitFor();
    const heading = await page.locator("#panel h2").innerText();
    assert.equal(await page.evaluate(focused), heading);
    await page.keyboard.press("Escape");
    await page.locator("#panel h2", { hasText: "Overview" }).waitFor();
    assert.equal(await page.evaluate(focused), next);
  });

  it("makes a matrix of a hundred clusters, and of few where it is asked to", async () => {
    const { page, complaints } = await open(hundred);
    assert.equal(await page.locator(".matrix td a").count(), hundred.links.length);
    await page.locator('.matrix td a[href="#link/7"]').click();
    assert.equal(await page.locator("#panel h2").innerText(), "west to west-2");
    const few = await open(small);
    await few.page.locator("#as-matrix").click();
    assert.equal(await few.page.locator(".matrix td a").count(), 6);
    assert.deepEqual([...complaints, ...few.complaints], []);
  });

  it("leaves hostile names text", async () => {
    const hostile = renamed(small, hostileNames);
    const { page, complaints } = await open(hostile);
    for (const address of ["", "#link/0", "#cluster/0", "#service/%", "#link/999"]) {
      await page.evaluate(go, address);
      assert.equal(await page.evaluate(hacked), undefined);
      assert.equal(await page.locator("img, iframe, script:not([type])").count(), 0);
    }
    await page.evaluate(go, "#link/0");
    const [link] = hostile.links;
    assert.equal(
      await page.locator("#panel h2").evaluate(textIn),
      `${link?.source ?? ""} to ${link?.target ?? ""}`,
    );
    assert.equal(
      await page.locator(".scroll td a").first().evaluate(textIn),
      link?.mirrors[0]?.name,
    );
    assert.deepEqual(complaints, []);
  });

  it("runs no script but its own, whoever puts one in", async () => {
    const { page, complaints } = await open(small);
    await page.evaluate(intrude);
    assert.equal(await page.evaluate(hacked), undefined);
    assert.match(complaints.join("\n"), /TrustedHTML[^]*TrustedScript/);
  });

  for (const scheme of ["light", "dark"] as const)
    it(`gives axe nothing to find, ${scheme}`, async () => {
      const found: string[] = [];
      const see = async (picture: Picture, address: string, asMatrix = false) => {
        const { page } = await open(picture, { scheme, address });
        if (asMatrix) await page.locator("#as-matrix").click();
        found.push(...(await violations(page)));
      };
      await see(small, "");
      await see(small, "#link/4");
      await see(small, "#cluster/0");
      await see(small, `#service/${encodeURIComponent("shop/cart")}`);
      await see(small, "", true);
      assert.deepEqual(found, []);
    });
});

/** Milliseconds that the page's thread has worked: other programs may have the processor as well. */
async function threadTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN);
  };
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as {
      readonly axe: {
        run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    const result = await run.run();
    return result.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
  });
}
