; Names that something can be chosen by: calls of a registry, and the commands of cobra.

(call_expression
  function: [(identifier) (selector_expression)] @_call
  arguments: (argument_list . (interpreted_string_literal) @registration.name . (_)? @registration.value)
  (#match? @_call "(^|[.])Register[A-Za-z]*$")) @registration

(composite_literal
  type: (qualified_type) @registration.table
  body: (literal_value
    (keyed_element
      key: (literal_element) @_key
      value: (literal_element (interpreted_string_literal)) @registration.name))
  (#eq? @registration.table "cobra.Command")
  (#eq? @_key "Use")) @registration
