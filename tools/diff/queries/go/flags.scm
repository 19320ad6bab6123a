; Options of the command line: the standard library's flag, and pflag as cobra uses it.
; Name, default and help stand alone, behind a pointer (…Var), with a short name (…P), or both (…VarP).

(call_expression
  function: (selector_expression field: (field_identifier) @_type)
  arguments: (argument_list . (interpreted_string_literal) @flag.name . (_) @flag.default . (_) @flag.help .)
  (#match? @_type "^(String|Bool|Duration|Float|Int|Uint|IP|Bytes)[A-Za-z0-9]*$")
  (#not-match? @_type "(Var|P)$")) @flag

(call_expression
  function: (selector_expression field: (field_identifier) @_type)
  arguments: (argument_list
    . (interpreted_string_literal) @flag.name . (interpreted_string_literal) . (_) @flag.default . (_) @flag.help .)
  (#match? @_type "^(String|Bool|Duration|Float|Int|Uint|IP|Bytes)[A-Za-z0-9]*P$")
  (#not-match? @_type "VarP$")) @flag

(call_expression
  function: (selector_expression field: (field_identifier) @_type)
  arguments: (argument_list
    . (_) . (interpreted_string_literal) @flag.name . (_) @flag.default . (_) @flag.help .)
  (#match? @_type "^(String|Bool|Duration|Float|Int|Uint|IP|Bytes)[A-Za-z0-9]*Var$")) @flag

(call_expression
  function: (selector_expression field: (field_identifier) @_type)
  arguments: (argument_list
    . (_) . (interpreted_string_literal) @flag.name . (interpreted_string_literal)
    . (_) @flag.default . (_) @flag.help .)
  (#match? @_type "^(String|Bool|Duration|Float|Int|Uint|IP|Bytes)[A-Za-z0-9]*VarP$")) @flag
