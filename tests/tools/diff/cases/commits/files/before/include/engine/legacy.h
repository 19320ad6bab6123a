#pragma once

int legacy(int one);
