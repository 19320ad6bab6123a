struct Step {};
