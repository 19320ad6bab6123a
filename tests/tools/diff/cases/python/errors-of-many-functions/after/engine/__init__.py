from .core import check_a as check_a, check_b as check_b, check_c as check_c
