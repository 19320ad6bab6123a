#pragma once
int tile_rows(int heads);
int tile_depth(int heads, int width);
