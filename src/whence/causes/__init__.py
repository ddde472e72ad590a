"""Why did something hold in a run?"""
