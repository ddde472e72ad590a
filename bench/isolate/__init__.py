"""How many runs does it take to find the changes that broke a real project?"""
