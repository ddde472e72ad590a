import pytest

pytest.register_assert_rewrite(f"{__name__}.fetching")  # so that its assertions show values
