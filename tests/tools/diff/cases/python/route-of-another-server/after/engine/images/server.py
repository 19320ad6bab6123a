from fastapi import APIRouter

router = APIRouter()


@router.post("/sleep")
async def sleep_images():
    return {}
