; Names that something can be chosen by.

(call_expression
  function: [(identifier) (member_expression)] @_call
  arguments: (arguments . (string) @registration.name . (_) @registration.value)
  (#match? @_call "(^|[.])register[A-Za-z]*$|^customElements[.]define$")) @registration
