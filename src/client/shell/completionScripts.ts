/** What a shell is given to complete command lines of strobe: it asks `strobe complete` for each. */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: `# strobe completion bash > ~/.local/share/bash-completion/completions/strobe
_strobe() {
  local IFS=$'\\n' line=\${COMP_LINE:0:COMP_POINT}
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # A name with :: is one word to strobe and several to bash.
  if [[ $COMP_WORDBREAKS == *:* && $line == *::* ]]; then
    IFS=' ' read -r -a words <<< "\${line#* }"
    [[ $line == *' ' ]] && words+=("")
  fi
  local last=\${words[-1]}
  COMPREPLY=($(strobe complete "\${words[@]}" 2>/dev/null))
  if [[ $last == *:* && $COMP_WORDBREAKS == *:* ]]; then
    COMPREPLY=("\${COMPREPLY[@]#\${last%"\${last##*:}"}}")
  fi
}
complete -o default -F _strobe strobe
`,
  zsh: `#compdef strobe
# strobe completion zsh > "\${fpath[1]}/_strobe"
_strobe() {
  local -a found
  found=("\${(@f)$(strobe complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found" ]] && compadd -U -- "\${found[@]}" || _files
}
[[ $funcstack[1] = _strobe ]] && _strobe "$@" || compdef _strobe strobe
`,
  fish: `# strobe completion fish > ~/.config/fish/completions/strobe.fish
complete -c strobe -a '(strobe complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};
