"""LangGraph graphs of a run, a question and an audit."""
