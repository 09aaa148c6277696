import type { Picture } from "../picture.ts";
import { appearancesIn } from "./appearances.ts";
import { announce, byId, element } from "./elements.ts";
import { matrix } from "./matrix.ts";
import { clusterPanel, linkPanel, overview, type Panel, servicePanel } from "./panel.ts";

const picture = JSON.parse(byId("data").textContent) as Picture;
const services = appearancesIn(picture);
const view = byId("picture");
const graph = view.querySelector("svg");
const mostInGraph = 20;
const mostLines = 60;

/** What the address after # asks for; the overview if it asks for nothing that is there. */
function panelOf(address: string): Panel {
  const [kind = "", rest = ""] = /^#([a-z]+)\/(.*)$/.exec(address)?.slice(1) ?? [];
  const link = kind === "link" ? picture.links[Number(rest)] : undefined;
  if (link !== undefined) return linkPanel(link);
  const cluster = kind === "cluster" ? clusterPanel(picture, Number(rest)) : undefined;
  if (cluster !== undefined) return cluster;
  const service = kind === "service" ? services.get(decoded(rest)) : undefined;
  return service === undefined ? overview(picture, services) : servicePanel(service);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function show(): void {
  const { title, content } = panelOf(location.hash);
  const home = location.hash === "" || location.hash === "#";
  const heading = element("h2", { tabindex: "-1" }, title);
  const back = element("a", { href: "#", class: "back" }, "Overview");
  byId("panel").replaceChildren(...(home ? [] : [back]), heading, ...content);
  for (const each of view.querySelectorAll("[aria-current]")) each.removeAttribute("aria-current");
  for (const each of anchors())
    if (each.getAttribute("href") === location.hash && !home)
      each.setAttribute("aria-current", "true");
  if (!home) heading.focus();
  announce(title);
}

function draw(asMatrix: boolean): void {
  if (graph === null || asMatrix) view.replaceChildren(matrix(picture));
  else view.replaceChildren(graph);
  byId("as-graph").setAttribute("aria-pressed", String(!asMatrix));
  byId("as-matrix").setAttribute("aria-pressed", String(asMatrix));
  // One stop for Tab; the arrow keys go on from there.
  anchors().forEach((each, index) => {
    each.setAttribute("tabindex", index === 0 ? "0" : "-1");
  });
}

function anchors(): Element[] {
  return [...view.querySelectorAll("a[href]")];
}

const directions: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The nearest cluster or link that way, one that is straight ahead before one that is aside. */
function next(from: Element, [x, y]: readonly [x: number, y: number]): Element | undefined {
  const here = centre(from);
  const ranked = anchors().flatMap((each) => {
    const there = centre(each);
    const ahead = (there.x - here.x) * x + (there.y - here.y) * y;
    const aside = Math.abs((there.x - here.x) * y) + Math.abs((there.y - here.y) * x);
    return each === from || ahead < 1 ? [] : [{ each, far: ahead + 3 * aside }];
  });
  return ranked.sort((one, other) => one.far - other.far)[0]?.each;
}

/** Of a link, where its count is. */
function centre(anchor: Element): { readonly x: number; readonly y: number } {
  const { x, y, width, height } = (anchor.querySelector("rect") ?? anchor).getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
}

view.addEventListener("keydown", (event) => {
  const direction = directions[event.key];
  const from = event.target;
  if (direction === undefined || !(from instanceof Element)) return;
  const to = next(from, direction);
  event.preventDefault();
  if (!(to instanceof HTMLElement || to instanceof SVGElement)) return;
  from.setAttribute("tabindex", "-1");
  to.setAttribute("tabindex", "0");
  to.focus();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || location.hash === "") return;
  const from = view.querySelector<SVGElement | HTMLElement>("[aria-current]");
  location.hash = "";
  from?.focus();
});
addEventListener("hashchange", show);
byId("as-graph").addEventListener("click", () => {
  draw(false);
});
byId("as-matrix").addEventListener("click", () => {
  draw(true);
});
byId("views").hidden = graph === null;
draw(picture.clusters.length > mostInGraph || picture.links.length > mostLines);
show();
