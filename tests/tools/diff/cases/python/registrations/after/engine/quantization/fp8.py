from engine.quantization import register_quantization


class Base:
    pass


@register_quantization("fp8_block")
class BlockFp8(Base):
    """Weights in blocks."""
