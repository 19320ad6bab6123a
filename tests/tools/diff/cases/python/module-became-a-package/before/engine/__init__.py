from engine.tracing import init_tracer
