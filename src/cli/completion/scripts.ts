/**
 * Completion scripts for `kubectl gc-tree` and for `kubectl-gc_tree`, the only file needed on the PATH, which each
 * script calls with `__complete`. For `kubectl gc-tree` they precede kubectl's own completion, which asks plugins only
 * through another executable (kubectl pkg/cmd/plugin/plugin_completion.go), and leave other commands to it.
 */

import { shells } from '../program/command-table.ts';
import { UsageError } from '../runtime/errors.ts';

// Aliases use kubectl's function (`complete -F __start_kubectl k`), so this replaces the function, not its
// registration.
const bash = `# bash completion for kubectl gc-tree. Read it after kubectl's own.
_kubectl_gc_tree_offer() { # what readline replaces, and how many words name the program
    local out directive line
    COMPREPLY=()
    out=$(GC_TREE_COMPLETE=bash command kubectl-gc_tree __complete "\${COMP_LINE:0:COMP_POINT}" "$1" "$2" 2>/dev/null) || return
    directive=\${out##*:}
    out=\${out%:*}
    while IFS= read -r line; do
        line=\${line%%$'\\t'*}
        [[ -n $line ]] && COMPREPLY+=("$line")
    done <<< "$out"
    if (( directive & 2 )); then compopt -o nospace 2>/dev/null; fi
    if (( directive & 4 )); then compopt +o default 2>/dev/null
    elif (( \${#COMPREPLY[@]} == 0 )); then compopt -o default 2>/dev/null; fi
}
_kubectl_gc_tree() { _kubectl_gc_tree_offer "$2" 1; }
complete -F _kubectl_gc_tree kubectl-gc_tree

_kubectl_gc_tree_is_asked() { (( COMP_CWORD > 1 )) && [[ \${COMP_WORDS[1]} == gc-tree ]]; }
_kubectl_gc_tree_go_first() {
    local kubectl
    kubectl=$(declare -f __start_kubectl) || return
    [[ $kubectl == *_kubectl_gc_tree_offer* ]] && return
    eval "_kubectl_gc_tree_others\${kubectl#__start_kubectl}"
    __start_kubectl() {
        if _kubectl_gc_tree_is_asked; then _kubectl_gc_tree_offer "$2" 2; else _kubectl_gc_tree_others "$@"; fi
    }
}
# Where bash-completion has yet to read kubectl's script.
_kubectl_gc_tree_before_kubectl() {
    local load
    for load in _comp_load __load_completion _completion_loader; do
        if declare -F "$load" >/dev/null; then "$load" kubectl >/dev/null 2>&1; break; fi
    done
    if _kubectl_gc_tree_go_first; then return 124; fi
    complete -o default -F _kubectl_gc_tree_before_kubectl kubectl
    COMPREPLY=()
    if _kubectl_gc_tree_is_asked; then _kubectl_gc_tree_offer "$2" 2; fi
}
_kubectl_gc_tree_go_first || complete -p kubectl &>/dev/null ||
    complete -o default -F _kubectl_gc_tree_before_kubectl kubectl
`;

// A pattern's function runs before the command's, in either order of loading.
const zsh = `#compdef kubectl-gc_tree -p kubectl
# zsh completion for kubectl gc-tree.
_kubectl_gc_tree() {
    local out directive line name
    local -a candidates nospace
    local -i named=1
    if [[ \${words[1]:t} != kubectl-gc_tree ]]; then
        (( CURRENT > 2 )) && [[ \${words[2]} == gc-tree ]] || return 1
        named=2
        _compskip=all
    fi
    out=$(GC_TREE_COMPLETE=zsh command kubectl-gc_tree __complete "\${(@Q)words[named+1,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null) || return
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
        compset -P '-[^=]#='
        _files
    fi
}
if [[ \${funcstack[1]} == _kubectl_gc_tree ]]; then
    _kubectl_gc_tree "$@"
else
    compdef _kubectl_gc_tree kubectl-gc_tree
    compdef -p _kubectl_gc_tree kubectl
fi
`;

