#!/bin/sh
# Ends process groups and deletes a folder once the process that started this one is gone, however it went: its end of
# the pipe closes with it. Reads "+ <group>" and "- <group>" lines from that pipe.
folder=$1
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
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
# A process on its way out may still be writing.
tries=100
until rm -rf "$folder" 2>/dev/null || [ $((tries -= 1)) -eq 0 ]; do
  sleep 0.1
done
