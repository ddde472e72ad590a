import pytest

pytest.register_assert_rewrite(f"{__name__}.reading")  # or its assertions would tell no values
