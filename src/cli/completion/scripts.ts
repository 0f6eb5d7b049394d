/**
 * Completion scripts for the executable itself. Each asks `kubectl_complete-gc_tree`, which answers as
 * kubectl expects of its plugins: a candidate and its description a line, then `:` and a directive. What it is asked
 * and how candidates are quoted is each shell's own: see `offered.ts`.
 */
import { UsageError } from '../errors.ts';
import { shells } from '../program.ts';

const bash = `# bash completion for kubectl-gc_tree
_kubectl_gc_tree() {
    local out directive line
    COMPREPLY=()
    out=$(GC_TREE_COMPLETE=bash kubectl_complete-gc_tree "\${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null) || return
    directive=\${out##*:}
    out=\${out%:*}
    while IFS= read -r line; do
        line=\${line%%$'\\t'*}
        [[ -n $line ]] && COMPREPLY+=("$line")
    done <<< "$out"
    if (( directive & 2 )); then compopt -o nospace 2>/dev/null; fi
    if (( !(directive & 4) )) && (( \${#COMPREPLY[@]} == 0 )); then compopt -o default 2>/dev/null; fi
}
complete -F _kubectl_gc_tree kubectl-gc_tree
`;

const zsh = `#compdef kubectl-gc_tree
_kubectl_gc_tree() {
    local out directive line name
    local -a candidates nospace
    out=$(GC_TREE_COMPLETE=zsh kubectl_complete-gc_tree "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null) || return
    directive=\${out##*:}
    out=\${out%:*}
    for line in "\${(@f)out}"; do
        [[ -z $line ]] && continue
        name=\${line%%$'\\t'*}
        name=\${name//\\\\/\\\\\\\\}
        name=\${name//:/\\\\:}
        if [[ $line == *$'\\t'* ]]; then
            candidates+=("$name:\${line#*$'\\t'}")
        else
            candidates+=("$name")
        fi
    done
    (( directive & 2 )) && nospace=(-S '')
    if (( \${#candidates} )); then
        _describe 'gc-tree' candidates $nospace
    elif (( !(directive & 4) )); then
        _files
    fi
}
compdef _kubectl_gc_tree kubectl-gc_tree
`;

const fish = `# fish completion for kubectl-gc_tree
function __kubectl_gc_tree_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    # Without its quotes, if they are complete.
    set -l plain (string unescape -- $current)
    and set current $plain
    GC_TREE_COMPLETE=fish kubectl_complete-gc_tree $words "$current" 2>/dev/null | string match -v -r '^:[0-9]+$'
end
complete -c kubectl-gc_tree -f -a '(__kubectl_gc_tree_complete)'
`;

const powershell = `# PowerShell completion for kubectl-gc_tree
Register-ArgumentCompleter -Native -CommandName 'kubectl-gc_tree' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($wordToComplete -eq '') { $words += '""' }
    $env:GC_TREE_COMPLETE = 'powershell'
    try {
        & kubectl_complete-gc_tree @words 2>$null | Where-Object { $_ -notmatch '^:\\d+$' } | ForEach-Object {
            $name, $description = $_ -split "\`t", 2
            if (-not $description) { $description = $name }
            [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $description)
        }
    } finally {
        Remove-Item Env:GC_TREE_COMPLETE
    }
}
`;

const scripts: Readonly<Record<(typeof shells)[number], string>> = { bash, zsh, fish, powershell };

/** The script for a shell; throws a `UsageError` for others. */
export function completionScript(shell: string): string {
  const known = shells.find(each => each === shell);
  if (known === undefined)
    throw new UsageError(
      shell === ''
        ? `name a shell: ${shells.join(', ')}.`
        : `no completion for the shell ${JSON.stringify(shell)}. There is one for ${shells.join(', ')}.`,
    );
  return scripts[known];
}
