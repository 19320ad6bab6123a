; Methods that subclasses must have.

(decorated_definition
  (decorator (_) @_decorator)
  definition: (function_definition name: (identifier) @hook.name)
  (#match? @_decorator "(^|[.])abstractmethod$")) @hook
