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

; Options that their parser marks: `deprecated=True` of argparse and click, or an action that is called so.
(call
  function: (_) @_call
  arguments: (argument_list . (string) @deprecation.name
    (keyword_argument name: (identifier) @_key value: (_) @_mark) @deprecation)
  (#match? @_call "(^|[.])(add_argument|option)$")
  (#match? @deprecation.name "^.--")
  (#any-of? @_key "action" "deprecated")
  (#match? @_mark "^True$|(^|[.])Deprecat"))

(call
  function: (_) @_call
  arguments: (argument_list . (string) @deprecation.name
    (keyword_argument name: (identifier) @_key value: (_) @_mark) @deprecation
    (keyword_argument name: (identifier) @_help value: [(string) (concatenated_string) (parenthesized_expression)] @deprecation.message))
  (#match? @_call "(^|[.])(add_argument|option)$")
  (#match? @deprecation.name "^.--")
  (#any-of? @_key "action" "deprecated")
  (#match? @_mark "^True$|(^|[.])Deprecat")
  (#eq? @_help "help"))
