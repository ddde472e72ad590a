"""Which conditions over their inputs do Python runs fulfil?"""
