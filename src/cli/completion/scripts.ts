export const SHELLS = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof SHELLS)[number]

/** Scripts that a shell runs once. They call `rfqctl completion` at each Tab, so they never become stale. */
export const SCRIPTS: Readonly<Record<Shell, (pathOptions: readonly string[]) => string>> = {
  bash: () => `# Completion of rfqctl for bash. In ~/.bashrc: source <(rfqctl completion bash)
_rfqctl() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" completion bash --line "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
}
complete -o default -F _rfqctl rfqctl`,

  zsh: () => `#compdef rfqctl
# Completion of rfqctl for zsh. In ~/.zshrc, after compinit: source <(rfqctl completion zsh)
_rfqctl() {
  local -a candidates
  candidates=(\${(f)"$("$words[1]" completion zsh --line "\${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)"})
  if (( $#candidates )); then _describe rfqctl candidates; else _files; fi
}
compdef _rfqctl rfqctl`,

  fish: (pathOptions) =>
    [
      '# Completion of rfqctl for fish. In ~/.config/fish/config.fish: rfqctl completion fish | source',
      "complete -c rfqctl -f -a '(rfqctl completion fish --line (commandline -cp) 2>/dev/null)'",
      ...pathOptions.map((option) => `complete -c rfqctl -l ${option.slice(2)} -r -F`),
    ].join('\n'),
}
