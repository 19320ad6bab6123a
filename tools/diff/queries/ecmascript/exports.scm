; Names that a module gives on, by `export` and by CommonJS.

(export_statement
  (export_clause
    [(export_specifier !alias name: (_) @export.name) (export_specifier alias: (_) @export.name)] @export)
  source: (string)? @export.value)

(export_statement (namespace_export (_) @export.name) source: (string) @export.value) @export
(export_statement "*" source: (string) @export.name) @export
(export_statement "default" @export.name value: (identifier) @export.value) @export

(program
  (expression_statement
    (assignment_expression
      left: (member_expression) @_exports
      right: (object
        [(shorthand_property_identifier) @export.name (pair key: (_) @export.name)] @export)))
  (#eq? @_exports "module.exports"))

(program
  (expression_statement
    (assignment_expression
      left: (member_expression object: (_) @_exports property: (_) @export.name)) @export)
  (#any-of? @_exports "exports" "module.exports"))
