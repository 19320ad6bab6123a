; HTTP routes of axum, actix and rocket. A call in a chain begins where the chain does: its arguments tell the lines.

(call_expression
  function: (field_expression field: (field_identifier) @_route)
  arguments: (arguments
    . (string_literal) @route.name
    . [(call_expression function: [(identifier) (scoped_identifier)] @route.method)
       (call_expression
         function: (field_expression
           value: (call_expression function: [(identifier) (scoped_identifier)] @route.method)
           field: (field_identifier) @route.method))
       (call_expression
         function: (field_expression value: (call_expression function: (field_expression)))) @route.method
       (identifier)]) @route
  (#any-of? @_route "route" "nest" "route_service" "nest_service")
  (#match? @route.name "^\"/"))

(attribute_item
  (attribute
    (identifier) @route.method
    arguments: (token_tree . (string_literal) @route.name))
  (#any-of? @route.method "get" "post" "put" "delete" "patch" "head" "options")
  (#match? @route.name "^\"/")) @route