const fish = `# fish completion for kubectl gc-tree. Read it after kubectl's own.
function __kubectl_gc_tree_offer --argument-names asker named # how many words name the program
    set -l words (commandline -opc)
    set -e words[1..$named]
    set -l current (commandline -ct)
    # Without its quotes, if they are complete.
    set -l plain (string unescape -- $current)
    and set current $plain
    set -l answer (GC_TREE_COMPLETE=$asker command kubectl-gc_tree __complete $words "$current" 2>/dev/null)
    if test (count $answer) -gt 1
        printf '%s\\n' $answer[1..-2]
    else if test "$answer" = :0
        set -l flag (string match -r -- '^-[^=]*=' $current)
        string replace -r -- '^' "$flag" (__fish_complete_path (string replace -r -- '^-[^=]*=' '' $current))
    end
end
function __kubectl_gc_tree_is_asked
    set -l words (commandline -opc)
    # With this on the PATH kubectl asks by itself.
    test "$words[2]" = gc-tree; and not type -q kubectl_complete-gc_tree
end
complete -c kubectl-gc_tree -e
complete -c kubectl-gc_tree -f -a '(__kubectl_gc_tree_offer fish 1)'
# kubectl's script takes away what others said about kubectl: where fish has yet to read it, it does so now.
if status is-interactive; and not functions -q __kubectl_perform_completion; and type -q kubectl
    for folder in $fish_complete_path
        test -f $folder/kubectl.fish; or continue
        complete --do-complete 'kubectl ' >/dev/null 2>&1
        break
    end
end
complete -c kubectl -n __kubectl_gc_tree_is_asked -f -a '(__kubectl_gc_tree_offer fish-kubectl 2)'
`;

// A command has one completer, so this one calls kubectl's, which is in a variable of its script.
const powershell = `# PowerShell completion for kubectl gc-tree. Read it after kubectl's own.
[scriptblock]$__kubectlGcTreeCompleterBlock = {
    param($wordToComplete, $commandAst, $cursorPosition)
    $elements = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition })
    $named = if ("$($elements[0])" -match 'kubectl-gc_tree(\\.[a-z0-9]+)?$') { 1 } else { 2 }
    $words = @($elements | Select-Object -Skip $named | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { "$_" }
    })
    if ($wordToComplete -eq '') { $words += '""' }
    $env:GC_TREE_COMPLETE = 'powershell'
    try {
        $answer = @(& kubectl-gc_tree __complete @words 2>$null)
    } finally {
        Remove-Item Env:GC_TREE_COMPLETE
    }
    $found = @($answer | Where-Object { $_ -notmatch '^:\\d+$' })
    # Nothing at all would be completed with the names of files.
    if ($found.Count -eq 0 -and $answer.Count -gt 0 -and ([int]$answer[-1].TrimStart(':') -band 4) -ne 0) { return '' }
    $found | ForEach-Object {
        $name, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $name }
        [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $description)
    }
}
Register-ArgumentCompleter -Native -CommandName 'kubectl-gc_tree' -ScriptBlock $__kubectlGcTreeCompleterBlock
if ($__kubectlCompleterBlock) {
    Register-ArgumentCompleter -Native -CommandName 'kubectl' -ScriptBlock {
        param($wordToComplete, $commandAst, $cursorPosition)
        $second = $commandAst.CommandElements[1]
        $isAsked = "$second" -ceq 'gc-tree' -and $cursorPosition -gt $second.Extent.EndOffset
        $block = if ($isAsked) { $__kubectlGcTreeCompleterBlock } else { $__kubectlCompleterBlock }
        & $block $wordToComplete $commandAst $cursorPosition
    }
}
`;

const scripts: Readonly<Record<(typeof shells)[number], string>> = { bash, zsh, fish, powershell };

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
