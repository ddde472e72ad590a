"""What do operations say about values: their result, what forces it, and its constraints?"""
