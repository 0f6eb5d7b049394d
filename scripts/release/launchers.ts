/**
 * What is started in an archive: on Linux and macOS a shell script, which a machine with nothing but a shell runs; on
 * Windows what `windows-executable.ts` makes.
 */

/** Where an archive has the libraries that Node needs and slim images lack. */
export const LIBRARIES = 'lib';

/**
 * Starts a module of `dist` on the archive's own Node, through whatever symbolic links it is reached. Nothing but what
 * the shell has in itself is run, `readlink` where there is a link.
 */
export function launcher(module: string, hasLibraries: boolean): string {
  return `#!/bin/sh
# Starts kubectl gc-tree on the Node beside it, also through symbolic links.
self=$0
case $self in
  */*) ;;
  *) if [ -e "$self" ]; then self=./$self; else self=$(command -v -- "$self"); fi ;;
esac
while [ -h "$self" ]; do
  to=$(readlink -- "$self") || { echo 'kubectl gc-tree: readlink is needed where it is started through a link.' >&2; exit 2; }
  case $to in /*) self=$to ;; *) self=\${self%/*}/$to ;; esac
done
here=\${self%/*}
${hasLibraries ? libraries : ''}exec "$here/lib/node" "$here/dist/${module}" "$@"
`;
}

/**
 * Node alone shall find them: scripts/loading/library-path.ts takes them back before anything else is started. The folder of the
 * program is named first as the loader does; where there is no /proc, the loader doesn't know that folder. A path with a
 * colon or a semicolon cannot be named: what follows it would be looked for in the user's folder.
 */
const libraries = `case $here in *[:\\;]*) libraries=\\$ORIGIN ;; *) libraries="\\$ORIGIN:$here/${LIBRARIES}" ;; esac
export KUBECTL_GC_TREE_LIBRARY_PATH="\${LD_LIBRARY_PATH-}"
export LD_LIBRARY_PATH="$libraries\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
`;

/** In a folder on the PATH, Windows finds it as \`kubectl_complete-gc_tree\`. */
export const windowsCompletion = '@"%~dp0kubectl-gc_tree.exe" __complete %*\r\n';
