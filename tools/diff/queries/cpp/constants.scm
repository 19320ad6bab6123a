; Values and type aliases of a file, also between #if and #endif. Those inside functions are not matched.

(preproc_def name: (identifier) @constant.name value: (_) @constant.value) @constant

((translation_unit
  (declaration
    type: (_) @constant.type
    declarator: (init_declarator
      declarator: [(identifier) @constant.name (_ declarator: (identifier) @constant.name)]
      value: (_) @constant.value)) @constant)
  (#match? @constant "^[^=;({]*\\b(const|constexpr|static|__constant__)\\b"))
((preproc_ifdef
  (declaration
    type: (_) @constant.type
    declarator: (init_declarator
      declarator: [(identifier) @constant.name (_ declarator: (identifier) @constant.name)]
      value: (_) @constant.value)) @constant)
  (#match? @constant "^[^=;({]*\\b(const|constexpr|static|__constant__)\\b"))
((preproc_if
  (declaration
    type: (_) @constant.type
    declarator: (init_declarator
      declarator: [(identifier) @constant.name (_ declarator: (identifier) @constant.name)]
      value: (_) @constant.value)) @constant)
  (#match? @constant "^[^=;({]*\\b(const|constexpr|static|__constant__)\\b"))
((preproc_else
  (declaration
    type: (_) @constant.type
    declarator: (init_declarator
      declarator: [(identifier) @constant.name (_ declarator: (identifier) @constant.name)]
      value: (_) @constant.value)) @constant)
  (#match? @constant "^[^=;({]*\\b(const|constexpr|static|__constant__)\\b"))

(translation_unit (type_definition type: (_) @constant.value declarator: (type_identifier) @constant.name) @constant
  (#not-match? @constant "[{]"))
(preproc_ifdef (type_definition type: (_) @constant.value declarator: (type_identifier) @constant.name) @constant
  (#not-match? @constant "[{]"))
(preproc_if (type_definition type: (_) @constant.value declarator: (type_identifier) @constant.name) @constant
  (#not-match? @constant "[{]"))

; Values and aliases of namespaces and classes.

((declaration_list
  (declaration
    type: (_) @constant.type
    declarator: (init_declarator
      declarator: [(identifier) @constant.name (_ declarator: (identifier) @constant.name)]
      value: (_) @constant.value)) @constant)
  (#match? @constant "^[^=;({]*\\b(const|constexpr|static|__constant__)\\b"))
((template_declaration
  (declaration
    type: (_) @constant.type
    declarator: (init_declarator
      declarator: [(identifier) @constant.name (_ declarator: (identifier) @constant.name)]
      value: (_) @constant.value)) @constant)
  (#match? @constant "^[^=;({]*\\b(const|constexpr|static|__constant__)\\b"))
((field_declaration
  type: (_) @constant.type
  declarator: [(field_identifier) @constant.name (_ declarator: (field_identifier) @constant.name)]
  default_value: (_) @constant.value) @constant
  (#match? @constant "^[^=;(<]*\\b(constexpr|static)\\b"))

(translation_unit (alias_declaration name: (_) @constant.name type: (_) @constant.value) @constant)
(preproc_ifdef (alias_declaration name: (_) @constant.name type: (_) @constant.value) @constant)
(preproc_if (alias_declaration name: (_) @constant.name type: (_) @constant.value) @constant)
(declaration_list (alias_declaration name: (_) @constant.name type: (_) @constant.value) @constant)
(field_declaration_list (alias_declaration name: (_) @constant.name type: (_) @constant.value) @constant)
(template_declaration (alias_declaration name: (_) @constant.name type: (_) @constant.value) @constant)
(declaration_list (type_definition type: (_) @constant.value declarator: (type_identifier) @constant.name) @constant
  (#not-match? @constant "[{]"))

; Names that a namespace takes over from another one.
(translation_unit (using_declaration (qualified_identifier) @import.name) @import
  (#not-match? @import "^using namespace"))
(declaration_list (using_declaration (qualified_identifier) @import.name) @import
  (#not-match? @import "^using namespace"))
