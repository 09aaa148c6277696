import type { Image } from "../bed/nodes/images.ts";
import { programOnPath } from "../bed/path.ts";

/** The programs of Linkerd-Viz, and Prometheus. */
export const observabilityPrograms = ["metrics-api", "tap", "web", "prometheus"] as const;

/** @param version of Linkerd */
export async function observabilityImages(version: string): Promise<readonly Image[]> {
  const [metricsApi, tap, web, prometheus] = await Promise.all(
    observabilityPrograms.map(async (name) => {
      const from = await programOnPath(name);
      if (from === undefined) throw new Error(`${name} is not on PATH.`);
      return { from };
    }),
  );
  const image = (name: string, path: string, from: typeof tap, more: object = {}): Image => ({
    names: [name],
    files: from === undefined ? {} : { [path]: from },
    config: { Entrypoint: [`/${path}`], ...more },
  });
  const linkerds = (name: string) => `cr.l5d.io/linkerd/${name}:${version}`;
  return [
    image(linkerds("metrics-api"), "metrics-api", metricsApi),
    image(linkerds("tap"), "tap", tap),
    image(linkerds("web"), "linkerd/web", web, { WorkingDir: "/linkerd" }),
    image("docker.io/prom/prometheus:v2.55.1", "bin/prometheus", prometheus),
  ];
}
