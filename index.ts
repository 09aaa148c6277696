import { surveyClusters } from "./components/cluster/survey.ts";
import { stackConfig } from "./components/config/stack.ts";
import { Mesh } from "./components/mesh.ts";

const config = stackConfig();
const survey = config.manage === "mirrors" ? undefined : await surveyClusters(config);

new Mesh("mesh", config, survey);
