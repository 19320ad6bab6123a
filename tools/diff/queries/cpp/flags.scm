; Options of the command line: gflags, absl.

(call_expression
  function: (identifier) @_call
  arguments: (argument_list . (identifier) @flag.name . (_) @flag.default . (_) @flag.help)
  (#match? @_call "^DEFINE_(bool|int32|uint32|int64|uint64|double|string)$")) @flag

(call_expression
  function: (identifier) @_call
  arguments: (argument_list . (_) . (identifier) @flag.name . (_) @flag.default . (_) @flag.help)
  (#eq? @_call "ABSL_FLAG")) @flag

; llama.cpp: `add_opt(common_arg({"-x", "--name"}, "N", "help", handler).set_env("NAME"))`

(call_expression
  function: (identifier) @_call
  arguments: (argument_list
    . (initializer_list (string_literal) @flag.name .)
    [(string_literal) (concatenated_string)]? @flag.help)
  (#eq? @_call "common_arg")) @flag

(call_expression
  function: (field_expression field: (field_identifier) @_call)
  arguments: (argument_list . (string_literal) @env.name .)
  (#eq? @_call "set_env")) @env

; LLVM: `static cl::opt<int> Name("name", cl::desc("help"), cl::init(3));`
(declaration
  type: (qualified_identifier name: (template_type name: (type_identifier) @_type))
  declarator: (init_declarator value: (argument_list . (string_literal) @flag.name))
  (#eq? @_type "opt")) @flag
(declaration
  type: (qualified_identifier name: (template_type name: (type_identifier) @_type))
  declarator: (init_declarator
    value: (argument_list
      . (string_literal) @flag.name
      (call_expression
        function: (qualified_identifier name: (_) @_part)
        arguments: (argument_list . (_) @flag.default))))
  (#eq? @_type "opt")
  (#eq? @_part "init")) @flag
(declaration
  type: (qualified_identifier name: (template_type name: (type_identifier) @_type))
  declarator: (init_declarator
    value: (argument_list
      . (string_literal) @flag.name
      (call_expression
        function: (qualified_identifier name: (_) @_part)
        arguments: (argument_list . (_) @flag.help))))
  (#eq? @_type "opt")
  (#eq? @_part "desc")) @flag
