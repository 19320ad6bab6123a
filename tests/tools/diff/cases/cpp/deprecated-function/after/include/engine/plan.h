#pragma once

[[deprecated("use plan_v2")]]
int plan(int batch_size);
int plan_v2(int batch_size, int page_size);
