import pytest

for _name in ("served", "trials"):  # so that their assertions show values
    pytest.register_assert_rewrite(f"{__name__}.{_name}")
