"""Did behaviour change only where it was meant to?"""
