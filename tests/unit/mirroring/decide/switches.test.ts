import { testScenarios } from "../../fixtures/scenario.ts";

const shapes = {
  gateway: "shop/web",
  discovery: "shop/web(flat)",
  headless: "shop/web(headless web-0 web-1)",
  "headless without names": "shop/web(headless _ _)",
  nothing: "nothing",
} as const;
const ofPods = "endpoint shop/web-0-west, endpoint shop/web-1-west";
const isMade = {
  gateway: "+ gateway shop/web-west",
  discovery: "+ discovery shop/web-west",
  headless: `+ headless shop/web-west, ${ofPods}`,
} as const;

describe("a Service whose export mode changes (linkerd-behaviour.md 2.16, 3.5)", () => {
  for (const [from, to, changes] of [
    [
      "gateway",
      "discovery",
      '~ discovery shop/web-west: label remote-discovery: none → "west", label remote-service: none → "web", endpoints: 192.0.2.10 (http 4143/TCP) → no object',
    ],
    ["discovery", "gateway", "~ gateway shop/web-west"],
    ["gateway", "headless without names", "none"],
    ["gateway", "headless", `+ ${ofPods}\n± headless shop/web-west`],
    ["headless", "discovery", `- ${ofPods}\n± discovery shop/web-west`],
    ["headless", "headless without names", `- ${ofPods}\n± gateway shop/web-west`],
    ["discovery", "nothing", "- discovery shop/web-west"],
  ] as const)
    testScenarios(`
# takes its mirror from ${from} to ${to}
west: ${shapes[from]}
${isMade[from]}
later; west: ${shapes[to]}
${changes}
`);
});

describe("a mirror that Linkerd's controller created", () => {
  testScenarios(`
# [Q] gets the opaque ports that the controller leaves off a pod's mirror, and nothing else
west: shop/web(headless web-0 @config.linkerd.io/opaque-ports=3306)
+ headless shop/web-west, endpoint shop/web-0-west
edit shop/web-0-west: { metadata: { annotations: { config.linkerd.io/opaque-ports: null } } }
~ endpoint shop/web-0-west: annotation config.linkerd.io/opaque-ports: none → "3306"
`);
});
