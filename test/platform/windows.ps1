# Runs the product in PowerShell on Windows: commands, files with Windows' line ends and paths, and completion by Tab.
$ErrorActionPreference = 'Stop'
$bin = Join-Path $PSScriptRoot '..\..\bin'
$folder = Join-Path ([IO.Path]::GetTempPath()) "gc-tree-$PID"
New-Item -ItemType Directory $folder | Out-Null
Set-Content (Join-Path $folder 'kubectl-gc_tree.cmd') "@node `"$bin\kubectl-gc_tree`" %*"
$env:PATH = "$folder;$env:PATH"

function Assert($condition, $what) { if (-not $condition) { throw "failed: $what" } }

$version = kubectl-gc_tree version --client
Assert ($LASTEXITCODE -eq 0 -and "$version" -match '^kubectl gc-tree \d') 'version'

$manifest = Join-Path $folder 'owner.yaml'
$lines = 'apiVersion: v1', 'kind: ConfigMap', 'metadata: {name: owner, namespace: shop, uid: a}', '---',
    'apiVersion: v1', 'kind: ConfigMap',
    'metadata: {name: dependent, namespace: shop, uid: b, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: a}]}'
[IO.File]::WriteAllText($manifest, ($lines -join "`r`n") + "`r`n")
$tree = kubectl-gc_tree tree -n shop -f $manifest
Assert ($LASTEXITCODE -eq 0 -and ("$tree" -match 'dependent')) 'a file with a path and line ends of Windows'

Assert (Test-Path (Join-Path $env:LOCALAPPDATA 'kubectl-gc-tree\cache')) 'the cache in %LOCALAPPDATA%'

kubectl-gc_tree completion powershell | Out-String | Invoke-Expression
$line = 'kubectl-gc_tree chec'
$found = (TabExpansion2 $line $line.Length).CompletionMatches.CompletionText
Assert ($found -contains 'check') 'completion by Tab'

kubectl-gc_tree why nothing/there -f (Join-Path $folder 'missing.yaml') 2>$null
Assert ($LASTEXITCODE -eq 2) 'the exit code of wrong use'
Remove-Item -Recurse $folder
'all passed'
