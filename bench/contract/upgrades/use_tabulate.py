from tabulate import tabulate
rows = [["apple", 1.5, "1,000"], ["pear", None, "20"], ["fig", 12, "1e3"]]
for fmt in ("plain", "github", "grid", "html", "pipe", "simple", "latex"):
    print(tabulate(rows, headers=["name", "price", "n"], tablefmt=fmt))
print(tabulate(rows, showindex=True, floatfmt=".2f"))
print(tabulate([{"a": 1, "b": True}, {"a": 2}], headers="keys"))
print(tabulate([["x" * 40, "y"]], maxcolwidths=[10, None], tablefmt="grid"))
print(tabulate([], headers=["a"]), tabulate([["1"], ["0x1f"]], disable_numparse=True))
