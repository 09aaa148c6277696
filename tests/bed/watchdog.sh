#!/bin/sh
# Ends process groups and deletes a folder once the process that started this one is gone, however it went: its end of
# the pipe closes with it. Reads "+ <group>" and "- <group>" lines from that pipe.
folder=$1
groups=' '
while read -r sign group; do
  case $sign in
    # What came last ends first: the network of nodes has to outlive what uses it.
    +) groups=" $group$groups" ;;
    -)
      case $groups in
        *" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;;
      esac
      ;;
  esac
done
for group in $groups; do
  kill -KILL "-$group" 2>/dev/null
done
# A process on its way out may still be writing, and nodes have control groups that are named after the folder.
tries=100
until sh "$(dirname "$0")/remove.sh" "$folder" || [ $((tries -= 1)) -eq 0 ]; do
  sleep 0.1
done
