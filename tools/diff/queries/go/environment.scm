; Environment variables that are read.

(call_expression
  function: (selector_expression operand: (identifier) @_package field: (field_identifier) @_function)
  arguments: (argument_list . [(interpreted_string_literal) (raw_string_literal)] @env.name)
  (#any-of? @_package "os" "syscall")
  (#any-of? @_function "Getenv" "LookupEnv")) @env

; viper: keys of the configuration with their defaults.
(call_expression
  function: (selector_expression field: (field_identifier) @_function)
  arguments: (argument_list . (interpreted_string_literal) @config.name . (_) @config.value .)
  (#eq? @_function "SetDefault")) @config
