"""A small GitHub on loopback: REST, GraphQL and git over HTTP for made-up repositories, with faults on request."""
