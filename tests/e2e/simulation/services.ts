import { named, port, service } from "./objects.ts";
import type { Conversations } from "./talk.ts";

const web = service("web");
const headless = { clusterIP: "None", ports: [port], selector: { a: "b" } };

export const services: Conversations = {
  "are completed": async ({ create, get, list }) => {
    const dns = named("dns", 53, { protocol: "UDP", targetPort: "dns", appProtocol: "dns" });
    await create(web);
    await create(service("headless", { clusterIP: "None" }));
    await create(service("db", headless));
    await create(service("both", { ports: [port, dns] }));
    await get(web);
    await list(web);
  },

  "keep their ClusterIP": async ({ create, replace, patch, aside }) => {
    const made = await create(web);
    // The real server makes another version of it where nobody sets the ClusterIP any more.
    const { content: db } = await aside("POST", service("db", headless));
    const spec = made.spec as { readonly clusterIP: string };
    const { clusterIP } = spec;
    await replace(web);
    await replace(service("web", { ports: [{ ...port, port: 81 }], clusterIP }));
    await replace(service("web", { ports: [port], clusterIP: "10.100.77.77" }));
    await replace(service("web", { ports: [port], clusterIP: "None" }));
    await replace(service("web", { ...spec, clusterIP: "None" }));
    await replace(service("web", { ...spec, clusterIP: "None", clusterIPs: ["None"] }));
    const {
      clusterIP: _,
      clusterIPs: _all,
      ...rest
    } = db.spec as Readonly<Record<string, unknown>>;
    await replace({ ...db, spec: rest });
    await replace(service("db", { ...headless, clusterIP }));
    await patch(web, { spec: { clusterIP: null } });
    await patch(web, { spec: { clusterIP: "None" } });
  },
};
