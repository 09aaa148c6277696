import * as pulumi from "@pulumi/pulumi";
import { preflight } from "./components/preflight.ts";
import { stackConfig } from "./config/stack.ts";
import { Mesh } from "./components/mesh.ts";
import { TrustStack } from "./components/trust-stack.ts";

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
