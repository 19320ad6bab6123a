; Names that a module gives to others: `__all__`, and what it imports by name.

(module
  (expression_statement
    [(assignment left: (identifier) @_all right: [(list (string) @export.name @export) (tuple (string) @export.name @export)])
     (augmented_assignment left: (identifier) @_all right: [(list (string) @export.name @export) (tuple (string) @export.name @export)])])
  (#eq? @_all "__all__"))

(module (import_from_statement module_name: (_) @import.value name: (dotted_name) @import.name) @import)
(module
  (import_from_statement
    module_name: (_) @import.value
    name: (aliased_import alias: (identifier) @import.name)) @import)
(module (import_from_statement module_name: (_) @import.value (wildcard_import) @import.name) @import)
(module (try_statement (block (import_from_statement module_name: (_) @import.value name: (dotted_name) @import.name) @import)))
(module (if_statement (block (import_from_statement module_name: (_) @import.value name: (dotted_name) @import.name) @import)))
