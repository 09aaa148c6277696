import * as pulumi from "@pulumi/pulumi";
import "./engine/near.mjs";

// Pulumi starts the provider at the first request for it. This one fails, but then the provider's process loads its code
// while this one does. Code that is imported as usual would load before the request, and occupy this thread.
void pulumi.runtime.invoke("pulumi-nodejs:index:start", {}).catch(() => undefined);
await pulumi.runtime.awaitStackRegistrations();
// Once a later request is answered, that one has left.
await pulumi.log.debug("The provider starts.");

const { preflight } = await import("./components/preflight.ts");
const { stackConfig } = await import("./config/stack.ts");
const { Mesh } = await import("./components/mesh.ts");
const { TrustStack } = await import("./components/trust-stack.ts");

const config = stackConfig();
const observed = config.manage === "mirrors" ? undefined : await preflight(config);
for (const warning of observed?.warnings ?? []) await pulumi.log.warn(warning);

const published =
  config.manage === "trust" && observed !== undefined
    ? new TrustStack("trust", config, observed)
    : undefined;
if (published === undefined) await new Mesh("mesh", { config, preflight: observed }).registered();

/** The stacks of the clusters read these outputs from a trust stack; other stacks export nothing. */
export default published === undefined
  ? {}
  : { trust: published.trust, issuerKeys: published.issuerKeys };
