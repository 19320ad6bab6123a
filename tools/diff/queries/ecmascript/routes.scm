; HTTP routes of express and fastify (by the names of their manuals: app, router, server, fastify) and of Nest.

(call_expression
  function: (member_expression object: (_) @_app property: (property_identifier) @route.method)
  arguments: (arguments . [(string) (template_string)] @route.name . (_))
  (#any-of? @route.method "get" "post" "put" "delete" "patch" "head" "options" "all" "use")
  (#match? @_app "([Aa]pp|[Rr]outer|[Ss]erver|[Ff]astify)$")
  (#match? @route.name "^./")) @route

(decorator
  (call_expression
    function: (identifier) @route.method
    arguments: (arguments . (string) @route.name))
  (#any-of? @route.method "Get" "Post" "Put" "Delete" "Patch" "Head" "Options" "All" "Controller")) @route
