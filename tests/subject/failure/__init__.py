import pytest

pytest.register_assert_rewrite(f"{__name__}.reading")  # so that its assertions show values
