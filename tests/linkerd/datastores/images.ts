import { debianRoot } from "../../bed/nodes/debian.ts";
import type { Image } from "../../bed/nodes/images.ts";
import { cacheFolder, ensureDatastoreTools, ensureTools } from "../../bed/tools.ts";

export const image = "bed.local/datastores:1";

/** One image has everything that the guide's manifests and this test's run, also under the published images' names. */
export async function datastoreImage(): Promise<Image> {
  const packages = ["coreutils", "dash", "mariadb-client-core", "mariadb-server-core"];
  const { etcd } = await ensureTools();
  const { etcdctl, rpc } = await ensureDatastoreTools();
  return {
    names: [image, "quay.io/coreos/etcd:v3.6.12", "docker.io/library/mariadb:10.11"],
    debian: await debianRoot(await cacheFolder(), packages),
    files: {
      "usr/local/bin/etcd": { from: etcd },
      "usr/local/bin/etcdctl": { from: etcdctl },
      "usr/local/bin/rpc": { from: rpc },
      "usr/local/bin/docker-entrypoint.sh": { text: startMariaDb },
      "var/lib/etcd/.keep": { text: "" },
      "var/lib/mysql/.keep": { text: "" },
    },
    config: { Entrypoint: ["/usr/local/bin/docker-entrypoint.sh"] },
  };
}

/** The published image's script also creates accounts. Without their tables, the server takes any password. */
const startMariaDb = `#!/bin/sh
exec mariadbd --user=root --datadir=/var/lib/mysql --socket=/tmp/mysql.sock \\
  --skip-grant-tables --innodb-buffer-pool-size=16M "$@"
`;
