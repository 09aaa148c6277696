// Rules for what a mesh may mirror. Pulumi's engine checks each resource with them after the program has decided, in
// previews too, so they judge every mirror before it exists. They read the inputs of a source's Mirrors resource and
// nothing else: `source`, `links` and `linkDefaults` as the config declares them, and `mirrors`, a line for each by target and
// `namespace/name`. rules.json holds an organization's own values.
import { PolicyPack } from "@pulumi/policy";

/** Names of clusters; a trailing `*` matches any suffix. */
const pairs = {
  type: "array",
  items: {
    type: "object",
    properties: { source: { type: "string" }, target: { type: "string" } },
    required: ["source", "target"],
  },
  default: [],
};

new PolicyPack("linkerd-mesh", {
  enforcementLevel: "mandatory",
  policies: [
    {
      name: "exports-have-owners",
      description: "A Service is exported only when it has its owner's label.",
      configSchema: { properties: { label: { type: "string", default: "owner" } } },
      validateResource: rule(({ links }, { label }, report) => {
        for (const link of links)
          for (const selector of selectors)
            if (!demands(link[selector], label))
              report(
                `${nameOf(link)}: its ${selector} must demand the label ${label}, with the operator Exists`,
              );
      }),
    },
    {
      name: "no-forbidden-links",
      description: "Services of some clusters never appear in others: dev never in prod.",
      configSchema: { properties: { forbidden: pairs } },
      validateResource: rule(({ links }, { forbidden }, report) => {
        for (const link of links)
          if (isListed(link, forbidden))
            report(`${nameOf(link)}: Services of ${link.target} must not appear in ${link.source}`);
      }),
    },
    {
      name: "no-private-ports",
      description: "Some ports never leave their cluster.",
      configSchema: {
        properties: { ports: { type: "array", items: { type: "integer" }, default: [] } },
      },
      validateResource: rule(({ source, mirrors }, { ports }, report) => {
        for (const [mirror, line] of linesOf(mirrors))
          for (const port of portsIn(line).filter((each) => ports.includes(each)))
            report(`${source}/${mirror}: port ${port} is private (${line})`);
      }),
    },
    {
      name: "flat-links-are-listed",
      description: "Only the clusters that are listed for it have a flat network between them.",
      configSchema: { properties: { allowed: pairs } },
      validateResource: rule(({ links }, { allowed }, report) => {
        for (const link of links)
          if (link.gateway === false && !isListed(link, allowed))
            report(`${nameOf(link)}: a flat link is not allowed between them`);
      }),
    },
    {
      name: "few-deletions",
      description: "One run deletes few mirrors: maxDeletions of each link is a small number.",
      configSchema: { properties: { most: { type: "integer", default: 10 } } },
      validateResource: rule(({ links }, { most }, report) => {
        for (const link of links) {
          // A share of five thousand mirrors is not few, so "50%", the default, is refused too.
          const { maxDeletions, allowDeletions } = link;
          if (allowDeletions || !(maxDeletions <= most))
            report(
              `${nameOf(link)}: maxDeletions must be a number of at most ${most}, without allowDeletions`,
            );
        }
      }),
    },
  ],
});

/** The selectors that a link exports by: for its mirrors, for remote discovery, for federated Services. */
const selectors = ["selector", "remoteDiscoverySelector", "federatedServiceSelector"];

/** As programs of Node have it, and those of every other language. */
const types = ["pulumi-nodejs:dynamic/linkerd:Mirrors", "linkerd-multicluster:engine:Mirrors"];

/** A policy for the resource that holds all that is mirrored into one cluster. */
function rule(judge) {
  return ({ type, props, getConfig }, report) => {
    if (types.includes(type)) judge({ ...props, links: linksOf(props) }, getConfig(), report);
  };
}

/** A setting that neither a link nor linkDefaults declares has its default, and is absent here. */
function linksOf({ links, linkDefaults }) {
  return links.map((link) => ({ ...linkDefaults, ...link }));
}

/** An empty selector selects nothing, so it exports nothing without an owner. */
function demands(selector, label) {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return true;
  return matchExpressions.some(({ key, operator }) => key === label && operator === "Exists");
}

/** Where mirrors are not known yet, in the first preview of a whole mesh, a text says so: `up` asks again. */
function linesOf(mirrors) {
  return Object.values(mirrors).flatMap((part) =>
    typeof part === "object" ? Object.entries(part) : [],
  );
}

/** The ports of a line like `gateway mirror of web: http 80/TCP, 443/TCP`. */
function portsIn(line) {
  return [...line.matchAll(/\b(\d+)\/(?:TCP|UDP|SCTP)\b/g)].map(([, port]) => Number(port));
}

function isListed(link, listed) {
  return listed.some(
    ({ source, target }) => fits(link.source, source) && fits(link.target, target),
  );
}

function fits(name, pattern) {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function nameOf({ source, target }) {
  return `link from ${source} to ${target}`;
}
