@echo off
rem Like the script beside it. Node takes no path with a drive for an import, but Pulumi starts this in the program's folder.
node --max-semi-space-size=8 --import ./engine/compile-cache.mjs --import ./engine/lean.mjs --import ./engine/providers/preload.mjs "%~dp0..\..\node_modules\@pulumi\pulumi\cmd\dynamic-provider\index.js" %*
