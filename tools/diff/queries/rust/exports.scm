; Names that a module gives on: `pub use`, with lists up to two deep.

(use_declaration
  (visibility_modifier) @_pub
  argument: [
    (identifier) @export.name
    (scoped_identifier name: (_) @export.name)
    (use_as_clause alias: (_) @export.name)
    (use_wildcard) @export.name]
  (#eq? @_pub "pub")) @export

(use_declaration
  (visibility_modifier) @_pub
  argument: (_
    list: (use_list
      [(identifier) @export.name
       (scoped_identifier name: (_) @export.name)
       (use_as_clause alias: (_) @export.name)
       (use_wildcard) @export.name] @export))
  (#eq? @_pub "pub"))

(use_declaration
  (visibility_modifier) @_pub
  argument: (_
    list: (use_list
      (_
        list: (use_list
          [(identifier) @export.name
           (scoped_identifier name: (_) @export.name)
           (use_as_clause alias: (_) @export.name)
           (use_wildcard) @export.name] @export))))
  (#eq? @_pub "pub"))
