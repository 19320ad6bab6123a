"""Chat models behind any OpenAI-compatible server.

`model` is the chat model that graphs use, `server` what servers need beyond langchain-openai,
`concurrency` the queue before a server, `budget` what a run may spend, and `messages` requests and
replies as they are recorded. The models of a run are put together in `graphs.models`.
"""
