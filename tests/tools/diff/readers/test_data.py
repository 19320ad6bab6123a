import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tools.diff.readers import data
from tools.diff.reading import Reading, Source


def read(path: str, text: str, *, whole: bool = True) -> Reading:
    return data.read(Source(path, text.encode(), whole=whole))


def told(path: str, text: str, *, whole: bool = True) -> dict[str, str | None]:
    return {site.name: site.value for site in read(path, text, whole=whole).sites if site.kind == "config"}


YAML = """\
# a comment
server:
  port: 8000  # default
  "quoted key": 'a # b'
  hosts:
  - one
  - two
  limits: [1, 2,
           3]
  text: |
    line: one
    line: two
  after: true
items:
  - name: first
    size: 1
  - name: second
    size: 2
  - size: 3
image: o/r:1.2
"""


def test_yaml_keys_have_dotted_paths_and_plain_values() -> None:
    assert told("config.yaml", YAML) == {
        "server.port": "8000",
        "server.quoted key": "a # b",
        "server.hosts": "[one, two]",
        "server.limits": "[1, 2, 3]",
        "server.text": "line: one line: two",
        "server.after": "true",
        "items.[first].name": "first",
        "items.[first].size": "1",
        "items.[second].name": "second",
        "items.[second].size": "2",
        "image": "o/r:1.2",
    }


def test_an_image_in_yaml_is_an_image_too() -> None:
    assert [(s.name, s.value) for s in read("deploy.yaml", YAML).sites if s.kind == "image"] == [("o/r", "1.2")]


def test_lines_are_where_the_key_stands() -> None:
    lines = {site.name: (site.start, site.end) for site in read("config.yaml", YAML).sites}
    assert (lines["server.port"], lines["server.limits"], lines["server.text"]) == ((3, 3), (8, 9), (10, 12))


def test_toml_keys_are_read_with_their_tables() -> None:
    text = 'top = 1\n[a.b]\n"x.y" = "s" # why\nlist = [\n  "p", # no\n  "q",\n]\n'
    text += 'long = """\none\ntwo"""\nd = {k = 1}\n[[t]]\nn = 1\n'
    assert told("config.toml", text) == {
        "top": "1",
        "a.b.x.y": "s",
        "a.b.list": '[ "p", "q", ]',
        "a.b.long": "one two",
        "a.b.d": "{k = 1}",
    }


def test_json_keys_are_read_with_their_objects() -> None:
    text = '{"a": {"b": 1, "c": [true, null]},\n "d": [{"name": "n", "v": 2}, {"v": 3}], "e": "x\\"y"}'
    assert told("config.json", text) == {"a.b": "1", "a.c": "[true, null]", "d.[n].v": "2", "e": 'x\\"y'}


def test_a_fragment_gives_paths_from_what_is_visible() -> None:
    assert told("c.json", '      "lr": 0.1,\n      "x": {\n        "y": 2\n', whole=False) == {"lr": "0.1", "x.y": "2"}
    assert told("c.yaml", "    lr: 0.1\n    x:\n      y: 2\n  z: 3\n", whole=False) == {
        "lr": "0.1",
        "x.y": "2",
        "z": "3",
    }


def test_more_keys_than_anybody_sets_are_said_to_be_unread() -> None:
    reading = read("big.json", json.dumps({f"k{number}": number for number in range(3_000)}, indent=0))
    assert len(reading.sites) == data.MAX_KEYS
    assert reading.problems == ("more than 2,000 keys",)


def test_indentation_is_meaning_in_yaml_and_not_in_json() -> None:
    assert read("a.yaml", "a:\n  b: 1\n").code != read("a.yaml", "a:\nb: 1\n").code
    assert read("a.json", '{"a":\n1}').code == read("a.json", '{ "a" :\n  1 }').code


def test_a_template_around_yaml_is_no_key() -> None:
    assert told("t.yaml", "{{- if .Values.x }}\na: {{ .Values.a }}\n{{- end }}\n") == {"a": "{{ .Values.a }}"}


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.text("abc", min_size=1), st.one_of(st.integers(), st.text("xyz "), st.booleans()), max_size=8)
)
def test_what_json_writes_is_read_back(values: dict[str, object]) -> None:
    expected = {key: " ".join(v.split()) if isinstance(v, str) else json.dumps(v) for key, v in values.items()}
    assert told("a.json", json.dumps(values, indent=1)) == expected


PIECES = st.sampled_from(
    ["a: ", "- ", "[", "]", "{", "}", '"', "'", "|", "#", "\n", "\n  ", ": ", "=", ",", '"""', "[[", "]]", "\\", "//"]
)


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(["a.yaml", "a.toml", "a.json"]),
    st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=40),
    st.booleans(),
)
def test_any_text_gives_a_reading_with_lines_inside_it(path: str, pieces: list[str], whole: bool) -> None:
    text = "".join(pieces).encode("utf-8", "surrogatepass")
    reading = data.read(Source(path, text, 9, whole=whole))
    assert all(9 <= site.start <= site.end <= 9 + text.count(b"\n") for site in reading.sites)


def test_what_is_nested_without_end_costs_nothing() -> None:
    read("a.json", "[\n" * 600_000)
    read("a.json", '{"a": 1, "b":\n' * 100_000)
    read("a.yaml", ("- " * 9_000 + "a: 1\n") * 20)
    read("a.toml", "a = " + "[" * 9_000)
    read("a.toml", "[" + "a." * 9_000 + "a]\n" + "k = 1\n" * 100_000)
