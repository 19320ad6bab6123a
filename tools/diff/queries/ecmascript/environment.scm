; Environment variables that are read, with what stands in for them.

(member_expression
  object: (member_expression object: [(identifier) (meta_property)] @_process property: (_) @_env)
  property: (property_identifier) @env.name
  (#any-of? @_process "process" "import.meta")
  (#eq? @_env "env")) @env

(subscript_expression
  object: (member_expression) @_env
  index: (string) @env.name
  (#any-of? @_env "process.env" "import.meta.env")) @env

(binary_expression
  left: [(member_expression object: (member_expression) @_env property: (property_identifier) @env.name)
         (subscript_expression object: (member_expression) @_env index: (string) @env.name)]
  operator: ["||" "??"]
  right: (_) @env.default
  (#any-of? @_env "process.env" "import.meta.env")) @env
