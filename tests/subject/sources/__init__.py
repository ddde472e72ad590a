import pytest

pytest.register_assert_rewrite(f"{__name__}.fetching")  # or its assertions would tell no values
