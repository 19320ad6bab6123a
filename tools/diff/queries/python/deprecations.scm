; What is marked as deprecated, in the words of its author.

(decorated_definition
  (decorator
    [(identifier) @_call
     (call function: (_) @_call arguments: (argument_list . (_)? @deprecation.message))]) @deprecation
  definition: (_ name: (identifier) @deprecation.name)
  (#match? @_call "(^|[._])deprecated"))

(call
  function: (_) @_call
  arguments: (argument_list . (_) @deprecation.message (_) @_category)
  (#match? @_call "(^|[.])warn$")
  (#match? @_category "(Deprecation|Future)Warning")) @deprecation
