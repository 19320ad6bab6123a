from fastapi import FastAPI

app = FastAPI()


@app.get("/health")
async def health() -> dict[str, str]:
    return {}


@app.post("/v1/embeddings")
async def embed(request: EmbeddingRequest) -> Embeddings:
    return await engine.embed(request)
