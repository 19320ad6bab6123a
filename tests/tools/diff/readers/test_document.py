from hypothesis import given
from hypothesis import strategies as st

from tools.diff.readers import document
from tools.diff.reading import Source

PAGE = """# Flags `--not-here`

| Argument | Description | Defaults |
| --- | --- | --- |
| `--model-path`<br>`--model` | The path. | None |
| `--tp-size` | Uses `--other` too. | `1` |
| plain | text | |

- `VLLM_USE_V1`: on or off, default: `1`.
- **`--enable-x`** turns it on.
- Set `VLLM_LATER` somewhere.
* - ``--rst-flag``
1. `SGLANG_PORT=30000`
- `lower_case` is nothing
"""


def told(text: str) -> set[tuple[str, str, str | None]]:
    reading = document.read(Source("docs/a.md", text.encode()))
    assert all(site.scope == document.SCOPE for site in reading.sites)
    return {(site.kind, site.name, site.value) for site in reading.sites}


def test_rows_and_bullets_that_begin_with_a_flag_or_variable_document_it() -> None:
    assert told(PAGE) == {
        ("flag", "--model-path", "None"),
        ("flag", "--model", "None"),
        ("flag", "--tp-size", "1"),
        ("env", "VLLM_USE_V1", "1"),
        ("flag", "--enable-x", None),
        ("flag", "--rst-flag", None),
        ("env", "SGLANG_PORT", None),
    }


def test_a_paragraph_wrapped_anew_says_the_same() -> None:
    def code(text: str) -> str:
        return document.read(Source("a.md", text.encode())).code

    assert code("one two\nthree\n") == code("one\ntwo three\n") != code("one two\n")


@given(st.text(alphabet="|`-*# \n-AB_x.:=\\", max_size=200))
def test_any_text_gives_a_reading(text: str) -> None:
    document.read(Source("a.md", text.encode(), whole=False))
