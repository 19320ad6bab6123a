from fastapi import FastAPI

app = FastAPI()


@app.get("/health")
async def health() -> dict[str, str]:
    return {}


@app.post("/v1/abort")
async def abort(request_id: str) -> None:
    await engine.abort(request_id)
