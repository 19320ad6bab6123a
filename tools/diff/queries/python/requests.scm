; What a handler reads of a request by name: aiohttp, Starlette, Flask.

(call
  function: (attribute
    object: (attribute object: (_) @_request attribute: (identifier) @_part)
    attribute: (identifier) @_get)
  arguments: (argument_list . (string) @query.name)
  (#match? @_request "(^|[.])(request|req|raw_request|http_request)$")
  (#any-of? @_part "query" "query_params" "args" "form")
  (#eq? @_get "get")) @query

(subscript
  value: (attribute object: (_) @_request attribute: (identifier) @_part)
  subscript: (string) @query.name
  (#match? @_request "(^|[.])(request|req|raw_request|http_request)$")
  (#any-of? @_part "query" "query_params" "args" "form")) @query
