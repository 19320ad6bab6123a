; HTTP routes of net/http, gorilla, chi, gin and echo.

(call_expression
  function: (selector_expression field: (field_identifier) @route.method)
  arguments: (argument_list . (interpreted_string_literal) @route.name . (_))
  (#match? @route.method
    "^(Handle|HandleFunc|Any|GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|Get|Post|Put|Delete|Patch|Head|Options)$")
  (#match? @route.name "^\"([A-Z]+ )?/")) @route
