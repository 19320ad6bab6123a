; HTTP routes of FastAPI, Starlette, Flask and aiohttp.

(decorator
  (call
    function: (attribute attribute: (identifier) @route.method)
    arguments: (argument_list . (string) @route.name))
  (#any-of? @route.method "get" "post" "put" "delete" "patch" "head" "options" "route" "api_route" "websocket")
  (#match? @route.name "^.?[\"']/")) @route

(call
  function: (attribute attribute: (identifier) @route.method)
  arguments: (argument_list . (string) @route.name)
  (#any-of? @route.method "add_api_route" "add_route" "add_url_rule" "add_get" "add_post" "mount")
  (#match? @route.name "^.?[\"']/")) @route
