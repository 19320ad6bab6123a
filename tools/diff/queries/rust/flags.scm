; Options of the command line by clap: `#[arg(long)]` takes the name of its field, `#[arg(long = "name")]` gives one.

((attribute_item (attribute (identifier) @_arg arguments: (token_tree) @_settings))
 . [(attribute_item) (line_comment)]? . (attribute_item)?
 . (field_declaration name: (field_identifier) @flag.name) @flag
 (#any-of? @_arg "arg" "clap")
 (#match? @_settings "[(,]\\s*long\\s*[,)]"))

(attribute_item
  (attribute
    (identifier) @_arg
    arguments: (token_tree (identifier) @_long . "=" . (string_literal) @flag.name))
  (#any-of? @_arg "arg" "clap")
  (#eq? @_long "long")) @flag

; A default is a literal, a constant or the last name of a path. `long` comes first or behind `short`, and at most one
; setting stands between it and the default: free places in a list would be tried against each other.

((attribute_item
   (attribute
     (identifier) @_arg
     arguments: (token_tree
       . (identifier)? . "="? . (char_literal)? . ","? . (identifier) @_long
       . "," . (identifier)? . "="? . (_)? . ","?
       . (identifier) @_default . "=" . "-"? @flag.default . (identifier)? . "::"?
       . [(string_literal) (integer_literal) (float_literal) (boolean_literal) (identifier)] @flag.default
       . ["," ")"])))
 . [(attribute_item) (line_comment)]? . (attribute_item)?
 . (field_declaration name: (field_identifier) @flag.name) @flag
 (#any-of? @_arg "arg" "clap")
 (#eq? @_long "long")
 (#any-of? @_default "default_value" "default_value_t"))

(attribute_item
  (attribute
    (identifier) @_arg
    arguments: (token_tree
      . (identifier)? . "="? . (char_literal)? . ","? . (identifier) @_long . "=" . (string_literal) @flag.name
      . "," . (identifier)? . "="? . (_)? . ","?
      . (identifier) @_default . "=" . "-"? @flag.default . (identifier)? . "::"?
      . [(string_literal) (integer_literal) (float_literal) (boolean_literal) (identifier)] @flag.default
      . ["," ")"]))
  (#any-of? @_arg "arg" "clap")
  (#eq? @_long "long")
  (#any-of? @_default "default_value" "default_value_t")) @flag
