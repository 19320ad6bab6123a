; Options of the command line: commander and yargs.

(call_expression
  function: (member_expression property: (property_identifier) @_option)
  arguments: (arguments . (string) @flag.name . [(string) (template_string) (binary_expression)]? @flag.help) @flag
  (#any-of? @_option "option" "requiredOption")
  (#match? @flag.name "^.-"))

(call_expression
  function: (member_expression property: (property_identifier) @_option)
  arguments: (arguments
    . (string) @flag.name
    . [(string) (template_string) (binary_expression)]
    . [(string) (number) (true) (false) (array) (identifier) (member_expression)] @flag.default) @flag
  (#any-of? @_option "option" "requiredOption")
  (#match? @flag.name "^.-"))

(call_expression
  function: (member_expression property: (property_identifier) @_option)
  arguments: (arguments . (string) @flag.name . (object)) @flag
  (#eq? @_option "option"))

(call_expression
  function: (member_expression property: (property_identifier) @_option)
  arguments: (arguments
    . (string) @flag.name
    . (object (pair key: (property_identifier) @_key value: (_) @flag.default))) @flag
  (#eq? @_option "option")
  (#eq? @_key "default"))

(call_expression
  function: (member_expression property: (property_identifier) @_option)
  arguments: (arguments
    . (string) @flag.name
    . (object (pair key: (property_identifier) @_key value: (_) @flag.choices))) @flag
  (#eq? @_option "option")
  (#eq? @_key "choices"))
