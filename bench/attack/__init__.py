"""What does whence do when everything around it is hostile or broken?"""
