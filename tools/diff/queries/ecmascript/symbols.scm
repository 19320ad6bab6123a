; Functions, classes and constants as JavaScript and TypeScript both have them.

(function_declaration name: (identifier) @function.name) @function
(generator_function_declaration name: (identifier) @function.name) @function
(method_definition name: (_) @function.name) @function
(variable_declarator name: (identifier) @function.name value: [(arrow_function) (function_expression)]) @function
(program
  (expression_statement
    (assignment_expression
      left: (member_expression object: (_) @function.owner property: (_) @function.name)
      right: [(arrow_function) (function_expression)]) @function))

(class_declaration
  decorator: (decorator)* @class.decorator
  name: (_) @class.name
  (class_heritage (_)+ @class.base)?) @class

; Constants of a module; what it takes from others by `require` is none.

(program
  [(lexical_declaration
     (variable_declarator
       name: (identifier) @constant.name
       value: [(string) (template_string) (number) (regex) (true) (false) (null) (undefined) (array) (object)
               (identifier) (member_expression) (subscript_expression) (call_expression) (new_expression)
               (unary_expression) (binary_expression) (ternary_expression)] @constant.value) @constant)
   (variable_declaration
     (variable_declarator
       name: (identifier) @constant.name
       value: [(string) (template_string) (number) (regex) (true) (false) (null) (undefined) (array) (object)
               (identifier) (member_expression) (subscript_expression) (call_expression) (new_expression)
               (unary_expression) (binary_expression) (ternary_expression)] @constant.value) @constant)]
  (#not-match? @constant.value "^require\\("))

(export_statement
  "export" @constant.public
  declaration: (_
    (variable_declarator
      name: (identifier) @constant.name
      value: [(string) (template_string) (number) (regex) (true) (false) (null) (undefined) (array) (object)
              (identifier) (member_expression) (subscript_expression) (call_expression) (new_expression)
              (unary_expression) (binary_expression) (ternary_expression)] @constant.value) @constant))

; What `export` stands before.

(export_statement "export" @function.public declaration: (function_declaration name: (_) @function.name) @function)
(export_statement
  "export" @function.public
  declaration: (generator_function_declaration name: (_) @function.name) @function)
(export_statement
  "export" @function.public
  declaration: (_
    (variable_declarator
      name: (identifier) @function.name
      value: [(arrow_function) (function_expression)]) @function))
(export_statement "export" @class.public declaration: (class_declaration name: (_) @class.name) @class)
