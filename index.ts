import { surveyClusters } from "./components/preflight.ts";
import { stackConfig } from "./config/stack.ts";
import { Mesh } from "./components/mesh.ts";

const config = stackConfig();
const survey = config.manage === "mirrors" ? undefined : await surveyClusters(config);

new Mesh("mesh", config, survey);
