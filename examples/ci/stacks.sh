#!/bin/sh
# Writes the stack file of each cluster that is named, beside Pulumi.yaml, and prints the names for the matrices of mesh.yml:
#
#   sh examples/ci/stacks.sh west east north
#
# With REPOSITORY=owner/name it also creates the two environments of each stack on GitHub, with `gh`. Stack files that exist
# stay as they are, because they have the salt of the stack's secrets.
set -eu

organization=${ORGANIZATION:-organization}

for cluster in "$@"; do
  file=Pulumi.$cluster.yaml
  if [ -e "$file" ]; then
    echo "$file exists, and stays as it is" >&2
    continue
  fi
  cat > "$file" <<EOF
# The source cluster $cluster: what is written into it, and the accounts of its links in their targets.
config:
  linkerd-multicluster:mesh: mesh.yaml
  linkerd-multicluster:sources: [$cluster]
  linkerd-multicluster:trust:
    stack: $organization/linkerd-multicluster/trust
EOF
done

if [ -n "${REPOSITORY:-}" ]; then
  for stack in trust "$@"; do
    # Only main may use the environment that writes.
    gh api --silent --method PUT "repos/$REPOSITORY/environments/$stack" \
      -F 'deployment_branch_policy[protected_branches]=false' -F 'deployment_branch_policy[custom_branch_policies]=true'
    gh api --silent --method POST "repos/$REPOSITORY/environments/$stack/deployment-branch-policies" -f name=main
    gh api --silent --method PUT "repos/$REPOSITORY/environments/$stack-preview"
  done
fi

echo "stack: [trust$(printf ', %s' "$@")]"
