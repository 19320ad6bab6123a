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
