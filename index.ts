import { stackConfig } from "./components/config/stack.ts";
import { Mesh } from "./components/mesh.ts";

new Mesh("mesh", stackConfig());
