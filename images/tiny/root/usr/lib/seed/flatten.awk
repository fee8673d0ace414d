# Reads YAML as seeds are written, in block or in flow style, or JSON. Prints a line "key<tab>value" for each
# scalar, key being the nearest one before it.

function emit(  value) {
  value = word
  sub(/[ \t]+$/, "", value)
  if (quoted || (value != "" && value !~ /^[|>][-+]?$/)) print key "\t" value
  word = ""
  quoted = 0
}

{
  line = $0
  n = length(line)
  for (i = 1; i <= n; i++) {
    c = substr(line, i, 1)
    following = i == n ? " " : substr(line, i + 1, 1)
    if (quote != "") {
      if (c == "\\" && quote == "\"") word = word substr(line, ++i, 1)
      else if (c == quote && quote == "'" && following == "'") word = word substr(line, ++i, 1)
      else if (c == quote) quote = ""
      else word = word c
    } else if (word == "" && !quoted && (c == "\"" || c == "'")) {
      quote = c
      quoted = 1
    } else if (c == ":" && (quoted || following ~ /[ \t]/)) {
      key = word
      word = ""
      quoted = 0
      if (key == "chpasswd") print key "\t"
    } else if (word == "" && (c == "[" || c == "{")) depth++
    else if (depth > 0 && (c == "," || c == "]" || c == "}")) {
      emit()
      if (c != ",") depth--
    } else if (word == "" && c == "-" && following ~ /[ \t]/) continue
    else if (c == "#" && (i == 1 || substr(line, i - 1, 1) ~ /[ \t]/)) break
    else if (word != "" || c !~ /[ \t]/) word = word c
  }
  # Nothing in a seed goes on in another line: a lost quote must not swallow the rest.
  quote = ""
  emit()
}
