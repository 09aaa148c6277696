import * as pulumi from "@pulumi/pulumi";
import { preflight } from "./components/preflight.ts";
import { collidingNames } from "./config/colliding-names.ts";
import { stackConfig } from "./config/stack.ts";
import { Mesh } from "./components/mesh.ts";

const config = stackConfig();
for (const warning of collidingNames(config)) await pulumi.log.warn(warning);
const observed = config.manage === "mirrors" ? undefined : await preflight(config);
for (const warning of observed?.warnings ?? []) await pulumi.log.warn(warning);

new Mesh("mesh", config, observed);
