import { preflight } from "./components/preflight.ts";
import { stackConfig } from "./config/stack.ts";
import { Mesh } from "./components/mesh.ts";

const config = stackConfig();
const observed = config.manage === "mirrors" ? undefined : await preflight(config);

new Mesh("mesh", config, observed);
