#pragma once
int tile_rows(int heads);
int tile_columns(int heads);
